#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Ranks run where they were planned, on 6 and 16 fake hosts, and unused nodes are left alone.

# shellcheck disable=SC2154  # variables that support.bash sets
load support
load ../busy

@test "without graph or topology, neighbours share nodes" {
  job --map-by tofa -n 5 sh -c "$whoami"
  expect_ranks fk00 fk00 fk01 fk01 fk02
  expect_contacted fk00 fk01 fk02
}

@test "ranks that talk share a node" {
  pairs 12 6 >app.bytes.mtx
  job --map-by tofa:graph=app -n 12 sh -c "$whoami"
  local node
  read -r -a node <<<"$(ranks)"
  for rank in 0 1 2 3 4 5; do same "${node[rank]}" "${node[rank + 6]}"; done
}

@test "an MPI program runs where the map says, and the report names what it is based on" {
  pairs 12 6 >app.bytes.mtx
  ring 6 >t.toml
  echo "fk02 1" >outages
  job --map-by tofa:graph=app,topology=t.toml,outages=outages,report --display-map -n 10 "$build/bin/tofa-test-allreduce"
  same "$(map_by_rank)" "$(ranks)"
  expect_contacted fk00 fk01 fk03 fk04 fk05
  expect_error "avoided              fk02 (p = 1)"
  expect_error "torus 6 (t.toml)"
  grep -q 'communication .* the default (predicted)' err
  grep -q 'max link load .*default .*chosen' err
  grep -q 'abort probability .*default .*chosen' err
}

@test "on 16 hosts in a 4x4 torus, communication is no slower than the default's and suspects stay idle" {
  hosts 16 2 >hostfile
  printf '[topology]\nkind = "torus"\nshape = [4, 4]\nnodes = "fk[00-15]"\n' >t.toml
  pairs 24 8 >app.bytes.mtx
  printf 'fk03 1\nfk10 0.5\n' >outages
  job --map-by tofa:graph=app,topology=t.toml,outages=outages,report --display-map -n 24 \
    "$build/bin/tofa-test-allreduce"
  same "$(map_by_rank)" "$(ranks)"
  same 24 "$(ranks | wc -w)"
  [[ " $(ranks) " != *fk03* && " $(ranks) " != *fk10* ]]
  fails grep 'slower than the default' err
  # shellcheck disable=SC2046  # one word per host
  expect_contacted $(used_hosts)
}

@test "the same seed gives the same placement" {
  hosts 16 1 >hostfile
  printf '[topology]\nkind = "torus"\nshape = [4, 4]\nnodes = "fk[00-15]"\n' >t.toml
  pairs 16 5 >app.bytes.mtx
  job --map-by tofa:graph=app,topology=t.toml,seed=3 --do-not-launch --display-map -n 16 true
  local first
  first=$(map_by_rank)
  job --map-by tofa:graph=app,topology=t.toml,seed=3 --do-not-launch --display-map -n 16 true
  same 16 "$(wc -w <<<"$first")"
  same "$first" "$(map_by_rank)"
}

@test "the same placement on a busy machine as on an idle one" {
  hosts 16 1 >hostfile
  printf '[topology]\nkind = "torus"\nshape = [4, 4]\nnodes = "fk[00-15]"\n' >t.toml
  pairs 16 5 >app.bytes.mtx
  echo "fk05 0.02" >outages
  # Each plan is one word per rank.
  plan() {
    job --map-by tofa:graph=app,topology=t.toml,outages=outages --do-not-launch --display-map -n 16 true && map_by_rank
  }
  plans() { for ((i = 0; i < $1; i++)); do plan || return 1; done; }
  plan >idle
  same 16 "$(wc -w <idle)"
  while_busy plans 20 >busy
  same 20 "$(wc -l <busy)"
  same "$(cat idle)" "$(sort -u busy)"
}

@test "a search that is cut short is told in the report, and is no error even under strict" {
  hosts 16 2 >hostfile
  pairs 32 5 >app.bytes.mtx
  ring 16 >t.toml
  job --map-by tofa:graph=app,topology=t.toml,time_limit=0.001,strict=1,report=1 --do-not-launch --display-map -n 32 true
  same 32 "$(map_by_rank | wc -w)"
  expect_error "cut short by the time limit"
  fails grep -i warning err
}

@test "a dead host that is known to be suspect does not hinder the start" {
  echo "fk00 1" >outages
  FAKERSH_DEAD=fk00 job --map-by tofa:outages=outages -n 10 sh -c "$whoami"
  same 10 "$(ranks | wc -w)"
  expect_contacted fk01 fk02 fk03 fk04 fk05
}

@test "a dead node is left alone although all routes lead through it" {
  ring 6 >t.toml
  echo "fk02 1" >outages
  all_to_all 10 >app.mtx
  FAKERSH_DEAD=fk02 job --map-by tofa:graph=app.mtx,topology=t.toml,outages=outages -n 10 sh -c "$whoami"
  expect_warnings 0
  expect_contacted fk00 fk01 fk03 fk04 fk05
}

@test "a dead node is left alone whatever the objective, and in oversubscribed jobs" {
  echo "fk00 1" >outages
  local objective
  for objective in hop-bytes congestion fault-weighted; do
    : >"$FAKERSH_LOG"
    FAKERSH_DEAD=fk00 job --map-by tofa:outages=outages,objective=$objective -n 10 sh -c "$whoami"
    expect_contacted fk01 fk02 fk03 fk04 fk05
  done
  : >"$FAKERSH_LOG"
  FAKERSH_DEAD=fk00 job --oversubscribe --map-by tofa:outages=outages -n 14 sh -c "$whoami"
  expect_contacted fk01 fk02 fk03 fk04 fk05
}

