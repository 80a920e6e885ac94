#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# mpirun --map-by tofa in an allocation of a Slurm cluster of twelve nodes, two of them larger: ranks and daemons are on
# the planned nodes and nowhere else, and slots are what Slurm gave.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # the ranks expand it
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

setup_file() { start_cluster_with_plugin --node '10-11=CPUs=4 RealMemory=1000' 12; }
teardown_file() { end_cluster; }

# launch ALLOCATION KEYS COMMAND...: mpirun --map-by tofa:KEYS COMMAND... in an allocation with these options of salloc.
launch() {
  local stock allocation
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  export OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0
  export OMPI_MCA_plm_base_verbose=5
  read -ra allocation <<<"$1"
  in_job "${allocation[@]}" -- timeout 60 mpirun --map-by "tofa:$2" "${@:3}"
}
readonly all_talk=$build/bin/tofa-test-allreduce

# The srun that mpirun started its daemons with: what it said about nodes.
daemons() { grep -o -e '--nodes=.*--ntasks=[0-9]*' "$1"; }

# expect_daemons OUT ERR [OWN]: on the nodes that ranks run on, and only there; OWN is mpirun's node, which needs none.
expect_daemons() {
  local nodes
  nodes=$(used "$1" | tr ' ' '\n' | grep -vx "${3:-none}" | paste -sd ,)
  same "--nodes=$(tr ',' '\n' <<<"$nodes" | wc -l) --nodelist=$nodes" "$(daemons "$2" | sed 's/ --ntasks.*//')"
}

# Ranks per node, as "2 n000 1 n001".
load_of_nodes() { ranks out | tr ' ' '\n' | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd ' '; }

# pairs COUNT: a profile in which neighbours talk in pairs.
pairs() {
  local i
  printf '%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n' "$1" "$1" $(($1 / 2))
  for ((i = 1; i < $1; i += 2)); do echo "$i $((i + 1)) 1000000"; done
}

@test "salloc -N12 mpirun -n 8: ranks as planned, daemons there, by an srun with the matching node list" {
  launch "-N12 -n24" graph=app -n 8 "$all_talk"
  expect_placed
  expect_daemons out err
}

@test "a network whose nodes have a domain" {
  printf '[topology]\nkind = "torus"\nshape = [12]\nnodes = "n[000-011].cluster.example"\n' >ring.toml
  launch "-N12 -n24" "graph=app,topology=$PWD/ring.toml" -n 8 "$all_talk"
  expect_placed
  expect_daemons out err
}

@test "no daemon runs on a node without ranks" {
  local node found=""
  launch "-N12 -n24" graph=app -n 8 \
    sh -c 'echo "$OMPI_COMM_WORLD_RANK $(hostname)" >>started; until [ -e go ]; do sleep 0.5; done' &
  eventually eval '[[ -e started && $(wc -l <started) == 8 ]]'
  for ((node = 0; node < 12; node++)); do
    # pgrep runs in the process table of the node.
    if cluster on "$node" pgrep -x orted >/dev/null; then found+="$(cluster on "$node" hostname) "; fi
  done
  touch go
  wait
  expect_placed started
  same "$(used started) " "$found"
}

@test "a suspect node is not used, even when it is dead already" {
  echo "n001 0.9" >outages
  cluster poweroff 1
  launch "-N12 -n24" "graph=app,outages=$PWD/outages" -n 8 "$all_talk" || { cat err && return 1; }
  expect_placed
  same 0 "$(grep -c '^[0-9]* n001' out)"
  expect_daemons out err
  cluster restore 1
}

@test "slots are Slurm's tasks: --ntasks-per-node, --cpus-per-task, processors of whole nodes" {
  launch "-N12 --ntasks-per-node=1" graph=app -n 8 "$all_talk"
  same 8 "$(used out | wc -w)"
  launch "-N8 -n8 -c2" graph=app -n 8 "$all_talk"
  same 8 "$(used out | wc -w)"
  if launch "-N4 -n4 -c2" graph=app -n 8 "$all_talk"; then same failure success; fi
  expect_said 1 "8 ranks need as many slots"
  launch "-N4 -n8 --ntasks-per-node=2" graph=app "$all_talk"
  same "2 n000 2 n001 2 n002 2 n003" "$(load_of_nodes)"
}

