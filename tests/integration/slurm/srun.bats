#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# srun --tofa on a Slurm cluster: rank i runs where it was planned, in every way to ask for it, and whatever is wrong the
# step starts.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # the ranks expand it
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support
load ../busy

setup_file() { start_cluster_with_plugin 8; }
teardown_file() { end_cluster; }

@test "the plugin says what it is for" {
  head_run srun --help | grep -qe '--tofa=STEM'
  head_run sbatch --help | grep -qe '--tofa=STEM'
}

@test "ranks by PMIx run on the planned nodes" {
  in_job -N8 -n16 -- srun --tofa=app -n8 --mpi=pmix "$build/bin/tofa-test-pmix" 8
  expect_placed
  expect_silence
}

@test "ranks by PMI2 run on the planned nodes" {
  in_job -N8 -n16 -- srun --tofa app -n8 --mpi=pmi2 "$build/bin/tofa-test-pmi2" 8
  expect_placed
  expect_silence
}

@test "the nodes are those that tofa map prints, on the site's network, without suspects" {
  cat >torus.toml <<'END'
[topology]
kind = "torus"
shape = [4, 2, 1]
nodes = "n[000-007]"
END
  echo "n001 0.5" >outages
  export TOFA_TOPOLOGY=$PWD/torus.toml TOFA_OUTAGES=$PWD/outages
  "$build/bin/tofa" map --graph app --nodes 'n[000-007]' --slots 2 >planned
  in_job -N8 -n16 -- srun --tofa=app -n8 sh -c "$whoami"
  expect_ranks "$(paste -sd ' ' planned)"
  same 0 "$(grep -c n001 out)"
}

@test "the same placement on a busy machine as on an idle one" {
  plans() {
    local i
    for ((i = 0; i < $1; i++)); do
      in_job -N8 -n16 -- srun --tofa=app -n8 sh -c "$whoami" && ranks out || return 1
    done
  }
  plans 1 >idle
  same 8 "$(wc -w <idle)"
  while_busy plans 20 >busy
  same 20 "$(wc -l <busy)"
  same "$(cat idle)" "$(sort -u busy)"
}

@test "a network whose nodes have a domain" {
  printf '[topology]\nkind = "torus"\nshape = [8]\nnodes = "n[000-007].cluster.example"\n' >ring.toml
  TOFA_TOPOLOGY=$PWD/ring.toml in_job -N8 -n16 -- srun --tofa=app -n8 sh -c "$whoami"
  expect_silence
  expect_placed
}

@test "a profile recorded under srun places the next run" {
  need_components
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  export OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0
  OMPI_MCA_pml_monitoring_enable=1 OMPI_MCA_pml_monitoring_filename=mine \
    in_job -N4 -n8 -- srun --mpi=pmix -n8 "$build/bin/tofa-test-allreduce"
  same 8 "$(ranks out | wc -w)"
  "$build/bin/tofa" map --graph mine --nodes 'n[000-003]' --slots 2 >planned
  in_job -N4 -n8 -- srun --tofa=mine --mpi=pmix -n8 "$build/bin/tofa-test-allreduce"
  expect_ranks "$(paste -sd ' ' planned)"
}

@test "a job that does not ask is not touched" {
  in_job -N8 -n16 -- srun -n8 sh -c "$whoami; env | grep -c -e PMIX_FENCE -e SPANK >&2 || true"
  expect_default
  same 8 "$(grep -c '^0$' err)"
}

@test "tasks do not see how they were placed, and use the ring fence of PMIx" {
  in_job -N8 -n16 -- srun --tofa=app -n8 sh -c 'echo "${SLURM_HOSTFILE:-none} $SLURM_PMIX_FENCE"'
  same "none ring" "$(sort -u out)"
  SLURM_PMIX_FENCE=tree in_job -N8 -n16 -- srun --tofa=app -n8 sh -c 'echo $SLURM_PMIX_FENCE'
  same tree "$(sort -u out)"
}

