#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Where ranks are not to be reordered, or cannot be, programs get what they get without the component, and hear nothing
# of it.

# shellcheck disable=SC2154,SC2034  # variables that the support file sets or reads
load support

@test "without reorder, ranks stay" {
  for call in "cart 0 2x4" "graph 0" "dist 0" "uneven 0"; do
    # shellcheck disable=SC2086  # several words
    make $call
    [[ "$in_order" == "$(ranks)"* ]]
    silent
  done
}

@test "trouble: the reason is told with topo_tofa_verbose" {
  ring 5 >small.toml # lacks fk05
  ring 6 >ring.toml
  echo 'kind = ' >broken.toml
  while read -r -u 9 parameter value reason; do
    network=(--mca topo_tofa_topology "$PWD/ring.toml")
    [[ $parameter != topology ]] || network=()
    job "${network[@]}" --mca "topo_tofa_$parameter" "$value" --mca topo_tofa_verbose 1 -n 12 "$program" adjacent 1
    expect_in_order
    told "ranks stay: $reason"
  done 9<<END
topology small.toml host "fk05" is not in the topology; add it
topology broken.toml broken.toml:1
topology nowhere.toml nowhere.toml:
effort much topo_tofa_effort: unknown effort "much"
max_edges 23 24 edges are more than topo_tofa_max_edges = 23
END
}

@test "trouble: without topo_tofa_verbose, nobody hears of it" {
  job --mca topo_tofa_topology nowhere.toml -n 12 "$program" cart 1 3x4
  expect_in_order
  silent
}

# without LACK FIRST COUNT CALL...: `count` of the 12 ranks, from the first one, run with LACK in their environment.
without() {
  local lack=$1 first=$2 count=$3 parts=()
  shift 3
  ((first == 0)) || parts+=(-n "$first" "$program" "$@" :)
  parts+=(-n "$count" env "$lack" "$program" "$@")
  ((first + count == 12)) || parts+=(: -n $((12 - first - count)) "$program" "$@")
  # shellcheck disable=SC2086  # several words
  job --mca topo_tofa_topology "$PWD/ring.toml" ${options:-} "${parts[@]}"
}

# Not MPI_Dist_graph_create: Open MPI's own topo/treematch ends programs where it does not know the nodes' numbers.
@test "some processes lack the component, or do not want it: all do without" {
  ring 6 >ring.toml
  while read -r -u 9 lack first count call; do
    # shellcheck disable=SC2086  # several words
    without "$lack" "$first" "$count" $call
    expect_in_order
    silent
  done 9<<END
OMPI_MCA_mca_base_component_path=$stock_components 8 4 cart 1 4x3
OMPI_MCA_mca_base_component_path=$stock_components 0 1 cart 1 4x3
OMPI_MCA_topo=^tofa 5 1 graph 1
OMPI_MCA_topo_tofa_reorder=0 0 2 graph 1
OMPI_MCA_topo_tofa_reorder=0 3 2 chain 1 6x2
OMPI_MCA_mca_base_component_path=$stock_components 1 11 adjacent 1
END
}

@test "where processes must ask each other what they have, they are reordered, too" {
  options="--mca pmix_base_collect_data 0 --mca topo_tofa_verbose 1 --mca topo_tofa_ask 30 --mca topo_tofa_wait 45"
  make cart 1 4x3
  told "ranks reordered"
  expect_gain grid:4x3
}

@test "where processes must ask each other what they have, and some lack the component, all do without" {
  ring 6 >ring.toml
  options="--mca pmix_base_collect_data 0"
  while read -r -u 9 first count call; do
    # shellcheck disable=SC2086  # several words
    without "OMPI_MCA_mca_base_component_path=$stock_components" "$first" "$count" $call
    expect_in_order
  done 9<<END
0 1 cart 1 4x3
5 2 graph 1
11 1 chain 1 6x2
END
}

@test "rank 0 does not wait for ever for a process that is late, and that one does without, too" {
  for rank in 1 11; do
    options="--mca topo_tofa_wait 0 --mca topo_tofa_verbose 1 -x TOFA_TEST_LATE=$rank"
    make cart 1 4x3
    expect_in_order
    told "a process has not come to this call within topo_tofa_wait seconds"
  done
}

@test "a job ends when a process dies before the others are reordered" {
  for rank in 0 7; do
    options="-x TOFA_TEST_DIES=$rank"
    status=0
    make cart 1 4x3 || status=$?
    ((status != 0 && status != 124)) || same "an end by itself" "$status"
    grep -q 'exited on signal 9' err || same "what mpirun tells of the end" "$(cat err)"
  done
}

@test "on one host nothing is done" {
  hosts 1 12 >hostfile
  for call in "cart 1 4x3" "adjacent 1"; do
    # shellcheck disable=SC2086  # several words
    job --mca topo_tofa_verbose 1 -n 12 "$program" $call
    same 12 "$(ranks | wc -w)"
    silent
  done
}
