#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs that make topologies, on fake hosts: what reordered ranks gain, and that the result is what MPI says. The
# program itself checks its neighbours.

# shellcheck disable=SC2154,SC2034  # variables that the support file sets or reads
load support

# The graph that graph, dist and adjacent declare.
declared() {
  printf '%%%%MatrixMarket matrix coordinate integer general\n12 12 24\n'
  for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
    echo "$((i + 1)) $(((i + 6) % 12 + 1)) $1"
    echo "$((i + 1)) $(((i + 1) % 12 + 1)) 1"
  done
}

@test "MPI_Cart_create: a grid has fewer hops per byte" {
  for dims in 4x3 3px4p; do
    make cart 1 $dims
    grid=grid:${dims//p/}
    [[ $dims != *p ]] || grid+=:periodic
    expect_gain "$grid"
    silent
  done
}

@test "MPI_Cart_create: after grids on single hosts, where there is nothing to gain" {
  make local 1 4x3
  expect_gain grid:4x3
}

@test "MPI_Cart_create: where nothing is gained, ranks stay" {
  options="--mca topo_tofa_verbose 1"
  make cart 1 12
  told "MPI_Cart_create with 12 processes: ranks stay: none of the orders tried takes a tenth less time, as predicted; 0.455 hops"
  expect_in_order
}

@test "MPI_Cart_create: processes that the grid has no room for get MPI_COMM_NULL" {
  make cart 1 2x4
  same 8 "$(ranks | wc -w)"
  expect_gain grid:2x4
}

@test "MPI_Graph_create: partners share nodes" {
  declared 1 >app.bytes.mtx
  make graph 1
  expect_gain app
  silent
}

@test "MPI_Dist_graph_create: weights count, and each process may declare the edges of others" {
  make dist 1
  read -r -a host <<<"$(ranks)"
  for rank in 0 1 2 3 4 5; do same "${host[rank]}" "${host[rank + 6]}"; done
  silent
}

@test "MPI_Dist_graph_create_adjacent: lists follow their ranks, with weights, without, and where some are empty" {
  for call in uneven unweighted adjacent; do
    make $call 1
    [[ $(ranks) != "$in_order" ]]
    silent
  done
  declared 100 >app.bytes.mtx
  expect_gain app
  less "$(hops app)" 0.02
}

@test "a communicator that was reordered is reordered again" {
  options="--mca topo_tofa_verbose 1"
  make chain 1 6x2
  same 2 "$(grep -c 'ranks reordered: ' err)"
}

@test "without a topology file, partners share nodes" {
  job --mca topo_tofa_verbose 1 -n 12 "$program" dist 1
  told "none given; all nodes are taken to be equally far from each other"
  read -r -a host <<<"$(ranks)"
  for rank in 0 1 2 3 4 5; do same "${host[rank]}" "${host[rank + 6]}"; done
}

@test "the file is the site's, the environment's, or what mpirun's mapper was given" {
  ring 6 >ring.toml
  echo 'topology = "ring.toml"' >site.toml
  job --mca topo_tofa_verbose 1 -x TOFA_SITE_FILE="$PWD/site.toml" -n 12 "$program" dist 1
  told "torus 6 ($PWD/ring.toml) from $PWD/site.toml"
  job --mca topo_tofa_verbose 1 -x TOFA_TOPOLOGY="$PWD/ring.toml" -n 12 "$program" dist 1
  told "torus 6 ($PWD/ring.toml) from TOFA_TOPOLOGY"
  job --mca topo_tofa_verbose 1 --mca rmaps_tofa_topology "$PWD/ring.toml" -n 12 "$program" dist 1
  told "torus 6 ($PWD/ring.toml)"
  # mpirun reads such a file itself, and does not pass on what it says.
  echo "rmaps_tofa_topology = $PWD/ring.toml" >parameters.conf
  job --mca topo_tofa_verbose 1 -x OMPI_MCA_mca_base_param_files="$PWD/parameters.conf" -n 12 "$program" dist 1
  told "torus 6 ($PWD/ring.toml)"
}