@test "no rank passes a fence of PMIx before all others have come with their data" {
  in_job -N8 -n16 -- srun --tofa=app -n8 --mpi=pmix "$build/bin/tofa-test-pmix" 8 here
  expect_placed
  # Without the plugin by mpi.conf.
  in_job -N8 -n16 -- srun -n8 --mpi=pmix "$build/bin/tofa-test-pmix" 8 there
  expect_default
}

@test "salloc --tofa and SLURM_TOFA reach inner steps, also from another folder; an empty value declines" {
  in_job -N8 -n16 --tofa=app -- sh -c "cd / && srun -n8 sh -c '$whoami'"
  expect_placed
  in_job -N8 -n16 -- env SLURM_TOFA=app srun -n8 sh -c "$whoami"
  expect_placed
  in_job -N8 -n16 --tofa=app -- srun --tofa= -n8 sh -c "$whoami"
  expect_default
}

@test "#SBATCH --tofa reaches several steps" {
  cat >script <<END
#!/bin/sh
#SBATCH -N8 -n16 --tofa=app --output=log
srun -n8 sh -c '$whoami' >step0 2>err0
srun -n8 --mpi=pmix $build/bin/tofa-test-pmix 8 >step1 2>err1
echo done >ended
END
  head_run sbatch script
  eventually test -s ended
  expect_placed step0
  expect_placed step1
  same 0 "$(cat err0 err1 | grep -c tofa:)"
}

# That of Open MPI 5 does not always end by itself when its ranks have, with or without the plugin.
@test "mpirun in a job that asks works as ever" {
  in_job -N8 -n16 --tofa=app -- timeout -k 5 30 mpirun --mca plm slurm -n 4 --map-by node hostname ||
    [[ ! -e $build/lib/tofa/mca_rmaps_tofa.so ]]
  same "n000 n001 n002 n003" "$(grep ^n00 out | sort | paste -sd ' ')"
  expect_silence
}

@test "#SBATCH --tofa survives --export=NONE" {
  printf '#!/bin/sh\n#SBATCH -N8 -n16 --tofa=app --output=log --export=NONE\n' >script
  printf "export TOFA_SITE_FILE=none.toml\nsrun --export=ALL -n8 sh -c '%s' >step0\necho done >ended\n" "$whoami" >>script
  head_run sbatch script
  eventually test -s ended
  expect_placed step0
}

@test "a user other than root" {
  cluster --user nobody sh timeout 60 salloc -Q -N8 -n16 srun --tofa=app -n8 --mpi=pmix "$build/bin/tofa-test-pmix" 8 >out
  expect_placed
}

@test "options that say otherwise are errors" {
  local options
  for options in "-w n000" "--nodelist n000,n001" "-m cyclic" "--distribution=plane=2" "-r1" "-F nodes"; do
    # shellcheck disable=SC2086  # several words
    if in_job -N8 -n16 -- srun --tofa=app $options -n8 sh -c "$whoami"; then same failure "success of $options"; fi
    same "" "$(ranks out)"
    expect_said 1 "contradicts --tofa"
  done
  grep -qF -- '--exclude' err
  in_job -N8 -n16 -- srun --tofa=app -m arbitrary -n8 sh -c "$whoami"
  expect_placed
}

@test "a distribution within nodes is not heeded, which is said" {
  in_job -N8 -n16 -- srun --tofa=app -m '*:block' -n8 sh -c "$whoami"
  expect_placed
  expect_said 1 "tofa: --distribution (-m) *:block does not count within nodes"
  in_job -N8 -n16 -m cyclic:block --tofa=app -- srun -n8 sh -c "$whoami"
  expect_placed
  expect_said 1 "tofa: SLURM_DISTRIBUTION=cyclic:block does not count within nodes"
  in_job -N8 -n16 -m cyclic:block -- srun -n8 sh -c "$whoami"
  expect_silence
}

