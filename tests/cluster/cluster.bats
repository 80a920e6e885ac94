#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The cluster for tests itself: what its verbs promise, on four nodes, and that it leaves nothing behind.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2016  # eval expands it
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

setup_file() {
  start_cluster --node '3=CPUs=4 RealMemory=2000' --conf SlurmdTimeout=5 --conf MessageTimeout=3 4
}

teardown_file() { end_cluster; }

# What a test that failed half way has left: nodes that are down, and clusters of its own.
teardown() {
  local dir node
  for node in 0 1 2 3; do
    cluster on "$node" true 2>/dev/null || cluster restore "$node"
  done
  for dir in "$BATS_TEST_TMPDIR"/*/run/count; do
    if [[ -e $dir ]]; then cluster --dir "${dir%/run/count}" down; fi
  done
}

# reaches K HOST: whether node K gets a connection to the slurmd of a host.
reaches() { cluster on "$1" timeout 2 bash -c "exec 3<>/dev/tcp/$2/6818" 2>/dev/null; }
cannot_reach() { ! reaches "$@"; }

# traces DIR: processes, mounts and files that have to do with a cluster.
traces() {
  local process
  for process in /proc/[0-9]*; do
    if [[ ${process##*/} != "$$" ]] && tr '\0' ' ' 2>/dev/null <"$process/cmdline" | grep -F -- "$1"; then :; fi
    grep -hF -- "$1" "$process/mountinfo" 2>/dev/null || true
  done
  find "$1" 2>/dev/null || true
}

# in_namespaces INODE...: processes that are in one of these network namespaces.
in_namespaces() {
  local process inode
  for process in /proc/[0-9]*; do
    inode=$(readlink "$process/ns/net" 2>/dev/null) || continue
    if [[ " $* " == *" $inode "* ]]; then echo "$process in $inode"; fi
  done
}

@test "srun sees as many hosts as there are nodes" {
  same "n000 n001 n002 n003" "$(head_run srun -N4 hostname | sort | paste -sd ' ')"
}

@test "nodes have what they were given, and the rest is theirs alone" {
  same "2 2 2 4" "$(head_run sinfo -h -N -o %c | paste -sd ' ')"
  same n002 "$(cluster on 2 hostname)"
  same 10.99.1.3 "$(cluster on 2 hostname -I | tr -d ' ')"
  cluster on 2 touch /tmp/mine /dev/shm/mine
  cluster on 1 sh -c '[ ! -e /tmp/mine ] && [ ! -e /dev/shm/mine ]'
  cluster on 2 touch "$TOFA_CLUSTER_DIR/shared/ours"
  cluster on 1 ls "$TOFA_CLUSTER_DIR/shared/ours"
  same 0 "$(ip link show 2>/dev/null | grep -cE ' v[0-9]+@|bridge')"
}

@test "users other than root can submit" {
  same "nobody nobody" "$(cluster --user nobody sh srun -N2 id -un | paste -sd ' ')"
  cd "$TOFA_CLUSTER_DIR/shared"
  printf '#!/bin/sh\nsrun hostname >out\n' >script
  chmod 644 script
  cluster --user nobody sh sbatch -N2 script
  eventually grep -q n001 out
  same "n000 n001" "$(sort out | paste -sd ' ')"
}

@test "a crash kills the job, Slurm notices, and the node comes back" {
  local job started=$TOFA_CLUSTER_DIR/shared/started
  head_run srun -w n001 sh -c "touch $started; sleep 300" >"$BATS_TEST_TMPDIR/out" 2>&1 &
  job=$!
  eventually test -e "$started"
  cluster crash 1
  run cluster on 1 true
  same 1 "$status"
  eventually state_is n001 down
  wait "$job" || true
  grep -q 'Node failure on n001' "$BATS_TEST_TMPDIR/out" || { cat "$BATS_TEST_TMPDIR/out" && return 1; }
  cluster restore 1
  same idle "$(state n001)"
  same n001 "$(head_run srun -w n001 hostname)"
}

@test "a node that was powered off is silent, and comes back" {
  cluster poweroff 2
  cannot_reach 0 n002
  eventually state_is n002 'down|\*'
  cluster restore 2
  reaches 0 n002
  same n002 "$(head_run srun -w n002 hostname)"
}

@test "a node restored at once, before anybody noticed" {
  cluster crash 3
  cluster restore 3
  same n003 "$(head_run srun -w n003 hostname)"
}

@test "a frozen node does not answer until it thaws" {
  cluster freeze 1
  eventually state_is n001 'down|\*'
  cluster thaw 1
  eventually state_is n001 'idle$'
  same n001 "$(head_run srun -w n001 hostname)"
}

@test "an unplugged node cannot be reached until it is plugged in" {
  reaches 0 n003
  cluster unplug 3
  cannot_reach 0 n003
  cannot_reach 3 n000
  cluster plug 3
  eventually reaches 0 n003
}

