#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# srun --tofa outside of an allocation, on a Slurm cluster whose network is a ring: the job gets the best of the idle
# nodes and rank i runs where it was planned; where that cannot be, the job gets what Slurm chooses.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # the ranks expand it
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

setup_file() {
  # Jobs of several components need the backfill scheduler.
  start_cluster_with_plugin --conf SchedulerType=sched/backfill --conf SchedulerParameters=bf_interval=1 --conf Licenses=compiler:1 \
    --node "6-7=CPUs=2 RealMemory=1000 Feature=big" 8
  head_run scontrol create PartitionName=small "Nodes=n[004-007]"
  printf '[topology]\nkind = "torus"\nshape = [8]\nnodes = "n[000-007]"\n' >"$TOFA_CLUSTER_DIR/shared/ring.toml"
}
teardown_file() { end_cluster; }

teardown() {
  head_run scancel --user root
  head_run scontrol update nodename=ALL state=resume 2>/dev/null || true
  eventually all_idle
}
all_idle() { [[ $(head_run sinfo -hN -p main --format=%T | sort | uniq -c) =~ ^\ *8\ idle$ ]]; }

# alone OPTIONS...: a job that prints where its ranks are.
alone() {
  TOFA_TOPOLOGY=${TOFA_TOPOLOGY:-$TOFA_CLUSTER_DIR/shared/ring.toml} \
    head_run timeout 60 srun "$@" sh -c "$whoami" >out 2>err
}

# occupy NODES COUNT: another job has them all.
occupy() {
  head_run sbatch --quiet --exclusive -w "$1" -N "$2" -o /dev/null --wrap 'sleep 300'
  eventually runs_on "$1"
}
runs_on() { head_run squeue -h -t R -o %N | grep -qxF "$1"; }

# chain RANKS: a profile in which each talks to the next.
chain() {
  local i
  printf '%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n' "$1" "$1" $(($1 - 1))
  for ((i = 1; i < $1; i++)); do echo "$i $((i + 1)) 1000000"; done
}

# expect_slurms TEXT: Slurm's own placement, two ranks a node in order of their names, and one warning that says why.
expect_slurms() {
  expect_ranks "${2:-n000 n000 n001 n001 n002 n002 n003 n003}"
  expect_said 1 "tofa: warning:"
  expect_said 1 "$1"
}

@test "rank i runs on the node that was planned for it, by PMIx and PMI2" {
  export TOFA_TOPOLOGY=$TOFA_CLUSTER_DIR/shared/ring.toml
  echo "n001 0.5" >outages
  export TOFA_OUTAGES=$PWD/outages
  head_run "$build/bin/tofa" select --graph app --format hostfile >planned
  head_run timeout 60 srun --tofa=app -n8 --mpi=pmix "$build/bin/tofa-test-pmix" 8 >out 2>err
  expect_silence
  expect_placed
  expect_ranks "$(paste -sd ' ' planned)"
  same 0 "$(grep -c n001 out)"
  head_run timeout 60 srun --tofa=app -n8 --mpi=pmi2 "$build/bin/tofa-test-pmi2" 8 >out 2>err
  expect_ranks "$(paste -sd ' ' planned)"
}

@test "only idle nodes are used, and those of them that are close together" {
  chain 6 >chain.mtx
  alone -n6
  same "n000 n001 n002" "$(used out)"
  occupy n002 1
  occupy n005 1
  alone -n6
  same "n000 n001 n003" "$(used out)"
  alone --tofa=chain.mtx -n6
  expect_silence
  [[ $(used out) == "n000 n001 n007" || $(used out) == "n000 n006 n007" ]] || same "3 neighbours" "$(used out)"
}

@test "srun -v says where the ranks went" {
  alone -v --tofa=app -n8
  expect_placed
  expect_said 1 "tofa:   nodes                n[000-003]"
  in_job -N8 -n16 -- srun -v --tofa=app -n8 sh -c "$whoami"
  expect_said 1 "tofa:   nodes                n[000-003]"
}