@test "a step's own options go before what the job inherited" {
  in_job -N8 -n16 --tofa=app -- srun -w n005 -N1 -n2 sh -c "$whoami"
  expect_ranks n005 n005
  expect_said 1 "tofa: --nodelist (-w) decides where this step runs, not SLURM_TOFA"
}

@test "a SLURM_HOSTFILE of the user" {
  printf 'n00%d\n' 7 6 5 4 3 2 1 0 >hosts
  in_job -N8 -n16 --tofa=app -- env SLURM_HOSTFILE=hosts srun -n8 sh -c "$whoami"
  expect_ranks n007 n006 n005 n004 n003 n002 n001 n000
  expect_said 1 "SLURM_HOSTFILE decides"
  in_job -N8 -n16 -- env SLURM_HOSTFILE=hosts srun --tofa=app -n8 sh -c "$whoami; echo \$SLURM_HOSTFILE >>seen"
  expect_placed
  expect_said 1 "--tofa decides"
  same hosts "$(sort -u seen)"
  # One with fewer lines than mpirun has daemons.
  echo n001 >hosts
  in_job -N8 -n8 -- env SLURM_HOSTFILE=hosts mpirun -n 8 hostname
  same 8 "$(sort -u out | wc -l)"
}

@test "-N, --ntasks-per-node and --exclude" {
  in_job -N8 -n16 -- srun --tofa=app -n8 -N4 sh -c "$whoami"
  expect_placed
  in_job -N8 -n16 -- srun --tofa=app -n8 -N6 sh -c "$whoami"
  same 6 "$(used out | wc -w)"
  same 8 "$(wc -l <out)"
  in_job -N8 -n16 -- srun --tofa=app -n8 --ntasks-per-node=1 sh -c "$whoami"
  same 8 "$(used out | wc -w)"
  in_job -N8 -n16 -- srun --tofa=app -n8 -N4 -x n000,n002 sh -c "$whoami"
  expect_placed
  same 0 "$(grep -cE 'n000|n002' out)"
}

@test "what -N says is heard, and tasks do not see how" {
  in_job -N8 -n16 -- srun -v --tofa=app -lN 4 -n8 sh -c "$whoami"
  sed -i 's/^[0-9]*: //' out
  expect_placed
  expect_said 1 "tofa: 8 ranks on 4 of 8 nodes"
  same 1 "$(grep -c 'tofa:   nodes  *n\[000-003\]$' err)"
  in_job -N8 -n16 -- srun --tofa=app --nodes=4 -n8 sh -c 'env | grep TOFA_SLURM; echo "$SLURM_JOB_NUM_NODES ${SLURM_HOSTFILE:-none}"'
  same "8 none" "$(sort -u out)"
  printf 'n007\n' >hosts
  in_job -N8 -n16 -- env SLURM_HOSTFILE=hosts srun --tofa=app -N4 -n8 sh -c "$whoami; echo \$SLURM_HOSTFILE"
  expect_placed
  same hosts "$(grep -v n00 out | sort -u)"
  if SLURM_TOFA_STRICT=1 in_job -N8 -n16 -- srun --tofa=nowhere -N4 -n8 sh -c "$whoami"; then same failure success; fi
  in_job -N8 -n16 -- srun --tofa=nowhere -N4 -n8 sh -c "$whoami"
  expect_said 1 "tofa: warning:"
  same 4 "$(used out | wc -w)"
}

@test "an srun that starts nothing is not placed" {
  in_job -N8 -n16 --tofa=app -- srun --version
  expect_silence
}

@test "the number of ranks comes from the job where the step does not say" {
  in_job -N8 -n8 -- srun --tofa=app sh -c "$whoami"
  same 8 "$(wc -l <out)"
  expect_silence
  in_job -N4 --ntasks-per-node=2 -- srun --tofa=app sh -c "$whoami"
  expect_placed
}