@test "wrong uses are refused, with what to do instead" {
  run cluster on 4 true
  same 'cluster.sh: which node? 0 to 3, not "4"' "$output"
  run cluster restore 0
  [[ $status == 1 && $output == *"n000 is running"* ]]
  run cluster up 2
  [[ $status == 1 && $output == *"already; end it with"* ]]
  run cluster --dir "$BATS_TEST_TMPDIR/none" sh true
  [[ $status == 1 && $output == *"no cluster in"* ]]
  run cluster --dir "$BATS_TEST_DIRNAME" down
  [[ $status == 1 && $output == *"not touched"* ]]
  run cluster --dir "$BATS_TEST_DIRNAME" up 2
  [[ $status == 1 && $output == *"not an empty folder"* ]]
  run cluster up
  same 2 "$status"
  run cluster explode 1
  same 2 "$status"
}

@test "what is missing is named" {
  local program
  mkdir "$BATS_TEST_TMPDIR/bin"
  for program in timeout bash env dirname realpath sort paste unshare nsenter setpriv mount hostname; do
    ln -s "$(command -v $program)" "$BATS_TEST_TMPDIR/bin/"
  done
  PATH=$BATS_TEST_TMPDIR/bin run cluster --dir "$BATS_TEST_TMPDIR/none" up 2
  same "cluster.sh: missing programs; install: iproute2 munge slurm-client slurmctld slurmd" "$output"
  run setpriv --reuid nobody --clear-groups bash "$cluster_sh" --dir /tmp/tofa-none up 2
  same "cluster.sh: needs root: network namespaces and slurmd do" "$output"
}

@test "a second cluster beside the first, which leaves nothing behind" {
  local dir=$BATS_TEST_TMPDIR/second namespaces=() process
  chmod 755 "$BATS_TEST_TMPDIR"
  cluster --dir "$dir" up 2
  same "n000 n001" "$(cluster --dir "$dir" sh srun -N2 hostname | sort | paste -sd ' ')"
  same 4 "$(head_run srun -N4 hostname | wc -l)"
  cluster --dir "$dir" sh sbatch -N2 --output=/dev/null --wrap 'srun sleep 1000'
  while read -r process; do namespaces+=("$(readlink "/proc/$process/ns/net")"); done < <(pgrep -f "init.sh $dir ")
  ((${#namespaces[@]} >= 3))
  [[ -n $(traces "$dir") && -n $(in_namespaces "${namespaces[@]}") ]]
  cluster --dir "$dir" crash 0
  cluster --dir "$dir" freeze 1
  cluster --dir "$dir" down
  same "" "$(traces "$dir")"
  same "" "$(in_namespaces "${namespaces[@]}")"
}

@test "nodes see a checkout that is below /tmp" {
  local checkout=$BATS_TEST_TMPDIR/checkout dir=$BATS_TEST_TMPDIR/cluster
  mkdir -p "$checkout/tests"
  chmod -R 755 "$BATS_TEST_TMPDIR"
  cp -r "${cluster_sh%/*}" "$checkout/tests/cluster"
  echo "built here" >"$checkout/program"
  local cluster_sh=$checkout/tests/cluster/cluster.sh
  cluster --dir "$dir" up 1
  same "built here" "$(cluster --dir "$dir" on 0 cat "$checkout/program")"
  cluster --dir "$dir" down
}

@test "a cluster whose folder was removed ends, too" {
  local dir=$BATS_TEST_TMPDIR/removed
  chmod 755 "$BATS_TEST_TMPDIR"
  cluster --dir "$dir" up 2
  [[ -n $(traces "$dir") ]]
  rm -rf --one-file-system "$dir"
  eventually eval '[[ -z $(traces "$dir") ]]'
}

@test "a start that fails leaves nothing behind" {
  local dir=$BATS_TEST_TMPDIR/failed
  TOFA_CLUSTER_DEADLINE=3 run cluster --dir "$dir" up --conf SelectType=select/none 2
  [[ $status == 1 && $output == *"slurmctld: not within 3 s"* ]]
  same "" "$(traces "$dir")"
  # The nodes never get ready: their daemons have no such plugin.
  TOFA_CLUSTER_DEADLINE=3 run cluster --dir "$dir" up --conf TaskPlugin=task/none,task/missing 2
  [[ $status == 1 && $output == *"2 idle nodes: not within 3 s"* ]]
  same "" "$(traces "$dir")"
}

@test "a start that is interrupted leaves nothing behind" {
  local dir=$BATS_TEST_TMPDIR/interrupted node starter interrupted=0
  for node in head n000 n003 n006; do
    "$cluster_sh" --dir "$dir" up 8 >/dev/null 2>&1 3>&- &
    starter=$!
    eventually test -e "$dir/run/$node.pid"
    if kill "$starter" 2>/dev/null; then
      wait "$starter" && same "failure" "success"
      interrupted=$((interrupted + 1))
    else # on a busy machine it may be over before that is seen
      wait "$starter"
      cluster --dir "$dir" down
    fi
    same "" "$(traces "$dir")"
  done
  ((interrupted > 0))
}