@test "nodes that are powered down are chosen where the others do not do" {
  mkdir bin
  printf '#!/bin/sh\n%s "$@" | sed -E "/^n00[0-3] /s/ idle / idle~ /"\n' "$(command -v sinfo)" >bin/sinfo
  chmod +x bin/sinfo
  PATH=$PWD/bin:$PATH alone --tofa=app -n8
  expect_silence
  expect_placed
  same "n004 n005 n006 n007" "$(used out)"
  chain 10 >chain.mtx
  PATH=$PWD/bin:$PATH alone --tofa=chain.mtx -n10
  expect_silence
  same "n000 n004 n005 n006 n007" "$(used out)"
}

@test "drained nodes are not chosen" {
  head_run scontrol update nodename=n000,n002 state=drain reason=test
  alone --tofa=app -n8
  expect_silence
  expect_placed
  same 0 "$(grep -cE 'n000|n002' out)"
}

@test "nodes that are gone when they have been chosen" {
  local plugstack=$TOFA_CLUSTER_DIR/etc/plugstack.conf
  cat >slow <<END
#!/bin/sh
$build/bin/tofa "\$@" >answer || exit
nodes=\$(grep -v '^#' answer | sort -u | paste -sd,)
if [ -e drain ]; then
  scontrol update nodename=\$nodes state=drain reason=test
else
  SLURM_HOSTFILE= sbatch --quiet --exclusive -N4 -w "\$nodes" -o /dev/null --wrap 'sleep 300'
  until [ "\$(squeue -h -t R -o %N)" ]; do sleep 0.1; done
fi
cat answer
END
  chmod +x slow
  cp "$plugstack" saved
  echo "$(cat saved) tofa=$PWD/slow time_limit=30" >"$plugstack"
  alone --tofa=app -n8 || true
  cp out out.taken
  cp err err.taken
  head_run scancel --user root
  eventually all_idle
  touch drain
  alone --tofa=app -n8 || true
  cp saved "$plugstack"
  expect_slurms "cannot start at once on the nodes chosen (Required node not available" "n004 n004 n005 n005 n006 n006 n007 n007"
  mv out.taken out
  mv err.taken err
  expect_slurms "cannot start at once on the nodes chosen (Re" "n004 n004 n005 n005 n006 n006 n007 n007"
}

@test "-N, --ntasks-per-node, -c, -x, -O and -p" {
  alone --tofa=app -n8 -N6
  expect_silence
  same 6 "$(used out | wc -w)"
  same 8 "$(wc -l <out)"
  alone --tofa=app -n8 --ntasks-per-node=1
  expect_silence
  same 8 "$(used out | wc -w)"
  alone --tofa=app -n8 -c2
  expect_silence
  same 8 "$(used out | wc -w)"
  alone --tofa=app -n8 -x n000,n003
  expect_silence
  expect_placed
  same 0 "$(grep -cE 'n000|n003' out)"
  alone --tofa=app -n8 -N2 -O
  if [[ $(release) -lt 2311 ]]; then
    expect_silence
    expect_placed out 2
  else
    # Later ones allocate no more tasks on a node of a hostfile than it has processors.
    expect_said 1 "cannot start at once on the nodes chosen (Requested node configuration is not available)"
    same "8 2" "$(wc -l <out) $(used out | wc -w)"
  fi
  alone --tofa=app -n8 -p small
  expect_silence
  expect_placed
  same "n004 n005 n006 n007" "$(used out)"
  SLURM_PARTITION=small SLURM_TOFA=app alone -n8
  same "n004 n005 n006 n007" "$(used out)"
}

