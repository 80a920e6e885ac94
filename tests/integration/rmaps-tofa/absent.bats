#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# In nobody's way, even when gone: the component path still names the folder of tofa, but the folder is not there, on the
# host of mpirun, on other hosts, or for a program that was started without mpirun. Nothing that does not ask for tofa
# may notice.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

# The folder is a copy, so that it can be taken away from other jobs' feet.
setup_folder() {
  mkdir -p site/lib
  cp -r "$build/lib/tofa" site/lib/tofa
  export OMPI_MCA_mca_base_component_path=$stock_components:$PWD/site/lib/tofa
}
take_away() { mv site away; }

# What users and sites leave in their parameters: they must not make anything depend on the folder.
ask_by_parameters() {
  export OMPI_MCA_rmaps_tofa_graph=app OMPI_MCA_rmaps_tofa_topology=torus.toml OMPI_MCA_rmaps_tofa_report=1
  export OMPI_MCA_pml_monitoring_enable=1 OMPI_MCA_pml_monitoring_filename=traffic
}

readonly all_talk=$build/bin/tofa-test-allreduce

# everything_works: what has to work without tofa, here and on other hosts.
everything_works() {
  job_on -n 2 hostname
  same "$(hostname) $(hostname)" "$(paste -sd ' ' out)"
  job_on --oversubscribe -n 2 "$all_talk"
  expect_ranks "$(hostname)" "$(hostname)"
  job --map-by node -n 3 "$all_talk"
  expect_ranks fk00 fk01 fk02
  timeout 60 "$all_talk" >out 2>err
  expect_ranks "$(hostname)"
  same "" "$(cat err)"
}

@test "the folder is gone, and the path is in the environment" {
  setup_folder
  everything_works
  take_away
  everything_works
}

@test "the folder is gone, and the path is in a parameter file" {
  setup_folder
  mkdir .openmpi
  echo "mca_base_component_path = $OMPI_MCA_mca_base_component_path" >.openmpi/mca-params.conf
  unset OMPI_MCA_mca_base_component_path
  job --map-by tofa:report -n 2 "$all_talk" # the file is read
  expect_error "tofa: 2 ranks on"
  take_away
  everything_works
}

@test "the folder is gone, and parameters still ask for a profile and for settings of the mapper" {
  setup_folder
  take_away
  ask_by_parameters
  everything_works
}

@test "a program without mpirun spawns others where the folder is gone" {
  setup_folder
  take_away
  OMPI_MCA_rmaps_base_oversubscribe=1 timeout 60 "$build/bin/tofa-test-spawn" 2 >out 2>err || same "" "$(cat out err)"
  same 2 "$(grep -c child out)"
}

@test "what asks for tofa by name says so where the folder is gone" {
  setup_folder
  take_away
  fails job --map-by tofa -n 2 true
  grep -q tofa err || same "a message that names tofa" "$(cat err)"
  expect_contacted
}

@test "other hosts lack the folder: jobs that do not ask" {
  setup_folder
  export FAKERSH_HIDE=$PWD/site/lib/tofa
  # shellcheck disable=SC2016  # the ranks expand it
  job -n 12 sh -c '[ ! -e "$FAKERSH_HIDE" ] && echo "$OMPI_COMM_WORLD_RANK gone"'
  same 12 "$(grep -c gone out)"
  everything_works
}

@test "other hosts lack the folder: a job that is placed, with settings and a profile asked for by parameters" {
  setup_folder
  export FAKERSH_HIDE=$PWD/site/lib/tofa
  pairs 6 3 >app.mtx
  export OMPI_MCA_rmaps_tofa_graph=$PWD/app.mtx
  job --map-by tofa:PE=2 -n 6 "$all_talk"
  same 6 "$(ranks | wc -w)"
  job --map-by tofa -n 6 "$all_talk"
  same "$(ranks | cut -d ' ' -f 1-3)" "$(ranks | cut -d ' ' -f 4-6)"
  expect_warnings 0
  job --map-by tofa --mca pml_monitoring_enable 1 --mca pml_monitoring_filename traffic -n 6 "$all_talk"
  same 6 "$(ranks | wc -w)"
}

@test "some hosts have the folder, the host of mpirun does not" {
  setup_folder
  cp -r site elsewhere
  take_away
  # The remote shell brings it back.
  printf '#!/bin/sh\nexec unshare --mount sh -c %s sh "$@"\n' \
    "'mkdir -p $PWD/site && mount --bind $PWD/elsewhere $PWD/site && exec $here/../fakersh \"\$@\"'" >agent
  chmod +x agent
  OMPI_MCA_plm_rsh_agent=$PWD/agent job --map-by node -n 3 "$all_talk"
  expect_ranks fk00 fk01 fk02
}
