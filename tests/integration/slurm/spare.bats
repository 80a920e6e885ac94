#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Jobs that wait, and choose among their nodes when they start: --tofa-spare. The site has a prolog, for which a job's
# first step has to wait, also one that was to start at once; what happens to such a job meanwhile.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # the ranks expand it
load support

setup_file() {
  printf '#!/bin/sh\nsleep 0.5\nwhile [ -e %s/hold ]; do sleep 0.1; done\n' "$BATS_FILE_TMPDIR" >"$BATS_FILE_TMPDIR/prolog"
  chmod -R a+rx "$BATS_FILE_TMPDIR"
  start_cluster_with_plugin --share "$BATS_FILE_TMPDIR" --conf PrologFlags=Alloc --conf "Prolog=$BATS_FILE_TMPDIR/prolog" 8
}
teardown_file() { end_cluster; }
# What a test that fails leaves behind is in no other's way.
teardown() {
  rm -f "$BATS_FILE_TMPDIR/hold"
  head_run scancel --user=root || true
}

suspect_nodes() {
  printf '[topology]\nkind = "torus"\nshape = [8]\nnodes = "n[000-007]"\n' >ring.toml
  export TOFA_TOPOLOGY=$PWD/ring.toml TOFA_OUTAGES=$PWD/outages
  printf 'n00%d 0.2\n' "$@" >outages
}

@test "a batch job gets the nodes it asked for and spare ones, and leaves out what fails" {
  suspect_nodes 1 4
  printf '#!/bin/sh\nsrun sh -c '\''%s'\''\necho "nodes $SLURM_JOB_NUM_NODES" >>out\ntouch ended\n' "$whoami" >script
  # Later releases allocate no more processors than tasks need, whatever --mincpus says.
  local whole=()
  [[ $(release) -lt 2311 ]] || whole=(--exclusive)
  head_run sbatch --quiet -N4 -n8 "${whole[@]}" --tofa=app --tofa-spare=2 -o out script
  eventually test -e ended
  same "nodes 6" "$(grep nodes out)"
  expect_placed
  same 0 "$(grep -cE 'n001|n004' out)"
}

@test "without a number of ranks there are as many as without spare nodes" {
  suspect_nodes 1
  in_job -N3 --ntasks-per-node=2 --tofa-spare=1 -- srun --tofa=app sh -c "$whoami"
  same 6 "$(ranks out | wc -w)"
  in_job -N7 --tofa-spare=1 -- srun --tofa=app sh -c "$whoami"
  same 7 "$(ranks out | wc -w)"
  same 0 "$(grep -c n001 out)"
}

@test "nodes with more processors than needed are as many as without spare nodes" {
  suspect_nodes 1
  in_job -N4 -n4 --exclusive --tofa-spare=2 -- srun --tofa=grid:4 -n4 sh -c "$whoami"
  expect_silence
  same 4 "$(used out | wc -w)"
  same 0 "$(grep -c n001 out)"
}

# next_job OPTIONS...: what a job finds that the script of another one submits.
next_job() {
  cat >second <<END
#!/bin/sh
env | grep -E "^SLURM_(TOFA|SPANK|JOB_NUM_NODES)" >seen
srun sh -c '$whoami' >out 2>err
touch ended
END
  printf '#!/bin/sh\nsbatch --quiet %s -o log2 second\n' "$*" >first
  rm -f ended
  head_run sbatch --quiet -N4 --tofa=app --tofa-spare=1 -o log first
  eventually test -e ended
}

@test "a job that a job submits has its own options, not those of the other" {
  next_job -N3
  same SLURM_JOB_NUM_NODES=3 "$(cat seen)"
  same "n000 n001 n002" "$(ranks out)"
  expect_silence
  next_job -N8 --tofa=app
  same 8 "$(ranks out | wc -w)"
  same "" "$(grep SLURM_TOFA_NODES seen)"
  next_job -N3 --tofa-spare=2
  same "SLURM_JOB_NUM_NODES=5 SLURM_TOFA_NODES=3" "$(grep -v SPANK seen | sort | paste -sd ' ')"
}

