#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The tofa command: what it prints, that what it writes reads back, and that every mistake gets exit status 2 and a
# message with file, line, reason and remedy. Needs TOFA (the program) and TOFA_FIXTURES.
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset SLURM_JOB_ID TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH TOFA_MACHINE
  export TOFA_SITE_FILE=$PWD/site.toml
  printf '[topology]\nkind = "torus"\nshape = [2, 2]\nnodes = "n[0-3]"\n' >torus.toml
  # 0 talks to 3, 1 talks to 2.
  printf '%%%%MatrixMarket matrix coordinate integer general\n4 4 4\n1 4 100\n4 1 100\n2 3 50\n3 2 50\n' >app.bytes.mtx
}

refused() {
  run "$TOFA" "$@"
  echo "$output"
  [ "$status" -eq 2 ]
}

@test "map writes one host per rank" {
  run "$TOFA" map --graph app --topology torus.toml --mapper linear
  [ "$status" -eq 0 ]
  [ "$output" = $'n0\nn1\nn2\nn3' ]
}

@test "map puts partners side by side" {
  "$TOFA" map --graph app --topology torus.toml -o hosts
  run "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts
  [[ $output == *"average hops per byte  1.000"* ]]
}

@test "map fills nodes that have several slots, and a host named twice has twice the slots" {
  "$TOFA" map --graph app --topology torus.toml --nodes n1,n2 --slots 2 -o hosts
  [ "$(sort hosts | uniq -c | tr -s ' ' | paste -sd,)" = " 2 n1, 2 n2" ]
  [ "$(sed -n 1p hosts)" = "$(sed -n 4p hosts)" ]
  "$TOFA" map --graph app --topology torus.toml --nodes n1,n2,n1,n2 -o twice
  diff hosts twice
}

@test "allocated nodes are enough to map, with a note that no topology was given" {
  "$TOFA" map --graph app --nodes 'a[0-1]' --slots 2 -o hosts 2>err
  [ "$(sed -n 1p hosts)" = "$(sed -n 4p hosts)" ]
  [ "$(cat err)" = "tofa: no topology given; all nodes are taken to be equally far apart" ]
  refused map --graph app
  [[ $output == *"no topology; name its file, or set TOFA_TOPOLOGY"* ]]
}

@test "without a topology, Slurm's topology.conf is used if it has all nodes" {
  mkdir etc
  printf 'SwitchName=s0 Nodes=a[0-1]\nSwitchName=s1 Nodes=a[2-3]\nSwitchName=top Switches=s[0-1]\n' >etc/topology.conf
  export SLURM_CONF=$PWD/etc/slurm.conf
  "$TOFA" map --graph app --nodes 'a[0,2,1,3]' -o hosts 2>err
  [ "$(cat err)" = "tofa: no topology given; $PWD/etc/topology.conf is used" ]
  "$TOFA" evaluate --graph app --mapping hosts --json >with
  "$TOFA" evaluate --graph app --mapping hosts --json --topology etc/topology.conf | diff with -
  "$TOFA" map --graph app --nodes 'a[0,4]' --slots 2 -o hosts 2>err
  grep -q 'topology.conf: lacks node "a4" .*named by Slurm.*; all nodes are taken to be equally far from each other' err
  SLURM_TOPOLOGY=$PWD/none "$TOFA" map --graph app --nodes 'a[0,4]' --slots 2 -o hosts 2>err
  grep -q 'none: .*all nodes are taken' err
}

@test "hostfile, rankfile and JSON read back as the same mapping" {
  local format
  for format in hostfile rankfile json; do
    "$TOFA" map --graph app --topology torus.toml --format $format -o "mapping.$format"
    "$TOFA" evaluate --graph app --topology torus.toml --mapping "mapping.$format" --json >"metrics.$format"
    diff metrics.hostfile "metrics.$format"
  done
  grep -qx 'rank 2=n[0-3] slot=0' mapping.rankfile
}

