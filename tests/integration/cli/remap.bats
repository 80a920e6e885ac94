#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa select and tofa remap. Needs TOFA (the program) and TOFA_FIXTURES.
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH
  export TOFA_SITE_FILE=$PWD/site.toml
  cases=$TOFA_FIXTURES/cases
  job=(--graph "$cases/irregular12" --topology "$cases/torus-8x8x8.toml")
  "$TOFA" map "${job[@]}" --nodes 'n[000-015]' -o hosts
}

refused() {
  run "$TOFA" "$@"
  echo "$output"
  [ "$status" -eq 2 ]
}

@test "a lost node moves its rank and no other" {
  lost=$(sed -n 4p hosts)
  "$TOFA" remap "${job[@]}" --mapping hosts --nodes 'n[000-015]' --lost "$lost" -o new 2>summary
  grep -q '^1 of 12 ranks move; completion-time .* from scratch .* moves$' summary
  [ "$(diff hosts new | grep -c '^>')" -eq 1 ]
  run grep -c "$lost" new
  [ "$output" = 0 ]
}

@test "JSON tells moves and costs, also from scratch" {
  "$TOFA" remap "${job[@]}" --mapping hosts --lost "$(sed -n 1,2p hosts | paste -sd,)" --gained 'n[100-101]' \
    --format json >report
  jq -e '.moves == 2 and (.moved == [0, 1]) and (.oversubscribed | not) and .from_scratch.cost > 0
         and .from_scratch.moves >= 2 and (.mapping | length) == 12' report
}

@test "too few nodes take more ranks, evenly" {
  "$TOFA" remap "${job[@]}" --mapping hosts --nodes 'n[000-004]' -o new 2>summary
  grep -q oversubscribed summary
  sort new | uniq -c | awk '{ if ($1 < 2 || $1 > 3) exit 1 } END { if (NR != 5) exit 1 }'
}

@test "remap: mistakes are explained" {
  refused remap "${job[@]}" --mapping hosts --lost nowhere
  [[ $output == *nowhere* ]]
  head -n 3 hosts >short
  refused remap "${job[@]}" --mapping short
  [[ $output == *"places 3 ranks"* ]]
  run "$TOFA" remap "${job[@]}" --mapping hosts --lost 'n[000-015]'
  [ "$status" -eq 1 ]
  [[ $output == *"no node is available"* ]]
}

@test "select: compact, of the right size, and without suspect nodes" {
  printf 'n003 0.2\nn009 0.1\n' >outages
  nodes=$("$TOFA" select "${job[@]}" --nodes 'n[000-063]' --outages outages)
  "$TOFA" select "${job[@]}" --nodes 'n[000-063]' --outages outages --json >report
  jq -e --arg nodes "$nodes" '.nodes == $nodes and .node_count == 12 and .candidates == 64 and
    .chosen.abort_probability == 0 and .chosen.hop_bytes <= .default.hop_bytes' report
  "$TOFA" map "${job[@]}" --nodes "$nodes" --mapper linear | sort -u | wc -l | grep -qx 12
}

@test "select: without a graph, neighbours in rank order are meant" {
  "$TOFA" select -n 8 --topology "$cases/torus-8x8x8.toml" --nodes 'n[000-063]' --json |
    jq -e '.node_count == 8 and .chosen.average_hops_per_byte == 1'
}

@test "select asks Slurm for idle nodes" {
  mkdir bin
  printf '#!/bin/sh\necho "$@" >>"%s/asked"\nprintf "n001\\nn002\\nn002\\nn003\\nelsewhere\\n"\n' "$PWD" >bin/sinfo
  chmod +x bin/sinfo
  PATH=$PWD/bin:$PATH "$TOFA" select -n 2 --topology "$cases/torus-8x8x8.toml" -p main --json |
    jq -e '.candidates == 3 and .node_count == 2'
  grep -q -- '--partition=main' asked
  printf '#!/bin/sh\necho "slurm_load_partitions: nobody there" >&2\nexit 1\n' >bin/sinfo
  PATH=$PWD/bin:$PATH run "$TOFA" select -n 2 --topology "$cases/torus-8x8x8.toml"
  [ "$status" -eq 1 ]
  [[ $output == *"nobody there"*"--nodes"* ]]
}

@test "select: mistakes are explained" {
  refused select --topology "$cases/torus-8x8x8.toml" --nodes 'n[000-063]'
  [[ $output == *"how many ranks"* ]]
  refused select "${job[@]}" -n 13 --nodes 'n[000-063]'
  [[ $output == *"has 12 ranks, not 13"* ]]
}
