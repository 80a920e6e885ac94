#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# No step fails that plain srun starts, whatever its options: random combinations of them, on nodes with hyper-threads
# and GPUs, with more GPUs and sockets, and with neither, where memory is counted. TOFA_COMBINATIONS says how many,
# TOFA_SEED which.

# shellcheck disable=SC2154  # variables that support.bash sets
load support

setup_file() {
  printf 'NodeName=n[000-003] Name=gpu File=/dev/tty[0-1]\nNodeName=n[004-005] Name=gpu File=/dev/tty[0-3]\n' \
    >"$BATS_FILE_TMPDIR/gres.conf"
  start_cluster_with_plugin --conf GresTypes=gpu --etc "$BATS_FILE_TMPDIR/gres.conf" \
    --conf SelectTypeParameters=CR_Core_Memory --conf DefMemPerCPU=50 --conf MinJobAge=2 \
    --node "0-3=CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=4000 Gres=gpu:2" \
    --node "4-5=CPUs=8 Boards=1 SocketsPerBoard=2 CoresPerSocket=4 ThreadsPerCore=1 RealMemory=8000 Gres=gpu:4" 8
  head_run scontrol create PartitionName=threads "Nodes=n[000-003]"
  head_run scontrol create PartitionName=cores "Nodes=n[004-005]"
  head_run scontrol create PartitionName=plain "Nodes=n[006-007]"
}
teardown_file() { end_cluster; }

@test "with --tofa starts what starts without, and ranks have the same" {
  [[ ${TOFA_COMBINATIONS:-150} != 0 ]] || skip "TOFA_COMBINATIONS is 0"
  cp "$BATS_TEST_DIRNAME/combinations.py" .
  # Far longer than the other tests.
  timeout -k 5 1500 "$cluster_sh" sh python3 combinations.py --count "${TOFA_COMBINATIONS:-150}" --seed "${TOFA_SEED:-1}" >found ||
    { head -c 20000 found && return 1; }
  cat found
  # Most of them are placed, and enough are refused by Slurm itself that this, too, is seen.
  [[ $(cat found) =~ ([0-9]+)\ placed ]]
  ((BASH_REMATCH[1] * 3 > ${TOFA_COMBINATIONS:-150}))
}