@test "a machine puts partners of a node on neighbouring cores" {
  "$TOFA" map --graph app --topology torus.toml --nodes n0 --slots 4 --machine "package:2 core:2" --format rankfile -o ranks
  # 0 talks to 3, 1 talks to 2.
  diff ranks - <<<$'rank 0=n0 slot=0\nrank 1=n0 slot=2\nrank 2=n0 slot=3\nrank 3=n0 slot=1'
  "$TOFA" map --graph app --topology torus.toml --nodes n0 --slots 4 --format rankfile -o ranks
  diff ranks - <<<$'rank 0=n0 slot=0\nrank 1=n0 slot=1\nrank 2=n0 slot=2\nrank 3=n0 slot=3'
  local machine=$TOFA_FIXTURES/machines/two-packages.xml
  "$TOFA" map --graph app --topology torus.toml --nodes n0 --slots 4 --machine "$machine" --cores-per-rank 2 \
    --format rankfile -o ranks
  diff ranks - <<<$'rank 0=n0 slot=0-1\nrank 1=n0 slot=4-5\nrank 2=n0 slot=6-7\nrank 3=n0 slot=2-3'
  "$TOFA" map --graph app --topology torus.toml --nodes n0 --slots 4 --machine "$machine" --cores-per-rank 2 \
    --format json | jq -e '.slot == [0, 4, 6, 2] and .cores_per_rank == 2'
  printf 'machine = "%s"\n' "$machine" >site.toml
  "$TOFA" map --graph app --topology torus.toml --nodes n0 --slots 4 --cores-per-rank 2 --format rankfile | diff ranks -
  run "$TOFA" map --graph app --topology torus.toml --nodes n0 --slots 4 --machine "core:7" --cores-per-rank 2 --format json
  [ "$status" -eq 1 ]
  [[ $output == *'node "n0" gets 4 ranks with 2 cores each, but machine "core:7" has room for 3'* ]]
  refused map --graph app --topology torus.toml --machine missing.xml --format rankfile
  [[ $output == *'machine "missing.xml": there is no such file'* ]]
}

@test "ranks get nodes with the resources they need" {
  printf '[[node]]\nname = "n2"\ngres = { fpga = 1 }\n' >>torus.toml
  "$TOFA" map --graph app --topology torus.toml --mapper linear --bind-gres fpga:1 | diff - <(printf 'n0\nn2\nn1\nn3\n')
  "$TOFA" map --graph app --topology torus.toml --bind-gres fpga:0 -o hosts
  [ "$(sed -n 1p hosts)" = n2 ]
  "$TOFA" map --graph app --topology torus.toml --nodes n[1-2] --slots 2 --bind-gres fpga=1 -o hosts
  grep -qx n2 hosts
  run "$TOFA" map --graph app --topology torus.toml --bind-gres fpga:0-1
  [ "$status" -eq 1 ]
  [[ $output == *'2 ranks need resource "fpga", but the nodes of the allocation have room for 1 of them (n2: 1)'* ]]
  refused map --graph app --topology torus.toml --bind-gres fpga:x
}

@test "virtual hosts are where their host is and fail with it" {
  printf '[[host]]\nname = "vm[1-2]"\non = "n3"\n' >>torus.toml
  "$TOFA" topology show torus.toml vm1 n0 | grep -q '^2 hops: vm1 >'
  printf 'vm1\nvm2\nn3\nn3\n' >hosts
  printf 'n3 0.25\n' >outages
  "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts --outages outages --json |
    jq -e '.hop_bytes == 0 and .abort_probability == 0.25'
  "$TOFA" map --graph app --topology torus.toml --nodes n0,vm[1-2] --slots 2 --outages outages -o hosts
  [ "$(grep -c n0 hosts)" -eq 2 ]
  # Only hosts of the network are used when no others are named.
  "$TOFA" map --graph app --topology torus.toml | sort | diff - <(printf 'n0\nn1\nn2\nn3\n')
}

