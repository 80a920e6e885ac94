#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Every way to ask for tofa, wrong requests, and jobs that do not ask.

# shellcheck disable=SC2154  # variables that support.bash sets
load support

# PE=2 makes the request visible in the placement: one rank per host of two slots.
by_tofa() { expect_ranks fk00 fk01 fk02 && expect_contacted fk00 fk01 fk02; }

@test "on the command line, with one or two dashes" {
  job --map-by tofa:PE=2 -n 3 sh -c "$whoami"
  by_tofa
  job -map-by tofa:PE=2 -n 3 sh -c "$whoami"
  by_tofa
}

@test "as an MCA parameter" {
  job --mca rmaps_base_mapping_policy tofa:PE=2 -n 3 sh -c "$whoami"
  by_tofa
}

@test "in the environment" {
  OMPI_MCA_rmaps_base_mapping_policy=tofa:PE=2 job -n 3 sh -c "$whoami"
  by_tofa
}

@test "in a parameter file of the user" {
  mkdir .openmpi
  echo "rmaps_base_mapping_policy = tofa:PE=2" >.openmpi/mca-params.conf
  job -n 3 sh -c "$whoami"
  by_tofa
}

@test "in parameter files named on the command line" {
  echo "rmaps_base_mapping_policy = tofa:PE=2" >parameters
  job --mca mca_param_files "$PWD/parameters" -n 3 sh -c "$whoami"
  by_tofa
  echo "-mca rmaps_base_mapping_policy tofa:PE=2" >tuned
  job --tune "$PWD/tuned" -n 3 sh -c "$whoami"
  by_tofa
}

@test "by selecting the mapper alone" {
  job --mca rmaps tofa --mca rmaps_tofa_report 1 -n 3 sh -c "$whoami"
  expect_ranks fk00 fk00 fk01
  expect_error "tofa: 3 ranks on 2 of 6 nodes"
}

@test "on hosts that do not have the component" {
  export FAKERSH_HIDE=$build/lib/tofa
  job --map-by tofa:PE=2,graph=x -n 3 sh -c "$whoami"
  by_tofa
  job --mca rmaps tofa -n 3 sh -c "$whoami"
  expect_ranks fk00 fk00 fk01
  mkdir .openmpi
  echo "rmaps_base_mapping_policy = tofa:PE=2" >.openmpi/mca-params.conf
  job -n 3 sh -c "$whoami"
  by_tofa
  echo "rmaps = tofa" >.openmpi/mca-params.conf
  job -n 3 sh -c "$whoami"
  expect_ranks fk00 fk00 fk01
}

@test "ranks do not see tofa in their environment" {
  # shellcheck disable=SC2016  # the ranks expand it
  OMPI_MCA_rmaps_base_mapping_policy=tofa job -n 3 \
    sh -c 'echo "$OMPI_COMM_WORLD_RANK $OMPI_MCA_rmaps_base_mapping_policy"'
  expect_ranks slot slot slot
}

@test "settings as MCA parameters, overruled by --map-by" {
  echo "fk00 1" >bad0
  echo "fk01 1" >bad1
  job --mca rmaps_tofa_outages bad0 --map-by tofa -n 10 sh -c "$whoami"
  same "fk01 fk02 fk03 fk04 fk05" "$(used_hosts)"
  job --mca rmaps_tofa_outages bad0 --map-by tofa:outages=bad1 -n 10 sh -c "$whoami"
  same "fk00 fk02 fk03 fk04 fk05" "$(used_hosts)"
}

@test "an unknown key is an error that lists the known ones" {
  fails job --map-by tofa:grpah=app -n 2 true
  expect_error 'unknown key "grpah"; known keys are graph, topology, outages, health'
  expect_contacted
}

@test "a wrong value is an error, wherever it was given" {
  fails job --map-by tofa:time_limit=soon -n 2 true
  expect_error 'time_limit="soon" is not a number of seconds'
  fails job --map-by tofa:horizon=soon -n 2 true
  expect_error 'horizon="soon" is not a time'
  fails job --map-by tofa:effort=much -n 2 true
  expect_error 'effort: unknown effort "much"; known are fast, normal, thorough'
  fails job --map-by tofa:abort_cost=-1 -n 2 true
  expect_error 'abort_cost="-1" is not a number'
  fails job --map-by tofa --mca rmaps_tofa_seed x -n 2 true
  expect_error 'MCA parameter rmaps_tofa_seed: seed="x" is not a non-negative integer'
  fails job -n 1 true : --map-by tofa:mapper=best -n 1 true
  expect_error 'mapper: unknown mapper "best"; known are linear'
  expect_contacted
}

@test "a topology that lacks a node of the allocation is an error" {
  ring 4 >t.toml
  fails job --map-by tofa:topology=t.toml -n 2 true
  expect_error 't.toml: lacks nodes "fk04", "fk05" of the allocation'
  expect_contacted
}

@test "too few slots are an error, unless more ranks than slots are allowed" {
  fails job --map-by tofa -n 13 true
  expect_error "13 ranks need as many slots, but the 6 nodes of the allocation have 12"
  fails job --map-by tofa:NOOVERSUBSCRIBE -n 13 true
  fails job --map-by tofa --nooversubscribe -n 13 true
  expect_contacted
  job --map-by tofa --oversubscribe -n 13 sh -c "$whoami"
  same 13 "$(ranks | wc -w)"
  job --map-by tofa:OVERSUBSCRIBE -n 14 sh -c "$whoami"
  same 14 "$(ranks | wc -w)"
}

@test "options that place ranks in another way are errors" {
  OMPI_MCA_rmaps_base_mapping_policy=tofa job --npernode 1 sh -c "$whoami"
  same 6 "$(ranks | wc -w)"
  fails job --map-by tofa --npernode 1 -n 2 true
  expect_error "--npernode, --npersocket and ppr cannot be combined with --map-by tofa"
  fails job --map-by tofa --bynode -n 2 true
  printf 'rank 0=fk01 slot=0\nrank 1=fk00 slot=0\n' >rankfile
  fails job --map-by tofa --rankfile rankfile -n 2 true
}

@test "a misspelt policy fails as it does without the component" {
  fails job --map-by tofu -n 2 true
  cp err with
  export OMPI_MCA_mca_base_component_path=$stock_components
  fails job --map-by tofu -n 2 true
  same "$(cat err)" "$(cat with)"
  grep -q 'Policy: tofu' err
}

@test "a job that does not ask is not touched" {
  TOFA_OUTAGES=/nowhere job --map-by node -n 3 sh -c "$whoami"
  expect_ranks fk00 fk01 fk02
  expect_warnings 0
  TOFA_OUTAGES=/nowhere job -n 3 sh -c "$whoami"
  expect_warnings 0
  OMPI_MCA_rmaps_base_mapping_policy=tofa job --map-by node -n 3 sh -c "$whoami"
  expect_ranks fk00 fk01 fk02
  same 0 "$(grep -c tofa: err)"
}

@test "ompi_info shows every parameter with its help" {
  ompi_info --param rmaps tofa --level 9 >out
  local key
  for key in graph topology outages health horizon objective abort_cost effort mapper time_limit seed strict report; do
    grep -q "\"rmaps_tofa_$key\"" out || same "$key" ""
  done
  grep -q 'Who talks to whom' out
  ompi_info --param rmaps tofa --level 1 >out
  grep -q rmaps_tofa_graph out
  fails grep rmaps_tofa_seed out
}