@test "of dead nodes no more slots are used than are missing, with a warning" {
  printf 'fk00 1\nfk01 1\n' >outages
  job --map-by tofa:outages=outages -n 9 sh -c "$whoami"
  expect_warnings 1 "1 of 9 ranks have to run on nodes that are down"
  same 1 "$(ranks | tr ' ' '\n' | grep -cE 'fk0[01]')"
  fails job --map-by tofa:outages=outages,strict -n 9 sh -c "$whoami"
}

@test "dead nodes are left alone by applications with hosts of their own" {
  echo "fk01 1" >outages
  FAKERSH_DEAD=fk01 job --map-by tofa:outages=outages -host fk00:2,fk01:2 -n 2 sh -c "$whoami" : \
    -host fk01:2,fk02:2 -n 2 sh -c "$whoami"
  expect_warnings 0
  expect_contacted fk00 fk02
}

@test "when only suspect nodes are left, they are used" {
  for i in 0 1 2 3 4 5; do echo "fk0$i 0.9"; done >outages
  job --map-by tofa:outages=outages,report -n 12 sh -c "$whoami"
  same 12 "$(ranks | wc -w)"
  expect_warnings 0
  expect_error "the other nodes have 0 slots for 12 ranks"
}

@test "as many ranks as slots when -n is left out" {
  job --map-by tofa sh -c "$whoami"
  same 12 "$(ranks | wc -w)"
}

@test "a hostfile without slots: as many as processors" {
  printf 'fk00\nfk01\n' >hostfile
  job --map-by tofa -n 2 sh -c "$whoami"
  local slots
  slots=$(ompi_info >/dev/null && lscpu -p=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)
  ((slots < 2)) || expect_ranks fk00 fk00
  job --map-by tofa sh -c "$whoami"
  same $((2 * slots)) "$(ranks | wc -w)"
}

@test "a hostfile without slots: nodes may have fewer or more processors than mpirun's own host" {
  printf 'fk00\nfk01\n' >hostfile
  local by_default
  job sh -c "$whoami"
  by_default=$(ranks)
  # Which mpirun reads, and passes on to daemons, who are not to.
  # shellcheck disable=SC2016  # the agent expands it
  printf '#!/bin/bash\nexec "%s" "${@//hwloc_base_topo_file/tofa_test_ignored}"\n' "$here/../fakersh" >agent
  chmod +x agent
  export OMPI_MCA_plm_rsh_agent=$PWD/agent OMPI_MCA_hwloc_base_topo_file=$here/../../fixtures/machines/two-packages.xml
  job --map-by tofa:report sh -c "$whoami"
  same "$by_default" "$(ranks)"
  grep -q 'tofa: ' err
  printf '<?xml version="1.0"?><topology version="2.0"><object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" allowed_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1"><object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" local_memory="1073741824"/><object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"><object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"/></object></object></topology>\n' >small.xml
  export OMPI_MCA_hwloc_base_topo_file=$PWD/small.xml
  job --map-by tofa sh -c "$whoami"
  same "$by_default" "$(ranks)"
}

@test "a host that is repeated has the slots of all its lines" {
  printf 'fk00\nfk01\nfk00\n' >repeated
  job_on --hostfile repeated --map-by tofa -n 3 sh -c "$whoami"
  expect_ranks fk00 fk00 fk01
  job_on -host fk03,fk04,fk03 --map-by tofa -n 3 sh -c "$whoami"
  expect_ranks fk03 fk03 fk04
}

@test "-host restricts the hostfile" {
  job -host fk02,fk04 --map-by tofa -n 2 sh -c "$whoami"
  expect_ranks fk02 fk04
  expect_contacted fk02 fk04
}

@test "mpirun's own host may be one of them" {
  # shellcheck disable=SC2016  # the inner shell expands it
  unshare --uts bash -c 'hostname fk02; timeout -k 5 60 "$0" mpirun --hostfile hostfile "$@"' "$here/../offline" \
    --map-by tofa --bind-to core -n 4 sh -c "$whoami_bound" >out 2>err
  expect_ranks fk02 0 fk02 1 fk00 0 fk00 1
  expect_contacted fk00
}

@test "mpirun's own host stays idle when it is suspect" {
  echo "fk02 1" >outages
  # shellcheck disable=SC2016  # the inner shell expands it
  unshare --uts bash -c 'hostname fk02; timeout -k 5 60 "$0" mpirun --hostfile hostfile "$@"' "$here/../offline" \
    --map-by tofa:outages=outages -n 4 sh -c "$whoami" >out 2>err
  same 4 "$(ranks | wc -w)"
  [[ $(ranks) != *fk02* ]]
}

@test "ranks count on across application contexts" {
  pairs 6 3 >app.bytes.mtx
  job --map-by tofa:graph=app -n 4 sh -c "$whoami" : -n 2 sh -c "$whoami"
  local node
  read -r -a node <<<"$(ranks)"
  for rank in 0 1 2; do same "${node[rank]}" "${node[rank + 3]}"; done
}

@test "application contexts keep to their own hosts" {
  job_on --map-by tofa -host fk00:2,fk01:2 -n 2 sh -c "$whoami" : -host fk02:2 -n 2 sh -c "$whoami"
  expect_ranks fk00 fk00 fk02 fk02
  expect_contacted fk00 fk02
}

@test "an application file" {
  printf '#!/bin/sh\n%s\n' "$whoami" >whoami
  chmod +x whoami
  printf -- '-host fk00:2 -n 2 ./whoami\n-host fk01:2 -n 1 ./whoami\n' >app
  job_on --map-by tofa --app app
  expect_ranks fk00 fk00 fk01
}
