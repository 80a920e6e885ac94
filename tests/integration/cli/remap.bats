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

@test "nothing was lost: nothing moves" {
  "$TOFA" remap "${job[@]}" --mapping hosts --lost '' --gained '' -o new 2>summary
  diff hosts new
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

@test "gained nodes relieve a node that holds more ranks than it has slots" {
  printf '%%%%MatrixMarket matrix coordinate integer general\n8 8 4\n1 2 9\n3 4 9\n5 6 9\n7 8 9\n' >pairs.mtx
  yes n000 | head -8 >crowded
  crowded=(--graph pairs.mtx --topology "$cases/torus-8x8x8.toml" --mapping crowded --gained n001)
  "$TOFA" remap "${crowded[@]}" --slots 4 --format json | jq -e '.moves == 4 and .hop_bytes == 0 and
    (.oversubscribed or .out_of_time | not)'
  # Nobody said that eight are too many, and the message says so.
  "$TOFA" remap "${crowded[@]}" --format json | jq -e '.moves == 0'
  "$TOFA" remap "${crowded[@]}" 2>&1 >hosts | grep -q -- 'add --slots N'
}

@test "a gained node takes as many ranks as the fullest" {
  printf 'n000\nn000\nn001\nn001\nn002\n' >pairs
  printf '%%%%MatrixMarket matrix coordinate integer general\n5 5 1\n1 2 9\n' >five.mtx
  "$TOFA" remap --graph five.mtx --topology "$cases/torus-8x8x8.toml" --mapping pairs --lost n000 \
    --gained n003 --format json | jq -e '.mapping == ["n003", "n003", "n001", "n001", "n002"]'
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

# fake_sinfo LINES...: what Slurm answers, in `bin`. A line is `NAME CPUS STATE PARTITION`; memory, one socket of so many
# cores, and no generic resource are put in.
fake_sinfo() {
  mkdir -p bin
  printf '%s\n' "$@" | sed -E 's/^([^ ]+ ([0-9]+) [^ ]+) /\1 1000 1 \2 1 (null) /' >answer
  printf '#!/bin/sh\necho "$@" >>"%s/asked"\ncat "%s/answer"\n' "$PWD" "$PWD" >bin/sinfo
  chmod +x bin/sinfo
}

# idle ARGUMENTS...: tofa select among the nodes of that answer.
idle() { PATH=$PWD/bin:$PATH "$TOFA" select --topology "$cases/torus-8x8x8.toml" "$@"; }

@test "select asks Slurm for idle nodes and their processors" {
  fake_sinfo "n001 2 idle main*" "n002 2 idle main*" "n002 2 idle other" "n003 4 idle~ main*" \
    "elsewhere 2 idle main*" "n004 2 drained main*" "n005 2 idle* main*" "n006 9 idle other"
  idle -n 8 --json | jq -e '.candidates == 3 and .node_count == 3 and .nodes == "n[001-003]"'
  idle -n 3 -c2 --format hostfile | sort | paste -sd ' ' | grep -qx 'n001 n002 n003\|n00. n003 n003'
  idle -n 3 --slots 1 | grep -qx 'n\[001-003\]'
  idle -n 3 --ntasks-per-node 1 | grep -qx 'n\[001-003\]'
  run idle -n 5 --exclude n003
  [ "$status" -ne 0 ]
  [[ $output == *"5 ranks need as many slots, but Slurm's 2 idle nodes have 4"* ]]
  run idle -n 1 -c5
  [[ $output == *"no node that it is idle"* ]]
  fake_sinfo "n001 2 idle main" "n006 9 idle main"
  idle -n 9 -p main --json | jq -e '.candidates == 2'
  grep -q -- '--partition=main' asked
}

@test "select: nodes whose last job is completing are for jobs that do not fit elsewhere" {
  fake_sinfo "n001 2 completing main*" "n002 2 idle main*" "n003 2 allocated+ main*" "n004 2 completing* main*"
  idle -n 2 | grep -qx n002
  idle -n 3 | grep -qx 'n\[002,001\]'
  idle -n 2 -N 2 | grep -qx 'n\[002,001\]'
  run idle -n 5
  [ "$status" -ne 0 ]
  # Who starts a job at once waits for them, but not for long, and leaves it to Slurm then.
  run idle -n 3 --best-effort
  [ "$status" -ne 0 ]
  rm asked
  (until grep -q states asked 2>/dev/null; do sleep 0.01; done; sed -i 's/ completing / idle /' answer) 3>&- &
  idle -n 3 --best-effort | grep -qx 'n\[001-002\]'
}

@test "select: exactly so many nodes, good ones, evenly" {
  printf 'n000 0.2\n' >outages
  for count in 1 3 5 12; do
    "$TOFA" select "${job[@]}" --nodes 'n[000-063]' --slots 12 -N "$count" --outages outages --json >report
    jq -e --argjson count "$count" '.node_count == $count and .chosen.abort_probability == 0 and
      (.mapping | length) == 12 and (.mapping | unique | length) == $count and
      (.mapping | group_by(.) | map(length) | max - min <= 1)' report
  done
  "$TOFA" select "${job[@]}" --nodes 'n[000-063]' -N 100 | grep -q .
  # Only n001 and n009 together have room.
  "$TOFA" select "${job[@]}" --nodes 'n[000-063],n001,n001,n001,n001,n001,n009,n009,n009,n009,n009' -N 2 | grep -qx 'n\[001,009\]'
  run "$TOFA" select "${job[@]}" --nodes 'n[000-063]' -N 3
  [ "$status" -ne 0 ]
  [[ $output == *"do not fit on 3 nodes"* ]]
}

@test "select: without a topology, partners share nodes" {
  "$TOFA" select --graph "$cases/irregular12" --nodes 'a[0-9]' --slots 4 --json >report
  jq -e '.node_count == 3 and .chosen.hop_bytes <= .default.hop_bytes' report
}

@test "select: names are those that Slurm uses" {
  fake_sinfo "n001 1 idle main*" "n002 1 idle main*"
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "n[000-003].cluster.example"\n' >ring.toml
  PATH=$PWD/bin:$PATH "$TOFA" select -n 2 --topology ring.toml --json |
    jq -e '.nodes == "n[001-002]" and (.mapping | sort) == ["n001", "n002"]'
}

@test "select: sinfo fails" {
  fake_sinfo nonsense
  run idle -n 2
  [ "$status" -eq 1 ]
  [[ $output == *'sinfo answered "nonsense"'* ]]
  printf '#!/bin/sh\necho "slurm_load_partitions: nobody there" >&2\nexit 1\n' >bin/sinfo
  run idle -n 2
  [ "$status" -eq 1 ]
  [[ $output == *"nobody there"*"--nodes"* ]]
}

@test "select: mistakes are explained" {
  refused select --topology "$cases/torus-8x8x8.toml" --nodes 'n[000-063]'
  [[ $output == *"how many ranks"* ]]
  refused select "${job[@]}" -n 13 --nodes 'n[000-063]'
  [[ $output == *"has 12 ranks, not 13"* ]]
  refused select "${job[@]}" -c 2 --nodes 'n[000-063]'
  refused select "${job[@]}" --json --format nodes
  run "$TOFA" select "${job[@]}" --nodes 'n[000-063]' --exclude 'n[000-063]'
  [[ $output == *"no node is left"* ]]
  run "$TOFA" select "${job[@]}" --nodes 'x[000-063]'
  [[ $output == *'"x000" of --nodes is not in the topology'* ]]
}

@test "mappings and machines may come from pipes" {
  "$TOFA" evaluate "${job[@]}" --mapping hosts >file
  "$TOFA" evaluate "${job[@]}" --mapping <(cat hosts) | diff file -
  "$TOFA" evaluate "${job[@]}" --mapping /dev/stdin < <(cat hosts) | diff file -
  "$TOFA" remap "${job[@]}" --mapping <(cat hosts) --gained n100 2>summary | diff hosts -
  "$TOFA" report "${job[@]}" --mapping <(cat hosts) -o page.html
  "$TOFA" picture "${job[@]}" --mapping <(cat hosts) -o picture.svg
  machine=$TOFA_FIXTURES/machines/two-packages.xml
  "$TOFA" map "${job[@]}" --nodes 'n[000-003]' --slots 3 --machine "$machine" --format rankfile >file
  "$TOFA" map "${job[@]}" --nodes 'n[000-003]' --slots 3 --machine <(cat "$machine") --format rankfile | diff file -
}


@test "names of files that are no UTF-8 keep no JSON back" {
  name=$'caf\xe9.mtx'
  cp "$cases/irregular12.bytes.mtx" "$name"
  for command in "map" "remap --mapping hosts" "select --nodes n[000-063]"; do
    # shellcheck disable=SC2086
    "$TOFA" $command --graph "$name" --topology "$cases/torus-8x8x8.toml" --format json |
      jq -e '(.mapping | length) == 12 and (.inputs.graph | contains("caf\ufffd.mtx"))'
  done
}

@test "select: --exclude goes by either name of a host, and a name that nobody knows is worth a warning" {
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "n[0-3].cluster"\n' >ring.toml
  ring() { "$TOFA" select -n 2 --topology ring.toml "$@"; }
  [ "$(ring --nodes 'n[0-2]' -x n0.cluster 2>warnings)" = 'n[1-2]' ]
  [ "$(ring --nodes 'n0.cluster,n1.cluster,n2.cluster' -x n0 2>>warnings)" = 'n1.cluster,n2.cluster' ]
  ring --nodes 'n[0-2]' -x n3 2>>warnings
  "$TOFA" select -n 2 --nodes 'a[0-2]' -x 'a0' 2>>warnings | grep -qx 'a\[1-2\]'
  run grep warning warnings
  [ "$output" = '' ]
  ring --nodes 'n[0-2]' -x 'n0,n[8-9]' 2>warnings
  grep -q '^tofa: warning: --exclude names n\[8-9\], which are no nodes to choose from and not in the topology' warnings
  "$TOFA" select -n 2 --nodes 'a[0-2]' -x 'a9' 2>&1 | grep -q 'warning: --exclude names a9,'
  # Who starts a job passes on what the user said of the whole cluster.
  ring --nodes 'n[0-2]' -x n9 --best-effort 2>warnings
  run grep exclude warnings
  [ "$output" = '' ]
  # Without a topology, busy nodes are not known.
  fake_sinfo "n001 2 idle main*" "n002 2 idle main*"
  PATH=$PWD/bin:$PATH SLURM_TOPOLOGY=$PWD/none SLURM_CONF=$PWD/none "$TOFA" select -n 2 -x n003,n001 2>warnings | grep -qx n002
  run grep exclude warnings
  [ "$output" = '' ]
}