@test "nodes that are named by several options are one list" {
  local lists=(--nodes n2 --nodes 'n[1,3]' --nodes n2)
  "$TOFA" map --graph app --topology torus.toml "${lists[@]}" >several
  "$TOFA" map --graph app --topology torus.toml --nodes 'n2,n[1,3],n2' | diff - several
  [ "$(grep -c n2 several)" -eq 2 ]
  "$TOFA" select --graph app --topology torus.toml "${lists[@]}" --format hostfile | sort | diff - <(sort several)
}

@test "JSON names chosen and default" {
  "$TOFA" map --graph app --topology torus.toml --format json >report
  jq -e '.default.average_hops_per_byte == 2 and .average_hops_per_byte == 1 and (.mapping | length) == 4
         and .mapper == "auto" and .elapsed_seconds >= 0 and .max_link_load <= .default.max_link_load' report
}

@test "evaluate prints all metrics" {
  printf 'n0\nn1\nn2\nn3\n' >hosts
  printf 'n1 0.5\n' >outages
  run "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts --outages outages --json
  [ "$output" = '{
  "ranks": 4,
  "bytes": 300,
  "hop_bytes": 600.0,
  "average_hops_per_byte": 2.0,
  "dilation": 2,
  "max_link_load": 100.0,
  "completion_time": 9800.0,
  "fault_weighted_cost": 30600.0,
  "abort_probability": 0.5,
  "nodes_used": 4
}' ]
}

@test "suspect hosts are avoided, with outages as lines and as JSON" {
  printf 'n3 0.1\n' >lines
  printf '{"version": 1, "nodes": [{"host": "n3", "probability": 0.1, "age": 1.0}]}' >json
  local file
  for file in lines json; do
    "$TOFA" map --graph app --topology torus.toml --slots 2 --outages $file -o hosts
    run "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts --outages $file --json
    jq -e ".abort_probability == 0" <<<"$output"
  done
}

@test "with a horizon, hosts that fail often are avoided" {
  printf 'n3 0 1 0.5\nn2 0 1 0.0001\n' >outages
  local horizon
  for horizon in 3600 60m 1h 1:00:00 0-1; do
    run "$TOFA" map --graph app --topology torus.toml --slots 2 --outages outages --horizon $horizon -o hosts
    [[ $status == 0 ]]
    run grep -x n3 hosts
    [[ $status == 1 ]]
  done
  printf 'n0 0 1 0.0001\n' >outages
  "$TOFA" map --graph app --topology torus.toml --mapper linear -o hosts
  run "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts --outages outages --horizon 1d --json
  jq -e ".abort_probability > 0.002 and .abort_probability < 0.003" <<<"$output"
  run "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts --outages outages --json
  jq -e ".abort_probability == 0" <<<"$output"
  refused map --graph app --topology torus.toml --outages outages --horizon soon
  [[ $output == *'"soon" is not a time, such as'* ]]
}

@test "within a job of Slurm the horizon is its time left" {
  printf 'n3 0 1 0.5\n' >outages
  mkdir bin
  printf '#!/bin/sh\necho 7 1:00:00\n' >bin/squeue
  chmod +x bin/squeue
  place() { PATH=$PWD/bin:$PATH "$TOFA" map --graph app --topology torus.toml --slots 4 --outages outages "$@"; }
  # Without a horizon n3 is as good as others: it is used when it comes first.
  run place --nodes n3,n0
  [[ $output == *n3* ]]
  export SLURM_JOB_ID=7
  run place --nodes n3,n0
  [[ $status == 0 && $output != *n3* ]]
  run place --nodes n3,n0 --horizon 0
  [[ $output == *n3* ]]
}

@test "environment and site file give defaults" {
  TOFA_TOPOLOGY=torus.toml "$TOFA" map --graph app -o from-environment
  printf 'topology = "%s/torus.toml"\n' "$PWD" >site.toml
  "$TOFA" map --graph app -o from-site-file
  diff from-environment from-site-file
}

