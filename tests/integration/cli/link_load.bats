#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What other jobs put on the links: said by a file, asked about by `tofa topology query`, followed by placements.

# shellcheck disable=SC2154  # status and output, which bats sets
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH TOFA_LINK_LOAD
  export TOFA_SITE_FILE=$PWD/site.toml SLURM_CONF=$PWD/none
  printf '[topology]\nkind = "torus"\nshape = [4, 4]\nnodes = "n[00-15]"\nbandwidth = 8e9\n' >torus.toml
  printf 'n00 n01 6e9 50\nn01 n00 6e9\n' >load.txt
  # Ranks 0 and 1 talk.
  printf '%%%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 2 1000000\n2 1 1000000\n' >app.bytes.mtx
}

# value KEY: of the JSON in $output.
value() { jq -r ".$1" <<<"$output"; }

@test "a query says what is left of each link" {
  run -0 "$TOFA" topology query n00 n02 --topology torus.toml --link-load load.txt
  [[ $(value hops) == 2 && $(value bandwidth_left) == 2000000000 && $(value stalls) == 50 && $(value cost) == 5 ]]
  [[ $(value 'links[0].cost') == 4 && $(value 'links[1].cost') == 1 ]]
  run -0 "$TOFA" topology query n00 n02 --topology torus.toml --link-load load.txt --over-route max --reduce sum
  [[ $(value bandwidth_left) == 10000000000 && $(value cost) == 4 ]]
  run -0 "$TOFA" topology query n00 n02 --topology torus.toml --link-load load.txt --pair-cost stalls
  [[ $(value cost) == 3 ]]
}

@test "where nobody measured stalls, a query is answered by what is left, as ranks are placed" {
  printf 'n00 n01 6e9\n' >load.txt
  run -0 --separate-stderr "$TOFA" topology query n00 n02 --topology torus.toml --link-load load.txt --pair-cost stalls
  [[ $(value cost) == 5 && $(value 'links[0].cost') == 4 ]]
  [[ $stderr == *'nobody says how long links are stalled'* ]]
}

@test "the environment and the site file name the source, too" {
  TOFA_LINK_LOAD=load.txt run -0 "$TOFA" topology query n00 n01 --topology torus.toml
  [[ $(value cost) == 4 ]]
  printf 'link_load = "load.txt"\n' >site.toml
  run -0 "$TOFA" topology query n00 n01 --topology torus.toml
  [[ $(value cost) == 4 ]]
  run -0 "$TOFA" topology query n00 n01 --topology torus.toml --pair-cost hops
  [[ $(value cost) == 1 ]]
}

@test "pairs of a file are answered line by line" {
  printf '# two\nn00 n01\n\nn05 n05\n' >pairs
  run -0 "$TOFA" topology query --pairs pairs --topology torus.toml --link-load load.txt
  [[ ${#lines[@]} == 2 ]]
  [[ ${lines[1]} == '{"from":"n05","to":"n05","hops":0,"bandwidth_left":0,"stalls":0,"cost":0}' ]]
  printf 'n00 n01\nn00\n' >pairs
  run -2 "$TOFA" topology query --pairs pairs --topology torus.toml
  [[ $output == *"pairs:2: "* ]]
  printf 'n00 n99\n' >pairs
  run -2 "$TOFA" topology query --pairs pairs --topology torus.toml
  [[ $output == *'pairs:1: node "n99" is not in the topology'* ]]
  run -2 "$TOFA" topology query n00 --topology torus.toml
  run -2 "$TOFA" topology query --topology torus.toml
}

@test "a placement avoids links that others use" {
  run -0 --separate-stderr "$TOFA" map --graph app --topology torus.toml --nodes 'n[00-02,04]' --link-load load.txt
  [[ $output != *n00*n01* && $output != *n01*n00* ]]
  printf 'n%s\n' 00 01 >hosts
  "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts --json >free
  "$TOFA" evaluate --graph app --topology torus.toml --mapping hosts --json --link-load load.txt >busy
  [[ $(jq .max_link_load free) == 1000000* && $(jq .max_link_load busy) == 4000000* ]]
}

@test "a source that fails is a warning, or an error where it was asked for" {
  printf 'n00 n01 much\n' >garbled
  run -2 "$TOFA" map --graph app --topology torus.toml --link-load garbled
  [[ $output == *'garbled:1: line "n00 n01 much" is not'* ]]
  run -2 "$TOFA" map --graph app --topology torus.toml --link-load missing
  for source in garbled missing; do
    TOFA_LINK_LOAD=$source run -0 --separate-stderr "$TOFA" map --graph app --topology torus.toml
    [[ ${#lines[@]} == 2 ]]
    # shellcheck disable=SC2154
    [[ $stderr == *"tofa: warning: $source"*"(named by TOFA_LINK_LOAD); all links are taken to be free"* ]]
    run -0 --separate-stderr "$TOFA" map --graph app --topology torus.toml --best-effort --link-load "$source"
    [[ ${#lines[@]} == 2 && $stderr == *"all links are taken to be free"* ]]
  done
  printf 'n00 n02 5\n' >strangers
  TOFA_LINK_LOAD=strangers run -0 --separate-stderr "$TOFA" map --graph app --topology torus.toml
  [[ $stderr == *"about no link of the topology"* ]]
}

@test "what is of a time to come is not used, and links that a mesh lacks are unknown" {
  now=$(date +%s)
  printf 'Time,from,to,bytes_per_second\n%s,n00,n01,6e9\n%s,n01,n02,6e9\n' "$now" $((now + 86400)) >load.csv
  run -0 --separate-stderr "$TOFA" topology query n00 n02 --topology torus.toml --link-load load.csv
  [[ $(value 'links[0].cost') == 4 && $(value 'links[1].cost') == 1 ]]
  [[ $stderr == *"load.csv: 1 measurements are of a time to come and not used"* ]]
  printf '[topology]\nkind = "mesh"\nshape = [4]\nnodes = "n[0-3]"\nbandwidth = 8e9\n' >mesh.toml
  printf 'n3 n0 90%%\nn0 n1 50%%\n' >load.txt
  run -0 --separate-stderr "$TOFA" map --graph app --topology mesh.toml --link-load load.txt --format json
  [[ $(value inputs.topology) == *"load of 1 links from load.txt"* ]]
  [[ $stderr == *"load.txt: 1 measurements are about no link of the topology"* ]]
  printf 'n3 n0 90%%\n' >load.txt
  run -1 "$TOFA" map --graph app --topology mesh.toml --link-load load.txt
  [[ $output == *"is about no link of the topology (mesh 4), e.g. n3 to n0"* ]]
}
