#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Programs that let MPI reorder their ranks gain under srun as under mpirun, with no option but where the component is.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

setup_file() {
  start_cluster_with_plugin 4
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "n[000-003]"\n' >"$TOFA_CLUSTER_DIR/shared/ring.toml"
}
teardown_file() { end_cluster; }

components() {
  need_components
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  export OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0
  export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_topo_tofa_verbose=1
  export OMPI_MCA_topo_tofa_topology=$TOFA_CLUSTER_DIR/shared/ring.toml SLURM_PMIX_FENCE=ring
}

@test "a program is reordered under srun and mpirun alike" {
  components
  for launcher in "srun --mpi=pmix" "mpirun -n 8"; do
    for call in "graph 1" "dist 1"; do
      # shellcheck disable=SC2086  # several words
      in_job -N4 -n8 -- $launcher "$build/bin/tofa-test-topologies" $call || same "" "$(cat err)"
      grep 'topo tofa: .* with 8 processes: ranks reordered: .*, torus 4 ' err || same "reordered" "$(cat err)"
    done
    read -r -a host <<<"$(ranks out)"
    for rank in 0 1 2 3; do same "${host[rank]}" "${host[rank + 4]}"; done
  done
}

@test "where PMIx does not hand out what processes announce, they are reordered, too" {
  components
  export OMPI_MCA_pmix_base_collect_data=0 OMPI_MCA_topo_tofa_ask=30 OMPI_MCA_topo_tofa_wait=45
  for launcher in "srun --mpi=pmix" "mpirun -n 8"; do
    # shellcheck disable=SC2086  # several words
    in_job -N4 -n8 -- $launcher "$build/bin/tofa-test-topologies" dist 1 || same "" "$(cat err)"
    grep 'topo tofa: .* with 8 processes: ranks reordered: .*, torus 4 ' err || same "reordered" "$(cat err)"
  done
}

@test "where one node lacks the component, no process is reordered" {
  components
  # shellcheck disable=SC2016  # the shell of each rank expands it
  bare='[ "$(hostname)" != "$1" ] || export OMPI_MCA_mca_base_component_path=$2; shift 2; exec "$@"'
  for collect in 1 0; do
    export OMPI_MCA_pmix_base_collect_data=$collect
    for launcher in "srun --mpi=pmix" "mpirun -n 8"; do
      for node in n000 n003; do
        # shellcheck disable=SC2086  # several words
        in_job -N4 -n8 -- $launcher bash -c "$bare" bare $node "$stock" "$build/bin/tofa-test-topologies" graph 1 ||
          same "" "$(cat err)"
        same "n000 n000 n001 n001 n002 n002 n003 n003" "$(ranks out)"
      done
    done
  done
}