@test "a request that the user exports is for the jobs of a job, too" {
  printf '#!/bin/sh\nexport SLURM_TOFA=mine\nsbatch --quiet -N1 -o log2 --wrap "env | grep ^SLURM_TOFA >seen; touch ended"\n' >first
  head_run sbatch --quiet -N1 --tofa=app -o log first
  eventually test -e ended
  same "SLURM_TOFA=mine" "$(cat seen)"
  printf '#!/bin/sh\nsbatch --quiet -N1 -o log2 --wrap "env | grep ^SLURM_TOFA >seen; touch ended"\n' >first
  rm -f ended
  SLURM_TOFA=mine head_run sbatch --quiet -N1 --tofa=app -o log first
  eventually test -e ended
  same "SLURM_TOFA=mine" "$(cat seen)"
}

@test "what cannot be done is said, and the job runs" {
  head_run timeout 60 salloc -n8 --tofa-spare=2 srun hostname >out 2>err
  expect_said 1 "--tofa-spare needs one number of nodes (-N)"
  same 8 "$(wc -l <out)"
  head_run timeout 60 srun -N2 --tofa-spare=2 hostname >out 2>err
  expect_said 1 "--tofa-spare is for sbatch and salloc"
  same 2 "$(wc -l <out)"
  if head_run timeout 60 salloc -N2 --tofa-spare=many srun hostname >out 2>err; then same failure success; fi
  expect_said 1 "--tofa-spare=many: name a number of nodes"
}

@test "a job of srun's own waits for the prolog, not for other nodes" {
  head_run timeout 60 srun --tofa=app -n8 sh -c "$whoami" >out 2>err
  expect_silence
  expect_placed
}

# held OPTIONS...: a job of srun's own that has nodes and waits for the prolog; its number is in the variable job.
held() {
  touch "$BATS_FILE_TMPDIR/hold"
  head_run timeout 60 sh -c 'echo $$ >pid; exec srun --tofa=app -n8 "$@"' srun "$@" sh -c "$whoami" >out 2>err &
  srun=$!
  eventually eval '[ "$(head_run squeue -h -t R,CF -o %i)" ]'
  job=$(head_run squeue -h -t R,CF -o %i)
}
no_job() { [[ -z $(head_run squeue -h -t PD,R,S,CF -o %i) ]]; }

@test "a signal, or scancel, while a job waits for the prolog ends srun, quiet or not, and no job comes after" {
  local signal options
  for signal in INT TERM cancel; do
    for options in -t5 -Q; do
      held "$options"
      if [[ $signal == cancel ]]; then
        head_run scancel "$job"
      else
        head_run sh -c "kill -$signal \$(cat pid)"
      fi
      eventually no_job
      rm "$BATS_FILE_TMPDIR/hold"
      if wait "$srun"; then same failure "success after $signal, $options"; fi
      expect_said 0 "tofa:"
      same "" "$(cat out)"
      same "" "$(head_run scontrol show job --oneliner | sed -nE 's/^JobId=([0-9]+) .*/\1/p' | awk -v last="$job" '$1 > last')"
      eventually all_idle
    done
  done
}
all_idle() { [[ $(head_run sinfo -hN --format=%T | sort -u) == idle ]]; }

@test "a job whose step cannot start at once is not lost" {
  local suspended=yes
  held
  head_run scontrol suspend "$job" || suspended=
  rm "$BATS_FILE_TMPDIR/hold"
  wait "$srun"
  [[ $suspended ]] || skip "this Slurm suspends no job that waits for its prolog"
  same 8 "$(ranks out | wc -w)"
  expect_said 1 "tofa: warning:"
  expect_said 1 "cannot start at once on the nodes chosen (Requested operation is presently disabled)"
  expect_said 0 "error:"
}

@test "where srun would not say that it is refused, the job is Slurm's to place" {
  head_run timeout 60 srun -QQ --tofa=app -n8 sh -c "$whoami" >out 2>err
  same 8 "$(ranks out | wc -w)"
  expect_said 1 "leave one Q out"
}