@test "of several partitions the job gets nodes of one" {
  head_run scontrol create PartitionName=left "Nodes=n[000-001]"
  head_run scontrol create PartitionName=right "Nodes=n[002-007]"
  alone --tofa=app -n8 -p left,right
  expect_silence
  expect_placed
  same 0 "$(grep -cE 'n000|n001' out)"
  alone --tofa=app -n8 -p small,right
  expect_silence
  expect_placed
  same "n004 n005 n006 n007" "$(used out)"
  head_run scontrol delete PartitionName=left
  head_run scontrol delete PartitionName=right
}

@test "other options keep their meaning" {
  local options
  for options in "--exclusive" "--mem=500" "-t 5" "-Q" "-lQ" "-J name --comment=-w"; do
    # shellcheck disable=SC2086  # several words
    alone --tofa=app $options -n8
    sed -i 's/^[0-9]*: //' out
    expect_silence
    expect_placed
  done
  alone --tofa=app -n4 -N2 -C big --tofa=
  same "n006 n007" "$(used out)"
  chain 4 >chain.mtx
  alone --tofa=chain.mtx -n4 -C big
  expect_slurms "cannot start at once on the nodes chosen (Requested node configuration is not available)" "n006 n006 n007 n007"
  # Ranks on nodes of Slurm's choice wait for each other, too.
  TOFA_TOPOLOGY=$TOFA_CLUSTER_DIR/shared/ring.toml head_run timeout 60 srun --tofa=chain.mtx -n4 -C big sh -c 'echo $SLURM_PMIX_FENCE' >out 2>err
  expect_said 1 "cannot start at once on the nodes chosen"
  same ring "$(sort -u out)"
}

@test "a user other than root" {
  TOFA_TOPOLOGY=$TOFA_CLUSTER_DIR/shared/ring.toml \
    cluster --user nobody sh timeout 60 srun --tofa=app -n8 --mpi=pmix "$build/bin/tofa-test-pmix" 8 >out 2>err
  expect_silence
  expect_placed
}

@test "a network whose nodes have a domain, and one that lacks some nodes" {
  printf '[topology]\nkind = "torus"\nshape = [6]\nnodes = "n[002-007].cluster.example"\n' >part.toml
  TOFA_TOPOLOGY=$PWD/part.toml alone --tofa=app -n8
  expect_silence
  expect_placed
  same 0 "$(grep -cE 'n000|n001' out)"
  unset TOFA_TOPOLOGY
  head_run timeout 60 srun --tofa=app -n8 sh -c "$whoami" >out 2>err
  expect_silence
  expect_placed
}

@test "options that say otherwise are errors" {
  local options
  for options in "-w n000" "-m cyclic" "-F nodes"; do
    # shellcheck disable=SC2086  # several words
    if alone --tofa=app $options -n8; then same failure "success of $options"; fi
    same "" "$(ranks out)"
    expect_said 1 "contradicts --tofa"
  done
  SLURM_TOFA=app alone -w n005 -n1
  expect_ranks n005
  expect_said 1 "decides where this step runs, not SLURM_TOFA"
}

@test "what cannot be done is a warning, and the job starts" {
  alone --tofa=app -n8 --begin=now
  expect_slurms "--begin"
  alone --tofa=app --ntasks-per-node=2
  expect_said 1 "add --ntasks (-n)"
}

@test "a source that cannot be read is a warning, and the best idle nodes are chosen by the others" {
  alone --tofa=nowhere -n8
  expect_said 1 "tofa: warning:"
  expect_said 1 "ranks are taken to talk to their neighbours in rank order"
  same "4" "$(used out | wc -w)"
  same "$(ranks out | tr ' ' '\n' | uniq | wc -l)" 4
  chain 6 >chain.mtx
  alone --tofa=chain.mtx -n8
  expect_said 1 "describes 6 ranks, the job has 8"
  TOFA_HEALTH=127.0.0.1:9 alone --tofa=app -n8
  expect_said 1 "tofa: warning:"
  expect_said 1 "no node is taken to be suspect"
  expect_placed
  if SLURM_TOFA_STRICT=1 alone --tofa=nowhere -n8; then same failure success; fi
  same "" "$(ranks out)"
}

