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
    options=(--mca topo_tofa_topology "$PWD/ring.toml")
    [[ $parameter != topology ]] || options=()
    job "${options[@]}" --mca "topo_tofa_$parameter" "$value" --mca topo_tofa_verbose 1 -n 12 "$program" adjacent 1
    expect_in_order
    told "ranks stay: $reason"
  done 9<<END
topology small.toml host "fk05" is not in the topology; add it
topology broken.toml broken.toml:1
topology nowhere.toml nowhere.toml:
effort much topo_tofa_effort: unknown effort "much"
max_edges 23 24 edges are more than topo_tofa_max_edges = 23
reorder 0 topo_tofa_reorder is 0
END
}

@test "trouble: without topo_tofa_verbose, nobody hears of it" {
  job --mca topo_tofa_topology nowhere.toml -n 12 "$program" cart 1 3x4
  expect_in_order
  silent
}

# Not MPI_Dist_graph_create: Open MPI's own topo/treematch ends programs where it does not know the nodes' numbers.
@test "some processes lack the component, or do not want it: all do without" {
  ring 6 >ring.toml
  while read -r -u 9 lack call; do
    # shellcheck disable=SC2086  # several words
    job --mca topo_tofa_topology "$PWD/ring.toml" -n 8 "$program" $call : -n 4 env "$lack" "$program" $call
    expect_in_order
  done 9<<END
OMPI_MCA_mca_base_component_path=$stock_components cart 1 4x3
OMPI_MCA_topo=^tofa graph 1
OMPI_MCA_mca_base_component_path=$stock_components adjacent 1
END
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
