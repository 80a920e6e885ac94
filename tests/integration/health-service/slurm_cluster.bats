#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa-healthd on a Slurm cluster without a single tofa-noded: what slurmctld says of nodes is all that it has.

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
  grep -F 'n002 is down (slurm' "$service/healthd.log"
  cluster restore 2
  eventually probability_is n002 0.000000
}

@test "its outage is in the history, with its cause" {
  run tofa_health history n002
  [[ $status == 0 && ${#lines[@]} == 2 && ${lines[1]} =~ ^n002.*\ slurm(:| by root: Not)\ .*respond ]] || { echo "$output" && return 1; }
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

@test "libslurm is asked, and has nothing to complain of" {
  grep -F "Slurm is asked through $build/bin/tofa-slurm-nodes" "$service/healthd.log"
  if grep -F 'Slurm is asked through sinfo' "$service/healthd.log"; then return 1; fi
  run tofa_health status
  [[ $status == 0 && $output != *"Slurm is asked"* ]] || { echo "$output" && return 1; }
}

# line_of HOST: what tofa-slurm-nodes says.
line_of() { head_run "$build/bin/tofa-slurm-nodes" | jq -c "select(.node == \"$1\")"; }

@test "tofa-slurm-nodes tells why a node is drained, who did it, when, and when it started" {
  head_run scontrol update nodename=n001 state=drain reason='a "fan" is loud'
  local now
  now=$(date +%s)
  line_of n001
  same true "$(line_of n001 | jq --argjson now "$now" '.state == "idle" and .flags == ["drain"] and
    .reason == "a \"fan\" is loud" and .uid == 0 and .by == "root" and (.since - $now | fabs) < 60 and
    .boot > 0 and .boot < .started and .started <= $now')"
  same '["idle",[],null]' "$(line_of n000 | jq -c '[.state, .flags, .reason]')"
  head_run scontrol update nodename=n001 state=resume
  eventually state_is n001 idle
}

# restart_slurmd K COMMAND...: ends the slurmd of a node and starts it by a command.
restart_slurmd() {
  local k=$1 old
  shift
  old=$(cluster on "$k" pidof slurmd)
  # shellcheck disable=SC2086  # there is one
  cluster on "$k" kill -KILL $old
  cluster on "$k" "$@"
}

outages_of() { tofa_health history "$1" --json | jq -c '[.outages[].cause]'; }

@test "a node that rebooted before anybody noticed has failed, a slurmd that was started again has not" {
  local uptime
  uptime=$(cut -d. -f1 /proc/uptime)
  ((uptime > 1000)) || skip "this machine is just up"
  restart_slurmd 1 slurmd -N n001
  # A clock of its own is what makes a node just booted.
  restart_slurmd 0 unshare --time --boottime "-$((uptime - 5))" slurmd -N n000
  has_rebooted() { same '["reboot"]' "$(outages_of n000)"; }
  eventually has_rebooted
  same '[]' "$(outages_of n001)"
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
  eventually probability_is n000 0.000000
  before=$(tofa_health list | awk '{ print $1, $2 }')
  head_run scontrol shutdown slurmctld
  eventually grep -qF 'no node states from Slurm' "$service/healthd.log"
  same "$before" "$(tofa_health list | awk '{ print $1, $2 }')"
}
