#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A node dies while a job runs on it: the job ends and says which node it was, or goes on without it; the outage is in the
# history of the health service, which has heartbeats and Slurm's states, and the next job keeps away from the node. By
# srun, and by mpirun.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # the ranks expand it
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

setup_file() {
  start_cluster_with_plugin --conf SlurmdTimeout=5 --conf MessageTimeout=3 8
  service=$TOFA_CLUSTER_DIR/shared/health
  mkdir "$service"
  cat >"$service/healthd.toml" <<END
[poll]
period = 0.25
timeout = 0.2
[slurm]
enabled = true
interval = 1
[state]
database = "$service/health.db"
snapshot = "$service/snapshot.json"
[hosts]
list = "n[000-007]"
END
  export service
  local node
  for node in 0 1 2 3 4 5 6 7; do start_agent $node; done
  "$cluster_sh" sh "$build/bin/tofa-healthd" --config "$service/healthd.toml" >"$service/healthd.log" 2>&1 3>&- &
  "$cluster_sh" sh "$build/bin/tofa-pmix-gateway" --snapshot "$service/snapshot.json" >"$service/gateway.log" 2>&1 3>&- &
}

teardown_file() { end_cluster; }

start_agent() { "$cluster_sh" on "$1" "$build/bin/tofa-noded" >>"$service/agents.log" 2>&1 3>&- & }

tofa_health() { head_run "$build/bin/tofa" health "$@" --health 127.0.0.1:7412 --deadline 30; }
probability_of() { tofa_health list 2>/dev/null | awk -v host="$1" '$1 == host { print $2 }'; }
is_healthy() { [[ $(probability_of "$1") == 0.000000 ]]; }
is_dead() { [[ $(probability_of "$1") == 1.000000 ]]; }

# lose_node K COMMAND...: runs a job and takes the node from it when all eight ranks have started; its output and status
# are in the files out, err and status.
lose_node() {
  local node=$1
  shift
  (
    ended=0
    "$@" >out 2>err || ended=$?
    echo "$ended" >status
  ) 3>&- &
  eventually eval '[[ $(ls started-* 2>/dev/null | wc -l) == 8 ]]'
  cluster crash "$node"
  wait $!
}

# expect_loss K: the job failed, and said why; the service knows since when, and that it is not over.
expect_loss() {
  local host=n00$1
  [[ $(cat status) != 0 ]] || { cat out err && return 1; }
  grep -qw "$host" err || { cat err && return 1; }
  eventually is_dead "$host"
  tofa_health history "$host" | grep -E "^$host .*still"
}

# The node is as good as new for Slurm, but not for the service, which remembers.
bring_back() {
  cluster restore "$1"
  start_agent "$1"
  eventually eval "! is_dead n00$1"
  eventually state_is "n00$1" '^idle$'
}

rank='touch started-$SLURM_PROCID$OMPI_COMM_WORLD_RANK; sleep 50'

@test "srun: the job names the node it lost, and the next one avoids it although it is back" {
  eventually is_healthy n007
  export TOFA_HEALTH=127.0.0.1:7412
  lose_node 2 head_run timeout 80 salloc --quiet -N5 -n8 -w n002 srun --tofa=app -N5 -n8 sh -c "$rank"
  expect_loss 2
  bring_back 2
  in_job -N6 -n12 -w n002 -- srun --tofa=app -n8 sh -c "$whoami"
  expect_placed
  same 0 "$(grep -cw n002 out)"
}

@test "srun: a job that goes on without the node it lost is placed on the others" {
  printf '#!/bin/sh\ntouch ready\nuntil [ -e lost ]; do sleep 0.2; done\nsrun --tofa=app -n8 "$@"\n' >job
  chmod +x job
  in_job --no-kill -N5 -n10 -w n003 -- ./job sh -c "$whoami" &
  local job=$!
  eventually test -e ready
  cluster crash 3
  eventually state_is n003 '^down'
  touch lost
  wait "$job" || same "" "$(cat err)"
  expect_silence
  expect_placed
  same 0 "$(grep -cw n003 out)"
  bring_back 3
}

@test "mpirun: the job names the node it lost, and the next one avoids it although it is back" {
  need_components
  local stock
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  export OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0
  export TOFA_HEALTH=127.0.0.1:7412
  lose_node 5 head_run timeout 80 salloc --quiet -N4 -n8 -w 'n[004-007]' mpirun -n 8 sh -c "$rank"
  expect_loss 5
  bring_back 5
  in_job -N6 -n12 -w n005 -- mpirun --map-by tofa:graph=app,report=1 -n 8 "$build/bin/tofa-test-allreduce"
  expect_placed
  same 0 "$(grep -c '^[0-9]* n005' out)"
  grep -E 'avoided .*n005' err
}