@test "the papers' cases: not worse than linear, greedy and scotch, a quarter below scotch on cg64 and dt85bh" {
  local case mapper
  hops() {
    "$TOFA" map --graph "$TOFA_FIXTURES/cases/$1" --topology "$TOFA_FIXTURES/cases/torus-8x8x8.toml" --mapper "$2" \
      --objective hop-bytes --format json | jq .average_hops_per_byte
  }
  for case in cg64 dt85bh lmp64 rgg512 s2d512n_sh s3d512p; do
    for mapper in linear greedy scotch; do
      jq -ne "$(hops $case auto) <= $(hops $case $mapper)"
    done
  done
  for case in cg64 dt85bh; do jq -ne "$(hops $case auto) <= 0.75 * $(hops $case scotch)"; done
}

@test "graph info, convert and back" {
  "$TOFA" graph info app | grep -q 'ranks  *4'
  "$TOFA" graph convert app -o app.grf
  "$TOFA" graph convert app.grf -o back.mtx
  "$TOFA" map --graph back.mtx --topology torus.toml --mapper linear --format json | jq -e '.bytes == 300'
}

@test "heatmap is SVG that names its axes" {
  "$TOFA" heatmap --graph app -o app.svg
  grep -q '<svg' app.svg
  grep -q 'sender rank' app.svg
  grep -q 'receiver rank' app.svg
  refused heatmap --graph app -o app.jpg
}

@test "heatmap: messages beside bytes, scales, nodes, a title" {
  printf '%%%%MatrixMarket matrix coordinate integer general\n%%tofa {"quantity": "messages"}\n4 4 1\n1 2 7\n' >app.messages.mtx
  for graph in app app.bytes.mtx app.messages.mtx; do
    "$TOFA" heatmap "$graph" --unit messages -o - >messages.svg
    grep -q '7 messages in total' messages.svg
    "$TOFA" heatmap "$graph" --unit bytes -o - >bytes.svg
    grep -q 'bytes sent, log scale' bytes.svg
  done
  cp app.bytes.mtx alone.mtx
  refused heatmap alone.mtx --unit messages
  [[ $output == "tofa: alone.mtx: counts no messages, and there is no such file with .messages.mtx at its end"* ]]
  "$TOFA" heatmap app --scale linear --title 'a & b' -o - >linear.svg
  grep -q 'bytes sent, linear scale' linear.svg
  grep -q '<title>a &amp; b</title>' linear.svg
  refused heatmap app --scale cubic
  printf 'x1\nx0\nx1\nx0\n' >hosts
  "$TOFA" heatmap app --mapping hosts -o - >nodes.svg
  grep -q 'on 2 nodes, .* % between nodes' nodes.svg
  grep -q 'sender rank, sorted by node' nodes.svg
  printf 'x1\n' >hosts
  refused heatmap app --mapping hosts
  [[ $output == "tofa: hosts: places 1 ranks, but the graph has 4" ]]
}

@test "topology check and show" {
  run "$TOFA" topology check torus.toml
  [[ $output == "torus 2x2: 4 nodes"* ]]
  run "$TOFA" topology show torus.toml n0 n3
  [ "$output" = "2 hops: n0 > n1 > n3" ]
  TOFA_TOPOLOGY=torus.toml run "$TOFA" topology show n0 n3
  [ "$output" = "2 hops: n0 > n1 > n3" ]
}

# Prints how FILE is described, where HOST is, and the route from HOST to OTHER.
shown() {
  "$TOFA" topology check "$1"
  "$TOFA" topology show "$1" "$2"
  "$TOFA" topology show "$1" "$2" "$3"
}

@test "topology check and show take the topology that Slurm has" {
  printf 'SwitchName=s0 Nodes=a[0-1]\nSwitchName=s1 Nodes=b[0-1]\nSwitchName=top Switches=s[0-1]\n' >slurm.conf
  export SLURM_TOPOLOGY=$PWD/slurm.conf
  "$TOFA" topology check | grep -q '4 nodes'
  "$TOFA" topology show a1 | grep -q '^a1'
  "$TOFA" topology show a0 b1 | grep -q '^4 hops: a0 > s0 > top > s1 > b1$'
  refused topology show missing.toml a0 b1
  [[ $output == *missing.toml* ]]
  for action in check show; do "$TOFA" topology $action --help | tr -s ' \n' ' ' | grep -q "then Slurm's"; done
}

