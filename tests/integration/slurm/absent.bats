#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The folder of tofa is not there on some node of a Slurm cluster, although the site's parameters name it: jobs run on
# that node and from it, by srun and by mpirun, MPI and not, asked for tofa and not.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

# The folder is shared by all machines, and below one that a single machine can lose.
setup_file() {
  site=$(mktemp -d /tmp/tofa-site-XXXXXX)
  export site
  chmod 755 "$site"
  mkdir -p "$site/opt/lib"
  cp -r "$build/lib/tofa" "$site/opt/lib/tofa"
  ln -s "$build/bin" "$site/opt/bin"
  echo "optional $site/opt/lib/tofa/spank_tofa.so" >"$BATS_FILE_TMPDIR/plugstack.conf"
  start_cluster --etc "$BATS_FILE_TMPDIR/plugstack.conf" --share "$site" 4
}
teardown_file() {
  end_cluster
  rm -rf "$site"
}

lose() { cluster "$@" mount -t tmpfs none "$site"; }
regain() { cluster "$@" umount "$site"; }

# The parameters of the site, and a profile asked for.
parameters() {
  local stock
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  export OMPI_MCA_mca_base_component_path=$stock:$site/opt/lib/tofa
  export OMPI_MCA_btl_tcp_if_include=eth0
  export OMPI_MCA_rmaps_tofa_graph=$PWD/app OMPI_MCA_pml_monitoring_filename=mine SLURM_PMIX_FENCE=ring
}
readonly all_talk=$build/bin/tofa-test-allreduce

# jobs_run: two ranks on each of four nodes.
jobs_run() {
  local nodes="n000 n000 n001 n001 n002 n002 n003 n003"
  in_job -N4 -n8 -- srun --mpi=pmix "$all_talk" || same "" "$(cat err)"
  expect_ranks "$nodes"
  in_job -N4 -n8 -- timeout 60 mpirun -n 8 hostname || same "" "$(cat err)"
  same "$nodes" "$(sort out | paste -sd ' ')"
  in_job -N4 -n8 -- timeout 60 mpirun "$all_talk" || same "" "$(cat err)"
  expect_ranks "$nodes"
}

@test "a compute node without the folder" {
  parameters
  jobs_run
  lose on 1
  cluster on 1 test ! -e "$site/opt"
  jobs_run
  cluster on 1 timeout 60 "$all_talk" >out 2>err
  expect_ranks n001
  same "" "$(cat err)"
  regain on 1
}

@test "a compute node without the folder: jobs that are placed" {
  parameters
  lose on 1
  in_job -N4 -n8 -- srun --tofa=app --mpi=pmix "$all_talk" || same "" "$(cat err)"
  expect_placed out 4
  in_job -N4 -n8 -- timeout 60 mpirun --map-by tofa:graph=app "$all_talk" || same "" "$(cat err)"
  expect_placed out 4
  expect_said 0 "tofa:"
  regain on 1
}

@test "a compute node without the folder: a job that is profiled says which ranks are missing" {
  parameters
  lose on 1
  export OMPI_MCA_pml_monitoring_enable=1
  in_job -N4 -n8 -- srun --mpi=pmix "$all_talk" || same "" "$(cat err)"
  same 8 "$(ranks out | wc -w)"
  expect_said 1 "2 ranks were not monitored"
  regain on 1
}

@test "the machine that srun and mpirun are called on lacks the folder" {
  parameters
  lose sh
  jobs_run
  # Scripts that ask by the variable run; those that use the option are refused.
  SLURM_TOFA=app in_job -N4 -n8 -- srun --mpi=pmix "$all_talk" || same "" "$(cat err)"
  expect_ranks n000 n000 n001 n001 n002 n002 n003 n003
  if in_job -N4 -n8 -- srun --tofa=app --mpi=pmix "$all_talk"; then same failure success; fi
  expect_said 1 "unrecognized option '--tofa=app'"
  regain sh
}

@test "tofa doctor says so, on the node and on the machine" {
  parameters
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "n[000-003]"\n' >ring.toml
  export TOFA_TOPOLOGY=$PWD/ring.toml
  in_job -N4 -n4 -- srun "$build/bin/tofa" doctor || same "" "$(cat out)"
  same 4 "$(grep -c 'ok .*with all of the 4 nodes of the job' out)"
  same 4 "$(grep -c "ok .*$site/opt/lib/tofa/spank_tofa.so, built for Slurm" out)"
  lose on 1
  if in_job -N4 -n4 -- srun -l "$build/bin/tofa" doctor; then same failure success; fi
  same "1 1 1 1" "$(grep -E '(component path|mapper|monitor|srun --tofa) ' out | sed -n 's/^\([0-9]\): failed .*/\1/p' | paste -sd ' ')"
  regain on 1
  sed -i 's/000-003/001-004/' ring.toml
  if in_job -N4 -n4 -- srun -l "$build/bin/tofa" doctor; then same failure success; fi
  same 4 "$(grep -c 'failed .*lacks node "n000"' out)"
}