@test "more ranks than processors with --overcommit" {
  in_job -N2 -n4 -- srun --tofa=app -O -n8 sh -c "$whoami"
  expect_placed out 2
  expect_silence
}

# degraded TEXT OPTIONS...: the step is placed with what is left, and one warning; under strict it does not start.
degraded() {
  local text=$1
  shift
  if SLURM_TOFA_STRICT=1 in_job -N8 -n16 -- srun "$@" -n8 sh -c "$whoami"; then same failure success; fi
  same "" "$(ranks out)"
  same 1 "$(grep -c 'tofa: .*strict' err)"
  in_job -N8 -n16 -- srun "$@" -n8 sh -c "$whoami"
  expect_said 1 "tofa: warning:"
  expect_said 1 "$text"
  same 8 "$(ranks out | wc -w)"
}

# Neighbours in rank order share nodes.
expect_blocks() { expect_ranks n000 n000 n001 n001 n002 n002 n003 n003; }

@test "no profile" {
  degraded "nowhere: no such graph" --tofa=nowhere
  expect_said 1 "ranks are taken to talk to their neighbours in rank order"
  expect_blocks
}

@test "a malformed profile" {
  echo "this is none" >bad.mtx
  degraded "bad.mtx" --tofa=bad.mtx
  expect_blocks
}

@test "a profile of another number of ranks" {
  sed '2s/.*/6 6 1/; 4,$d' app.bytes.mtx >six.mtx
  degraded "describes 6 ranks, the job has 8" --tofa=six.mtx
  same "$(ranks out | cut -d ' ' -f 1)" "$(ranks out | cut -d ' ' -f 5)"
}

@test "a health service that does not answer, and outages that cannot be read, cost nothing else" {
  export TOFA_HEALTH=127.0.0.1:9
  degraded "health service at 127.0.0.1:9" --tofa=app
  expect_placed
  echo "n001 0.5" >outages
  TOFA_OUTAGES=$PWD/outages degraded "only the other source is used" --tofa=app
  expect_placed
  same 0 "$(grep -c n001 out)"
  unset TOFA_HEALTH
  TOFA_OUTAGES=$PWD/nowhere degraded "(named by TOFA_OUTAGES); no node is taken to be suspect" --tofa=app
  expect_placed
}

@test "what plugstack.conf names and cannot be read" {
  local plugstack=$TOFA_CLUSTER_DIR/etc/plugstack.conf
  cp "$plugstack" saved
  echo "$(cat saved) topology=/nowhere.toml" >"$plugstack"
  degraded "(named by plugstack.conf); all nodes are taken to be equally far" --tofa=app
  expect_placed
  echo "$(cat saved) health=127.0.0.1:9" >"$plugstack"
  degraded "(named by plugstack.conf); no node is taken to be suspect" --tofa=app
  expect_placed
  cp saved "$plugstack"
}

@test "more ranks in the profile, or lines in a hostfile, than in the step" {
  in_job -N8 -n16 -- srun --tofa=app -n4 sh -c "$whoami"
  same 4 "$(ranks out | wc -w)"
  expect_said 1 "tofa: warning: graph app describes 8 ranks, the job has 4"
  # The first lines count, and too few are an error of Slurm's.
  printf 'n00%d\n' 7 6 5 4 3 2 1 0 >hosts
  in_job -N8 -n16 -- env SLURM_HOSTFILE=hosts srun -n4 sh -c "$whoami"
  expect_ranks n007 n006 n005 n004
  if in_job -N8 -n16 -- env SLURM_HOSTFILE=hosts srun -n12 sh -c "$whoami"; then same failure success; fi
  expect_said 1 "Too few NodeNames"
}

@test "tasks per node with a number of ranks" {
  in_job -N4 --exclusive -- srun --tofa=app -n8 --ntasks-per-node=2 sh -c "$whoami"
  expect_placed
  expect_silence
}