@test "topology check and show know trees" {
  run shown "$TOFA_FIXTURES/trees/binary8.conf" c0 c6
  [ "$output" = "tree of 7 switches on 3 levels: 8 nodes, 15 vertices
c0 top/half0/pair0
6 hops: c0 > pair0 > half0 > top > half1 > pair3 > c6" ]
}

@test "topology check and show know fat trees, dragonflies and graphs" {
  printf '[topology]\nkind = "fat-tree"\ndown = [4, 4]\nup = [1, 2]\nnodes = "n[00-15]"\n' >fat-tree.toml
  run shown fat-tree.toml n01 n15
  [ "$output" = "fat-tree 4x4 up 1x2 parallel 1x1: 16 nodes, 22 vertices
n01 [0,1]
4 hops: n01 > switch-1-0 > switch-2-1 > switch-1-3 > n15" ]
  printf '[topology]\nkind = "dragonfly"\ngroups = 3\nrouters = 2\nnodes_per_router = 1\nnodes = "n[0-5]"\n' >dragonfly.toml
  run shown dragonfly.toml n0 n5
  [ "$output" = "dragonfly of 3 groups with 2 routers with 1 nodes and 1 global links: 6 nodes, 12 vertices
n0 router-0-0
5 hops: n0 > router-0-0 > router-0-1 > router-2-0 > router-2-1 > n5" ]
  printf '[topology]\nkind = "graph"\nnodes = "n[0-2]"\nswitches = "s"\n[[link]]\nends = ["s", "n[0-1]"]
[[link]]\nends = ["s", "n2"]\nlength = 2\n' >graph.toml
  run shown graph.toml n0 n2
  [ "$output" = "graph of 1 switches and 3 cables: 3 nodes, 5 vertices
n0 - s
3 hops: n0 > s > s~n2+1 > n2" ]
  printf '[topology]\nkind = "graph"\nnodes = "n[0-2]"\nswitches = "s"\n[[link]]\nends = ["s", "n[0-1]"]\n' >graph.toml
  refused topology check graph.toml
  [[ $output == *'graph.toml:1: nodes "n0" and "n2" are not connected'* ]]
}

# The worked examples of Georgiou et al., Topology-aware job mapping (2018).
@test "map is as good as TreeMatch on trees" {
  cd "$TOFA_FIXTURES/trees" || return 1
  hop_bytes() {
    "$TOFA" map --graph "$1" --topology "$2" --nodes "$3" --objective hop-bytes --time-limit 1 --format json | jq .hop_bytes
  }
  [ "$(hop_bytes four_processes binary8.conf 'c[0-7]')" -eq 360 ]
  [ "$(hop_bytes four_processes binary8.conf 'c[0,2,4,6]')" -eq 660 ]
  [ "$(hop_bytes four_groups six_nodes.toml 'n[0-2,4-5]')" -eq 6120 ]
}

@test "mistakes in files name file, line and reason" {
  printf '%%%%MatrixMarket matrix coordinate integer general\n4 4 1\n1 5 100\n' >bad.mtx
  refused map --graph bad.mtx --topology torus.toml
  [[ $output == *bad.mtx:3:* ]]
  printf 'n1 1.5\n' >outages
  refused map --graph app --topology torus.toml --outages outages
  [[ $output == *outages:1:* ]]
  printf '[topology]\nkind = "torus"\nshape = [2, 2]\nnodes = "n[0-3"\n' >bad.toml
  refused map --graph app --topology bad.toml
  [[ $output == *bad.toml:4:* ]]
  printf 'n0\nn1\nn9\nn3\n' >hosts
  refused evaluate --graph app --topology torus.toml --mapping hosts
  [[ $output == *hosts:3:*n9* ]]
}

@test "files that pretend to be huge are refused at once" {
  printf '%%%%MatrixMarket matrix coordinate integer general\n4 4 10000000000\n1 2 1\n' >entries.mtx
  refused map --graph entries.mtx --topology torus.toml
  printf '%%%%MatrixMarket matrix coordinate integer general\n4294967295 4294967295 1\n1 2 1\n' >ranks.mtx
  refused map --graph ranks.mtx --topology torus.toml
  refused map --graph app --topology torus.toml --nodes 'n[0-99999999999]'
  truncate -s 10G sparse.mtx
  refused map --graph sparse.mtx --topology torus.toml
  head -c 4096 /dev/urandom >noise
  refused map --graph noise --topology torus.toml
  refused topology check noise
}

@test "a missing file, an empty value and a full disk are errors" {
  refused map --graph nowhere --topology torus.toml
  refused map --graph app --topology nowhere.toml
  [[ $output == *nowhere.toml:*"name a file that exists"* ]]
  refused evaluate --graph app --topology torus.toml --mapping nowhere
  refused map --graph app --topology torus.toml --nodes ""
  refused map --graph app --topology torus.toml --nodes ,
  refused map --graph app --topology torus.toml --seed -1
  TOFA_TOPOLOGY=nowhere.toml refused map --graph app
  [[ $output == *TOFA_TOPOLOGY* ]]
  run bash -c '"$TOFA" map --graph app --topology torus.toml >/dev/full'
  [ "$status" -eq 1 ]
  [[ $output == *"cannot write"* ]]
}

@test "rankfiles are read strictly" {
  printf 'rank 4294967296=n0\n' >ranks
  refused evaluate --graph app --topology torus.toml --mapping ranks
  [[ $output == *ranks:1:* ]]
  printf 'rank 99999999=n0\n' >ranks
  refused evaluate --graph app --topology torus.toml --mapping ranks
  printf 'rank 0=n0\nrank 0=n1\n' >ranks
  refused evaluate --graph app --topology torus.toml --mapping ranks
  [[ $output == *ranks:2:*second* ]]
  printf 'rank 1=n0\n' >ranks
  refused evaluate --graph app --topology torus.toml --mapping ranks
  [[ $output == *"no line for rank 0"* ]]
  printf 'n0\n' >hosts
  refused evaluate --graph app --topology torus.toml --mapping hosts
  [[ $output == *"hosts: places 1 ranks, but the graph has 4"* ]]
}

@test "bytes and messages are not merged" {
  sed 's/^%%.*/&\n%tofa {"quantity": "messages"}/' app.bytes.mtx >app.messages.mtx
  "$TOFA" graph merge app.bytes.mtx app.bytes.mtx -o twice.mtx
  "$TOFA" graph info twice.mtx --json | jq -e '.total == 600 and .quantity == "bytes"'
  refused graph merge app.bytes.mtx app.messages.mtx -o wrong.mtx
}

@test "usage errors have exit status 2, requests that cannot be met 1" {
  refused
  refused bogus
  [[ $output == *'tofa: unknown subcommand "bogus"'* ]]
  refused map
  [[ $output == 'tofa: '*--graph* ]]
  refused map --graph app --topology torus.toml --mapper best
  refused map --graph app --topology torus.toml --objective fame
  refused map --graph app --topology torus.toml --slots 0
  run "$TOFA" map --graph app --topology torus.toml --nodes n0,n1
  [ "$status" -eq 1 ]
  [[ $output == *"4 ranks need as many slots"* ]]
  run "$TOFA" map --graph app --topology torus.toml --nodes n0,x1
  [ "$status" -eq 1 ]
  [[ $output == *'"x1"'* ]]
}

@test "every subcommand has help with an example" {
  local words
  for words in map explain evaluate heatmap report graph 'graph info' 'graph convert' 'graph merge' 'graph sum' 'graph select' \
    'graph compare' 'graph recover' topology 'topology check' 'topology show' health 'health list' 'health status' \
    'health history'; do
    # shellcheck disable=SC2086  # two words are two arguments
    run "$TOFA" $words --help
    [ "$status" -eq 0 ]
    [[ $output == *Example* ]]
  done
}