@test "nodes of different sizes are filled, by mpirun and by srun" {
  pairs 28 >pairs.mtx
  launch "-N12 --exclusive" graph=pairs.mtx "$all_talk"
  local full="2 n000 2 n001 2 n002 2 n003 2 n004 2 n005 2 n006 2 n007 2 n008 2 n009 4 n010 4 n011"
  same "$full" "$(load_of_nodes)"
  in_job -N12 --exclusive -- srun --tofa=pairs.mtx -n 28 --mpi=pmix "$build/bin/tofa-test-pmix" 28
  same "$full" "$(load_of_nodes)"
  expect_silence
  # Partners share a node.
  local rank nodes
  read -ra nodes <<<"$(ranks out)"
  for ((rank = 0; rank < 28; rank += 2)); do same "${nodes[rank]}" "${nodes[rank + 1]}"; done
}

@test "jobs that share nodes" {
  pairs 12 >pairs.mtx
  launch "-w n[000-011] -N12 --ntasks-per-node=1" graph=pairs.mtx sh -c 'touch a.$OMPI_COMM_WORLD_RANK; until [ -e go ]; do sleep 0.5; done' &
  eventually test -e a.0
  mkdir other
  cd other
  pairs 12 >pairs.mtx
  launch "-w n[000-011] -N12 --ntasks-per-node=1" graph=pairs.mtx "$all_talk"
  touch ../go
  wait
  same 12 "$(used out | wc -w)"
}

@test "several mpiruns in one batch job, one after another and at the same time, and a spawn" {
  cat >script <<END
#!/bin/sh
#SBATCH -N6 -n12 --output=log
run() { timeout 60 mpirun --map-by tofa:graph=app -n 8 $all_talk >step\$1 2>err\$1; }
run 0
# Of two mpiruns that make it at the same moment, Open MPI 4.1 lets one fail.
mkdir -p "/tmp/ompi.\$SLURMD_NODENAME.\$(id -u)"
run 1 & run 2
wait
timeout 60 mpirun --map-by tofa:spawn -n 2 $build/bin/tofa-test-spawn 2 >step3 2>err3
echo \$? >ended
END
  local stock
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0 \
    OMPI_MCA_plm_base_verbose=5 head_run sbatch script
  eventually test -s ended
  for step in 0 1 2; do
    expect_placed step$step
    expect_daemons step$step err$step n000
  done
  same 0 "$(cat ended)"
  same 2 "$(grep -c parent step3)"
  same 2 "$(grep -c child step3)"
}

@test "mpiruns and steps at the same time take nodes of their own" {
  cat >script <<END
#!/bin/sh
#SBATCH -N12 --ntasks-per-node=2 --output=log
mkdir -p "/tmp/ompi.\$SLURMD_NODENAME.\$(id -u)" # as above
run() { timeout 60 mpirun --map-by tofa:graph=app -n 8 sh -c "touch at.\$1.\$2; until [ -e go ]; do sleep 0.5; done; $all_talk" >step\$1 2>err\$1; }
run 0 & run 1 &
timeout 60 sh -c 'until [ "\$(find . -name "ready.?" | wc -l)" = 2 ]; do sleep 0.1; done'
timeout 60 srun --tofa=app -n 8 --mpi=pmix sh -c '$whoami' >step2 2>err2
touch go
wait
touch ended
END
  sed -i 's|touch at.*; until|touch ready.\$1; until|' script
  local stock
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0 head_run sbatch script
  eventually test -e ended
  for step in 0 1 2; do expect_placed step$step; done
  same 12 "$(cat step[012] | sed -n 's/^[0-9]* //p' | sort -u | wc -l)"
}

@test "a user other than root" {
  local stock
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0 HOME=$PWD \
    cluster --user nobody sh timeout 60 salloc -Q -N12 -n24 mpirun --map-by tofa:graph=app -n 8 "$all_talk" >out 2>err
  expect_placed
}