@test "a topology that lacks the nodes" {
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "x[0-3]"\n' >other.toml
  export TOFA_TOPOLOGY=$PWD/other.toml
  degraded 'lacks nodes "n000", "n001"' --tofa=app
  expect_placed
}

@test "tofa is missing, fails, or does not answer" {
  local plugstack=$TOFA_CLUSTER_DIR/etc/plugstack.conf text
  cp "$plugstack" saved
  for text in "tofa=$PWD/missing" "tofa=/bin/false" "tofa=$PWD/sleeper time_limit=0.1" "tofa=/bin/true"; do
    printf '#!/bin/sh\nexec sleep 100\n' >sleeper
    chmod +x sleeper
    echo "$(cat saved) $text" >"$plugstack"
    in_job -N8 -n16 -- srun --tofa=app -n8 sh -c "$whoami"
    expect_default
    expect_said 1 "tofa: warning:"
  done
  echo "$(cat saved) objectiv=x" >"$plugstack"
  in_job -N8 -n16 -- srun --tofa=app -n8 sh -c "$whoami"
  expect_placed
  expect_said 1 'plugstack.conf: unknown key "objectiv"'
  cp saved "$plugstack"
}

@test "switched off, the option is taken and does nothing" {
  local plugstack=$TOFA_CLUSTER_DIR/etc/plugstack.conf
  cp "$plugstack" saved
  echo "$(cat saved) off" >"$plugstack"
  in_job -N8 -n16 -- srun --tofa=app -n8 sh -c "$whoami"
  expect_default
  expect_silence
  in_job -N8 -n16 --tofa=app -- srun -n8 sh -c "$whoami"
  expect_default
  expect_silence
  in_job -N4 --exclusive -- srun --tofa=app -N4 --ntasks-per-node=2 sh -c "$whoami"
  same "2 2 2 2" "$(ranks out | tr ' ' '\n' | uniq -c | awk '{ print $1 }' | paste -sd ' ')"
  expect_silence
  # Nodes to choose from would get ranks of their own.
  in_job -N3 --ntasks-per-node=2 --tofa=app --tofa-spare=1 -- srun sh -c "$whoami"
  expect_ranks n000 n000 n001 n001 n002 n002
  expect_silence
  cp saved "$plugstack"
}

# for_release NUMBER: a copy of the plugin, with another release of Slurm in it.
for_release() {
  local place
  mkdir -p other
  cp "$build/lib/tofa/spank_tofa.so" other
  place=$(readelf -sW other/spank_tofa.so | awk '$8 == "plugin_version" { print $2; exit }')
  printf '%b' "$1" | dd of=other/spank_tofa.so bs=1 seek=$((16#$place)) conv=notrunc status=none
  echo "optional $PWD/other/spank_tofa.so" >"$TOFA_CLUSTER_DIR/etc/plugstack.conf"
}

@test "a plugin for another release: Slurm does not take it, and tofa doctor says so" {
  local plugstack=$TOFA_CLUSTER_DIR/etc/plugstack.conf
  cp "$plugstack" saved
  head_run "$build/bin/tofa" doctor >out || true
  grep -E "^ok +srun --tofa .*, built for Slurm $(head_run srun --version | cut -d ' ' -f 2) " out
  for_release '\x05\x0b\x14\x00'
  head_run srun -n1 true
  if head_run srun --tofa=app -n1 true; then same failure success; fi
  if head_run "$build/bin/tofa" doctor >out; then same failure success; fi
  grep -E "^failed +srun --tofa .*built for Slurm 20.11.5, this is .*Slurm refuses it" out
  grep -A 1 "^failed *srun --tofa" out | grep "> build tofa with the headers of this release"
  cp saved "$plugstack"
}

@test "cores per task" {
  in_job -N8 -n8 -c2 -- srun --tofa=app -n8 -c2 sh -c "$whoami"
  same 8 "$(used out | wc -w)"
  expect_silence
}
