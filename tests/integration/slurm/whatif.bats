#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What tofa whatif takes for Slurm's own doing is what Slurm does: the same jobs start in the same order on the same nodes,
# as Slurm 22.05 chooses them.
# shellcheck disable=SC2154  # variables that support.bash sets
load support

setup() { :; }

@test "sixty jobs go through the replay as they go through Slurm" {
  [[ $(slurmctld -V) == *" 22.05."* ]] || skip "the replay is of Slurm 22.05; 24.11 takes other leaves where several fit alike"
  printf 'SwitchName=%s Nodes=%s\n' a 'n[000-003]' b 'n[004-007]' c 'n[008-011]' d 'n[012-015]' >"$BATS_TEST_TMPDIR/topology.conf"
  printf 'SwitchName=%s Switches=%s\n' ab a,b cd c,d top ab,cd >>"$BATS_TEST_TMPDIR/topology.conf"
  start_cluster --cpus 1 --etc "$BATS_TEST_TMPDIR/topology.conf" --conf TopologyPlugin=topology/tree \
    --conf SchedulerType=sched/backfill --conf CompleteWait=30 \
    --conf SchedulerParameters=bf_interval=1,bf_resolution=1,bf_window=43200,batch_sched_delay=0 16
  run python3 -B "$BATS_TEST_DIRNAME/whatif_beside_slurm.py" "$build/bin/tofa" "$cluster_sh"
  end_cluster
  echo "$output"
  ((status == 0))
}
