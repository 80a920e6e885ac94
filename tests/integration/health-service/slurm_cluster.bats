#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa-healthd on a Slurm cluster without a single tofa-noded: the states of slurmctld are all that it has.

# shellcheck disable=SC2016  # eval expands it
build=${TOFA_BUILD:?set it to the build folder}
# shellcheck source=tests/cluster/support.bash
source "$BATS_TEST_DIRNAME/../../cluster/support.bash"

setup_file() {
  start_cluster --conf SlurmdTimeout=5 --conf MessageTimeout=3 4
  service=$TOFA_CLUSTER_DIR/shared/health
  mkdir "$service"
  cat >"$service/healthd.toml" <<END
[poll]
heartbeats = false
[slurm]
enabled = true
interval = 1
[estimate]
method = "ewma"
half_life = 2
[state]
database = "$service/health.db"
snapshot = "$service/snapshot.json"
[hosts]
list = "n[000-003]"
END
  "$cluster_sh" sh "$build/bin/tofa-healthd" --config "$service/healthd.toml" >"$service/healthd.log" 2>&1 3>&- &
  "$cluster_sh" sh "$build/bin/tofa-pmix-gateway" --snapshot "$service/snapshot.json" \
    >"$service/gateway.log" 2>&1 3>&- &
  export service
}

teardown_file() { end_cluster; }

teardown() {
  if [[ -z ${BATS_TEST_COMPLETED:-} ]]; then cat "$service"/*.log; fi
}

tofa_health() { TOFA_SITE_FILE=/nonexistent head_run "$build/bin/tofa" health "$@" --health 127.0.0.1:7412 --deadline 30; }

# probability_is HOST VALUE
probability_is() {
  [[ $(tofa_health list 2>/dev/null | awk -v host="$1" '$1 == host { print $2 }') == "$2" ]]
}

@test "a node that crashes is certain to fail, until it is back and trusted again" {
  eventually probability_is n002 0.000000
  cluster crash 2
  eventually probability_is n002 1.000000
  probability_is n001 0.000000
  grep -F 'n002 is down (slurm)' "$service/healthd.log"
  cluster restore 2
  eventually probability_is n002 0.000000
}

@test "its outage is in the history, with its cause" {
  run tofa_health history n002
  [[ $status == 0 && ${#lines[@]} == 2 && ${lines[1]} == n002*slurm ]] || { echo "$output" && return 1; }
  run tofa_health history n001
  same "no outages of n001 are known" "$output"
}

@test "mpirun counts how likely nodes fail in what is left of its job" {
  local stock
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  export OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TOFA_SITE_FILE=/nonexistent
  cd "$service"
  head_run timeout 60 salloc --quiet -N4 --time=2:00:00 \
    mpirun --map-by tofa:health=127.0.0.1:7412,report -n 3 hostname >out 2>err || { cat out err && return 1; }
  # n002, with one outage in less than a day, which counts as a day.
  grep -E 'for a job of up to 7[12][0-9]{2} s' err
  grep -E 'n002 \(p = 0\.0[78]' err
  same "n000 n001 n003" "$(sort out | paste -sd ' ')"
}

@test "an administrator who drains a node has not broken it" {
  head_run scontrol update nodename=n003 state=drain reason=test
  eventually state_is n003 drained
  sleep 3
  probability_is n003 0.000000
  head_run scontrol update nodename=n003 state=resume
}

@test "a slurmctld that ends takes no node with it" {
  local before
  before=$(tofa_health list | awk '{ print $1, $2 }')
  head_run scontrol shutdown slurmctld
  eventually grep -qF 'cannot learn node states' "$service/healthd.log"
  same "$before" "$(tofa_health list | awk '{ print $1, $2 }')"
}
