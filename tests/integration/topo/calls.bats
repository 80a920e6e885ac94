#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Calls one after another, in which processes do not all ask for the same, or that fail, or that others' messages
# pass by.

# shellcheck disable=SC2154,SC2034  # variables that the support file sets or reads
load support

failures=$build/bin/tofa-test-topology-failures

# Not MPI_Dist_graph_create: Open MPI's own topo/treematch wants all processes to pass the same.
@test "processes that pass different values of reorder get what Open MPI makes without" {
  for reorder in +0 -0 +11 -11; do
    for call in "cart $reorder 4x3" "cart $reorder 2x4" "graph $reorder" "adjacent $reorder"; do
      options="--mca topo_tofa_wait 1"
      # shellcheck disable=SC2086  # several words
      make $call
      [[ "$in_order" == "$(ranks)"* ]]
      silent
    done
  done
}

@test "after such calls, too, each call ends, and those in which all ask are reordered where rank 0 has not been let down" {
  options="--mca topo_tofa_wait 45 --mca topo_tofa_verbose 1"
  make cart -0,0,-0,1 4x3
  same 1 "$(grep -c 'ranks reordered: ' err)"
  expect_gain grid:4x3
  options="--mca topo_tofa_wait 1"
  make cart +0,-7,0,1,-0,1 4x3
  expect_in_order
}

@test "calls that do not ask leave those that do as they are" {
  options="--mca topo_tofa_wait 45 --mca topo_tofa_verbose 1"
  make cart 0,1,0,0,1,0,0,0,1 4x3
  same 3 "$(grep -c 'ranks reordered: ' err)"
  expect_gain grid:4x3
}

@test "a process without memory for the component does without, and so do the others" {
  for rank in 0 7; do
    for call in "cart 1 4x3" "graph 1" "adjacent 1"; do
      options="--mca topo_tofa_wait 1 -x LD_PRELOAD=$build/bin/tofa-test-no-memory.so -x TOFA_TEST_NO_MEMORY=$rank"
      # shellcheck disable=SC2086  # several words
      make $call
      expect_in_order
      silent
    done
  done
}

# Not where Open MPI's own macros allocate: they do not look what they get.
@test "wherever memory ends on the way, all processes do the same" {
  while read -r -u 9 rank allocations; do
    options="--mca topo_tofa_wait 1 -x LD_PRELOAD=$build/bin/tofa-test-no-memory.so -x TOFA_TEST_NO_MEMORY=$rank"
    options+=" -x TOFA_TEST_ALLOCATIONS=$allocations"
    make adjacent 1
    expect_in_order
    silent
  done 9<<END
7 2
7 3
7 4
7 7
0 14
0 15
0 18
END
}

@test "lists of neighbours that cannot be sent are not received later" { job -n 1 "$failures" lists; }

@test "topologies that cannot be made leave no memory behind" {
  job --mca mpi_param_check 0 -n 2 "$failures" modules
  job --mca mpi_param_check 0 --mca topo tofa -n 2 "$failures" modules
}

@test "all processes number calls alike, and each differently from the one before" { job -n 4 "$failures" numbers; }

@test "collectives that are under way and a graph do not take each other's messages" { job -n 12 "$failures" tags; }

@test "two threads make grids of two communicators at once" {
  ring 6 >ring.toml
  job --mca topo_tofa_topology ring.toml --mca topo_tofa_verbose 1 --mca topo_tofa_wait 30 -n 12 "$failures" threads
  same 4 "$(grep -c 'ranks reordered: ' err)"
}
