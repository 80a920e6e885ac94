#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The same input, options and seed give the same plan, on an idle machine and on a busy one; small tasks end long
# before the time limit, which only cuts off what would be late, and says so.

load ../busy

tofa=${TOFA:?set it to the path of the tofa command}
cases=${TOFA_FIXTURES:?set it to tests/fixtures}/cases
# Seconds a search may take: the default, but where everything takes ten times as long, under sanitizers, more.
patience=${TOFA_PATIENCE:-}
# So many plans are made beside busy loops; fewer where each takes long.
count=${TOFA_PLANS:-20}
# More than anything here needs, at any effort.
ample=$((10 * ${patience:-60}))

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  export TOFA_SITE_FILE=$BATS_TEST_TMPDIR/none.toml
  unset TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH
}

# plan GRAPH OPTIONS...
plan() {
  local graph=$1 limit=()
  shift
  [[ -z $patience || $* == *--time-limit* ]] || limit=(--time-limit "$patience")
  "$tofa" map --graph "$cases/$graph.bytes.mtx" --topology "$cases/torus-8x8x8.toml" "${limit[@]}" "$@"
}

# plans COUNT GRAPH OPTIONS...: so many plans are the one for an idle machine, but for those that say that they were cut
# short: where other work is so heavy that there is no processor for seconds, that is at most half of them.
plans() {
  local count=$1 i late=0
  shift
  for ((i = 0; i < count; i++)); do
    plan "$@" --format json >plan.json || return 1
    if jq -e '.out_of_time' plan.json >/dev/null; then
      late=$((late + 1))
    else
      jq -S '.mapping' plan.json | cmp - idle || return 1
    fi
  done
  [ $((2 * late)) -le "$count" ]
}

# idle GRAPH OPTIONS...: the plan for an idle machine.
idle() {
  plan "$@" --format json >idle.json
  jq -e '.out_of_time == false' idle.json
  jq -S '.mapping' idle.json >idle
}

@test "plans on a busy machine are those of an idle one: 512 ranks" {
  idle rgg512
  while_busy plans "$count" rgg512
}

@test "plans on a busy machine are those of an idle one: suspect nodes" {
  idle lmp64 --outages "$cases/outages-16a.txt"
  while_busy plans "$count" lmp64 --outages "$cases/outages-16a.txt"
}

@test "plans on a busy machine are those of an idle one: several ranks a node, other objectives" {
  local objective
  for objective in hop-bytes congestion; do
    idle dt85bh --nodes 'n[000-031]' --slots 4 --objective "$objective"
    while_busy plans $(((count + 1) / 2)) dt85bh --nodes 'n[000-031]' --slots 4 --objective "$objective"
  done
}

@test "more time than is needed changes nothing, more effort does" {
  plan lmp64 >idle
  plan lmp64 --time-limit "$ample" | cmp - idle
  # Of many ranks a limit that is given is for twice as many moves, and no more.
  plan rgg512 --time-limit "$ample" >idle
  plan rgg512 --time-limit $((2 * ample)) | cmp - idle
  plan dt85bh --effort fast --format json >fast.json
  plan dt85bh --format json >normal.json
  plan dt85bh --effort thorough --time-limit "$ample" --format json >thorough.json
  jq -e '.out_of_time == false' fast.json normal.json thorough.json
  jq -es '.[0].cost >= .[1].cost and .[1].cost >= .[2].cost and .[0].cost > .[2].cost' \
    fast.json normal.json thorough.json
}

@test "a search that would be late is cut short, which the report says" {
  "$tofa" map --graph "$cases/rgg512.bytes.mtx" --topology "$cases/torus-8x8x8.toml" --time-limit 0.001 \
    --format json >late.json 2>err
  [ ! -s err ]
  jq -e '.out_of_time and .cost <= .default.cost and (.mapping | length) == 512' late.json
}
