#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Steps that need more than processors, or live beside and inside each other, on nodes with GPUs and hyper-threads: with
# --tofa each starts that starts without, and its ranks get the same.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # the ranks expand it
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

setup_file() {
  printf 'Name=gpu File=/dev/tty[0-1]\n' >"$BATS_FILE_TMPDIR/gres.conf"
  start_cluster_with_plugin --conf GresTypes=gpu --etc "$BATS_FILE_TMPDIR/gres.conf" \
    --node "0-5=CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=2 ThreadsPerCore=2 RealMemory=4000 Gres=gpu:2" 6
}
teardown_file() { end_cluster; }

# What a rank has, without where it is: GPUs, and processors that its step was given on the node.
has='echo "rank $SLURM_PROCID gpus=${CUDA_VISIBLE_DEVICES:-} node=$(hostname)"; echo "tasks $SLURM_TASKS_PER_NODE"'

# Ranks per node, and GPUs of all ranks on each node, in order of size: what a placement may not change.
shape() { sed -n 's/^rank [0-9]* //p' "$1" | sort -k 2 | awk '{ n[$2]++; split($1, g, "="); u[$2] = u[$2] " " g[2] } END { for (h in n) print n[h], u[h] }' | sort; }

# same_as_plain "JOB OPTIONS" "STEP OPTIONS": a step that plain srun starts starts with --tofa, and has the same if it was declined.
same_as_plain() {
  local plain=0 placed=0
  # shellcheck disable=SC2086  # several words
  in_job $1 -- srun $2 sh -c "$has" || plain=$?
  mv out plain
  # shellcheck disable=SC2086
  in_job $1 -- srun --tofa=app $2 sh -c "$has" || placed=$?
  same "$plain" "$placed" || { echo "job $1, step $2" && cat err && return 1; }
  same "$(grep -c ^rank plain)" "$(grep -c ^rank out)"
  if grep -q "default placement is used" err; then
    same 1 "$(grep -c tofa: err)"
    same "$(shape plain)" "$(shape out)"
  fi
}

@test "GPUs by task, by node, in all; tasks by GPU" {
  same_as_plain "-N4 --exclusive -n8 --gpus-per-task=1" "-n8"
  same_as_plain "-N4 --exclusive -n8 --gpus-per-node=2" "-n8 --gpus-per-task=1"
  same_as_plain "-N4 --exclusive --gpus-per-node=2" "-n8 --ntasks-per-gpu=1 --gpus=8"
  same_as_plain "-N4 --exclusive --gpus=8 -n8" "-n8"
  same_as_plain "-N4 --exclusive -n8 --gres=gpu:2" "-n8"
}

@test "hyper-threads and cores" {
  same_as_plain "-N4 --exclusive -n8" "-n8 --hint=nomultithread"
  expect_silence
  same_as_plain "-N4 --exclusive -n8" "-n8 --ntasks-per-core=1"
  same_as_plain "-N4 --exclusive -n8" "-n8 --threads-per-core=1"
  same_as_plain "-N4 --exclusive -n8 --ntasks-per-core=1" "-n8"
  same_as_plain "-N4 --exclusive -n8 --ntasks-per-socket=2" "-n8"
}

@test "memory, and what else a step may ask for" {
  same_as_plain "-N4 --exclusive -n8 --mem=2000" "-n8 --mem=1000"
  same_as_plain "-N4 --exclusive -n8" "-n8 -c2 --mem-per-cpu=100"
  same_as_plain "-N4 -n8 --exclusive" "-n8 --exact"
  same_as_plain "-N4 -n8 --exclusive" "-n8 --bcast=/tmp/x --label"
}

@test "tasks of an array that share nodes do not take each other's steps for their own" {
  printf '%%%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 3 1000\n2 4 1000\n' >four.mtx
  cat >script <<'END'
#!/bin/sh
if [ "$SLURM_ARRAY_TASK_ID" = 0 ]; then
  srun -n4 sh -c 'touch runs$SLURM_PROCID; until [ -e ended ]; do sleep 0.1; done'
else
  until [ -e runs0 ] && [ -e runs1 ] && [ -e runs2 ] && [ -e runs3 ]; do sleep 0.1; done
  [ "$SLURM_JOB_ID" = "$SLURM_ARRAY_JOB_ID" ] && touch last
  srun --tofa=four.mtx --ntasks-per-core=1 -n4 sh -c 'echo "$SLURM_PROCID $(hostname)"' >out 2>err
  touch ended
fi
END
  head_run sbatch --quiet --array=0-1 -N4 -n4 -w 'n[000-003]' -o log script
  eventually test -e ended
  test -e last
  expect_silence
  same 4 "$(ranks out | wc -w)"
}

@test "a step inside a placed step" {
  in_job -N6 -n24 -- srun --tofa=app -n8 sh -c '[ "$SLURM_PROCID" != 0 ] || srun --overlap -n4 hostname'
  expect_silence
  same 4 "$(grep -c ^n00 out)"
  in_job -N6 -n24 -- srun --tofa=app -n8 sh -c 'echo "${SLURM_DISTRIBUTION:-none}"'
  same none "$(sort -u out)"
}

@test "a shell and single tasks in a job that asks are left alone, what follows is placed" {
  in_job -N6 -n24 --tofa=app -- srun --interactive --preserve-env sh -c "srun -n8 sh -c '$whoami'"
  expect_silence
  expect_placed out 2
  in_job -N6 -n24 --tofa=app -- srun -n1 sh -c "$whoami"
  expect_silence
  expect_ranks n000
}

@test "-N with --ntasks-per-node" {
  in_job -N4 --exclusive -- srun --tofa=app -N4 --ntasks-per-node=2 sh -c "$whoami"
  expect_silence
  expect_placed
  in_job -N4 --exclusive -- srun --tofa=app --ntasks-per-node=2 sh -c "$whoami; echo ntasks \$SLURM_NTASKS"
  expect_placed
  same "ntasks 8" "$(grep ntasks out | sort -u)"
  head_run timeout 60 srun --tofa=app -N4 --ntasks-per-node=2 sh -c "$whoami" >out 2>err
  expect_placed
}

@test "the program lies beside its profile" {
  printf '#!/bin/sh\n%s\n' "$whoami" >app
  chmod +x app
  in_job -N6 -n24 -- srun --tofa=app -n8 ./app
  expect_silence
  expect_placed out 2
}

@test "an option that nobody knows is not guessed" {
  if in_job -N6 -n24 -- srun --tofa=app --from-tomorrow 2 -n8 sh -c "$whoami"; then same failure success; fi
  expect_said 1 "write --from-tomorrow=VALUE"
}

@test "the nodes of a new job have the processors of their ranks" {
  printf '%%%%MatrixMarket matrix coordinate integer general\n6 6 3\n1 4 1000\n2 5 1000\n3 6 1000\n' >six.mtx
  local options
  for options in "-N2" "" "--hint=nomultithread"; do
    # shellcheck disable=SC2086  # several words
    head_run timeout 60 srun --tofa=six.mtx -n6 $options sh -c "$whoami; echo cpus \$SLURM_CPUS_ON_NODE" >out 2>err
    same 6 "$(ranks out | wc -w)"
    # As many processors on each node as ranks, and no fewer.
    same "" "$(ranks out | tr ' ' '\n' | sort | uniq -c | awk -v cpus="$(sed -n 's/^cpus //p' out | sort -n | head -n 1)" '$1 > cpus')"
  done
}