@test "sinfo fails, or does not answer" {
  local text
  mkdir bin
  for text in 'echo "nobody there" >&2; exit 1' 'exec sleep 100' 'echo nonsense'; do
    printf '#!/bin/sh\n%s\n' "$text" >bin/sinfo
    chmod +x bin/sinfo
    PATH=$PWD/bin:$PATH alone --tofa=app -n8
    expect_slurms ""
  done
}

@test "a job that cannot start at once is not bound to nodes" {
  # It waits for a licence, and starts when there is one, although the nodes chosen are taken by then.
  head_run srun --quiet -N1 -L compiler -w n007 sh -c 'until [ -e '"$PWD"'/free ]; do sleep 0.1; done' &
  eventually runs_on n007
  if SLURM_TOFA_STRICT=1 alone --tofa=app -L compiler -n8; then same failure success; fi
  same "" "$(ranks out)"
  same 1 "$(grep -c 'tofa: .*strict' err)"
  alone --tofa=app -L compiler -n8 &
  eventually grep -q "queued and waiting" err
  same "(null)" "$(head_run scontrol show job --oneliner | grep -o 'JobState=PENDING.* ReqNodeList=[^ ]*' | sed 's/.*=//')"
  occupy "n[000-001]" 2
  touch free
  wait
  same 8 "$(ranks out | wc -w)"
  same 0 "$(grep -cE 'n000|n001' out)"
  expect_said 1 "tofa: warning:"
  grep -E "cannot start at once on the nodes chosen \((Job dependency problem|Licenses currently unavailable)\)" err
  expect_said 0 "error:"
}

@test "a job of Slurm's choice is what its options say, quiet or not" {
  head_run srun --quiet -N1 -L compiler -w n007 sh -c 'until [ -e '"$PWD"'/free ]; do sleep 0.1; done' &
  eventually runs_on n007
  (sleep 2; touch free) &
  # Words, input, exit status and environment are those of the first attempt.
  echo hello | TOFA_TOPOLOGY=$TOFA_CLUSTER_DIR/shared/ring.toml head_run timeout 60 \
    srun -Q -L compiler --tofa=app -n2 -N2 sh -c 'cat; echo "$SLURM_PROCID [$0] [$1] ${TOFA_SLURM_REFUSED:-none}"; exit 3' "a b" '' >out 2>err && false
  same 3 "$?"
  wait
  same 2 "$(grep -c hello out)"
  same "0 [a b] [] none" "$(grep '^0' out)"
  # What Slurm refuses without tofa it refuses as clearly.
  if alone --tofa=app -n8 -C nowhere; then same failure success; fi
  expect_said 1 "error: Unable to allocate resources: Invalid feature specification"
}

@test "a job for which too few nodes are idle waits for its turn" {
  occupy "n[000-005]" 6
  alone --tofa=app -n8 &
  eventually grep -q "queued and waiting" err
  head_run scancel --user root --state=RUNNING
  wait
  expect_slurms "8 ranks"
}

@test "jobs and steps of several components run as Slurm places them" {
  SLURM_TOFA=app alone -n2 sh -c "$whoami" : -n2
  same 4 "$(ranks out | wc -w)"
  expect_said 1 "steps of several components cannot be placed"
  head_run timeout 60 salloc -Q -n2 : -n2 srun --tofa=app --het-group=0,1 sh -c "$whoami" >out 2>err
  same 4 "$(ranks out | wc -w)"
  expect_said 1 "steps of several components cannot be placed"
  head_run timeout 60 salloc -Q --tofa=app -n2 : -n2 srun sh -c "$whoami" >out 2>err
  same 2 "$(ranks out | wc -w)"
  expect_said 1 "steps of several components cannot be placed"
  head_run timeout 60 salloc -Q -n2 : -n2 srun --het-group=0,1 sh -c "$whoami" >out 2>err
  same 4 "$(ranks out | wc -w)"
  expect_silence
}
