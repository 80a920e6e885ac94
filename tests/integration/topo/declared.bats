#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What programs tell MPI of their neighbours is in the monitor's results, whether ranks are reordered or not, and places
# the next run.

# shellcheck disable=SC2154,SC2034  # variables that the support file sets or reads
load support

# declare_with CALL...: with the monitor, and no line but the monitor's.
declare_with() {
  options="--mca pml_monitoring_enable 1 --mca pml_monitoring_filename app --mca pml_monitoring_overwrite 1"
  make "$@"
  same 1 "$(grep -c 'pml tofa: ' err)"
  grep -q 'pml tofa: .*, declared neighbours (.declared.mtx)$' err
}

# The entries of app.declared.mtx, joined.
entries() { grep -v '^%' app.declared.mtx | tail -n +2 | paste -sd ,; }

# Of the graph that graph, dist and adjacent declare: weights of the heavy and the light edges.
expected() {
  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo "$i $(((i + 5) % 12 + 1)) $1"
    echo "$i $((i % 12 + 1)) $2"
  done | sort -n -k 1,1 -k 2,2 | paste -sd ,
}

@test "weights as they were given, by ranks of MPI_COMM_WORLD, reordered or not" {
  for call in "dist 0" "dist 1" "adjacent 1"; do
    # shellcheck disable=SC2086  # several words
    declare_with $call
    same "$(expected 100 1)" "$(entries)"
  done
  declare_with unweighted 0
  same "$(expected 1 1)" "$(entries)"
}

@test "grids: what tofa graph from-grid makes of them" {
  declare_with cart 1 4x3
  "$build/bin/tofa" graph from-grid 4x3 >grid.mtx
  same "$(grep -v '^%' grid.mtx | tail -n +2 | paste -sd ,)" "$(entries)"
  declare_with cart 0 2x4
  "$build/bin/tofa" graph from-grid 2x4 >grid.mtx
  same "$(grep -v '^%' grid.mtx | tail -n +2 | paste -sd ,)" "$(entries)"
}

@test "several topologies add up, and the next run is placed by them" {
  # As a graph whose edges go both ways, and the half of the ranks twice; and as a grid in the reordered communicator.
  declare_with graph 1
  same "12 12 36" "$(grep -v '^%' app.declared.mtx | head -n 1)"
  grep -q '"quantity":"weight","phase":"declared"' app.declared.mtx
  "$build/bin/tofa" graph info app.declared.mtx | grep -Eq '^pairs that talk +18$'
  job --map-by tofa:graph=app.declared.mtx,topology=ring.toml -n 12 sh -c "$whoami"
  read -r -a host <<<"$(ranks)"
  for rank in 0 1 2 3 4 5; do same "${host[rank]}" "${host[rank + 6]}"; done
  before=$(grep -v '^%' app.declared.mtx | awk 'NR > 1 { sum += $3 } END { print sum }')
  options="--mca pml_monitoring_enable 1 --mca pml_monitoring_filename two" make chain 0 6x2
  same $((before + 2 * 16)) "$(grep -v '^%' two.declared.mtx | awk 'NR > 1 { sum += $3 } END { print sum }')"
}

@test "where ranks are not to be reordered, or some processes cannot, neighbours are recorded all the same" {
  options="--mca topo_tofa_reorder 0 --mca pml_monitoring_enable 1 --mca pml_monitoring_filename app"
  make adjacent 1
  same "$(expected 100 1)" "$(entries)"
  expect_in_order
  job --gmca topo_tofa_topology "$PWD/ring.toml" --gmca pml_monitoring_enable 1 --gmca pml_monitoring_filename part \
    -n 8 "$program" adjacent 1 : -n 4 env OMPI_MCA_topo_tofa_reorder=0 "$program" adjacent 1
  same "$(entries)" "$(grep -v '^%' part.declared.mtx | tail -n +2 | paste -sd ,)"
  expect_in_order
}

@test "what a job that died had declared is recovered" {
  options="--mca pml_monitoring_enable 1 --mca pml_monitoring_filename app -x TOFA_TEST_DIES_LATE=3"
  fails make adjacent 0
  "$build/bin/tofa" graph recover app
  same "$(expected 100 1)" "$(entries)"
}

@test "on one host, too; and where nothing is declared there is no file" {
  hosts 1 12 >hostfile
  options="--mca pml_monitoring_enable 1 --mca pml_monitoring_filename app" make adjacent 1
  same "$(expected 100 1)" "$(entries)"
  job --mca pml_monitoring_enable 1 --mca pml_monitoring_filename none -n 12 "$build/bin/tofa-test-allreduce"
  [[ -e none.bytes.mtx && ! -e none.declared.mtx ]]
  same 1 "$(grep -c 'pml tofa: ' err)"
}
