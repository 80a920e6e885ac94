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

# plans COUNT GRAPH OPTIONS...: how many different plans there are among so many, and the one for an idle machine.
plans() {
  local count=$1 i
  shift
  for ((i = 0; i < count; i++)); do plan "$@" >"plan.$i" || return 1; done
  cat idle plan.* >/dev/null
  sha256sum idle plan.* | cut -d ' ' -f 1 | sort -u | wc -l
}

@test "plans on a busy machine are those of an idle one, 20 of 20: 512 ranks" {
  plan rgg512 >idle
  [ "$(while_busy plans "$count" rgg512)" -eq 1 ]
}

@test "plans on a busy machine are those of an idle one, 20 of 20: suspect nodes" {
  plan lmp64 --outages "$cases/outages-16a.txt" >idle
  [ "$(while_busy plans "$count" lmp64 --outages "$cases/outages-16a.txt")" -eq 1 ]
}

@test "plans on a busy machine are those of an idle one, 20 of 20: several ranks a node, other objectives" {
  local objective
  for objective in hop-bytes congestion; do
    plan dt85bh --nodes 'n[000-031]' --slots 4 --objective "$objective" >idle
    [ "$(while_busy plans $(((count + 1) / 2)) dt85bh --nodes 'n[000-031]' --slots 4 --objective "$objective")" -eq 1 ]
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
