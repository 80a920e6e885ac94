#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa-healthd drains nodes of a real Slurm that are likely to fail, or shows which it would. Tests build on each other.

# shellcheck disable=SC2016  # eval expands it
build=${TOFA_BUILD:?set it to the build folder}
# shellcheck source=tests/cluster/support.bash
source "$BATS_TEST_DIRNAME/../../cluster/support.bash"

setup_file() {
  start_cluster --conf SlurmdTimeout=5 --conf MessageTimeout=3 4
  service=$TOFA_CLUSTER_DIR/shared/health
  export service
  mkdir "$service"
  configure
  # n001 and n002 failed once a day for three weeks.
  local now
  now=$(date +%s)
  for host in n001 n002; do
    for day in {1..21}; do echo "$host,$((now - day * 86400)),$((now - day * 86400 + 600))"; done
  done | "$build/bin/tofa-healthd" --config "$service/healthd.toml" --import -
  start_healthd
}

teardown_file() { end_cluster; }

teardown() {
  if [[ -z ${BATS_TEST_COMPLETED:-} ]]; then cat "$service"/*.log; fi
}

# configure LINES...: of the section [slurm]. Takes the place of the file at once.
configure() {
  {
    printf '%s\n' '[slurm]' 'enabled = true' 'interval = 1' "$@"
    cat <<END_OF_FILE
[poll]
heartbeats = false
[state]
database = "$service/health.db"
snapshot = "$service/snapshot.json"
[hosts]
list = "n[000-003]"
END_OF_FILE
  } >"$service/healthd.toml.new"
  mv "$service/healthd.toml.new" "$service/healthd.toml"
}

start_healthd() {
  "$cluster_sh" sh "$build/bin/tofa-healthd" --config "$service/healthd.toml" >>"$service/healthd.log" 2>&1 3>&- &
}

signal_healthd() { head_run sh -c "kill -$1 \$(pidof tofa-healthd)"; }

reload_with() {
  configure "$@"
  signal_healthd HUP
}

warns() { jq -e --arg text "$1" '.warnings // [] | any(contains($text))' "$service/snapshot.json" >/dev/null; }

# The time in the snapshot moves on by some questions.
after_some_questions() {
  local begin
  begin=$(jq '[.hosts[].polled] | max' "$service/snapshot.json")
  moved_on() { jq -e --argjson begin "$begin" '[.hosts[].polled] | max > $begin + 4' "$service/snapshot.json" >/dev/null; }
  eventually moved_on
}

states_are() { [[ $(for host in n000 n001 n002 n003; do state "$host"; done | paste -sd ' ') == "$1" ]]; }
changes() { sqlite3 -readonly "$service/health.db" "SELECT action, host, user FROM change" | paste -sd ' '; }

@test "no node is drained unless the configuration says so" {
  eventually test -s "$service/snapshot.json"
  after_some_questions
  states_are "idle idle idle idle"
  same "" "$(changes)"
}

@test "what would be done is shown, and not done" {
  reload_with 'drain = "show"' 'drain_above = 0.2' 'drain_at_most = 2'
  eventually warns 'Slurm would be told to drain n[001-002]'
  after_some_questions
  states_are "idle idle idle idle"
  same "" "$(changes)"
}

@test "a node that an administrator drains meanwhile is left alone, the other one is drained" {
  head_run scontrol update nodename=n002 state=drain reason=fan
  eventually state_is n002 drained
  reload_with 'drain = "do"' 'drain_above = 0.2' 'drain_at_most = 2'
  eventually state_is n001 drained
  head_run scontrol show node n001 | grep -E 'Reason=tofa: outage within 24 h, probability at least 0\.[0-9]+ \[root@'
  head_run scontrol show node n002 | grep -F 'Reason=fan [root@'
  eventually warns 'drained in Slurm: n001'
  same "drain|n001|tofa-healthd" "$(changes)"
}

@test "a daemon that is killed and started again knows what it drained" {
  signal_healthd KILL
  start_healthd
  after_some_questions
  eventually warns 'drained in Slurm: n001'
  states_are "idle drained drained idle"
  same "drain|n001|tofa-healthd" "$(changes)"
}

@test "only what it drained itself is resumed" {
  reload_with 'drain = "do"' 'drain_above = 0.9999' 'resume_below = 0.999'
  eventually state_is n001 '^idle$'
  after_some_questions
  states_are "idle idle drained idle"
  same "drain|n001|tofa-healthd resume|n001|tofa-healthd" "$(changes)"
  head_run scontrol update nodename=n002 state=resume
}

@test "a controller that cannot be reached is told from one that refuses" {
  head_run scontrol shutdown slurmctld
  not_reached() {
    local status=0
    head_run "$build/bin/tofa-slurm-nodes" --drain n001 --reason 'tofa: test' || status=$?
    ((status == 4))
  }
  eventually not_reached
}
