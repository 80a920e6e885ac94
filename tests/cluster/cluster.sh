#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A real Slurm cluster on one machine, up in seconds and gone without a trace: slurmctld, munged, and a slurmd on each of
# N nodes. A node is a set of namespaces (network, host name, mounts, processes) of its own, wired to a bridge that lives
# in the network namespace of the head, the machine with the controller. The host's network is not touched, and nothing
# is written outside the cluster's folder. `cluster.sh help` lists the verbs; README.md says what one can do with it.
set -euo pipefail

# Tests call this hundreds of times, and each process that is started on the way takes a hundredth of a second of a core:
# what is called for every verb starts none, and answers in variables.
here=.
[[ ${BASH_SOURCE[0]} != */* ]] || here=${BASH_SOURCE[0]%/*}
[[ $here == /* ]] || here=$PWD/$here
# shellcheck source=tests/cluster/configuration.bash
source "$here/configuration.bash"

dir=${TOFA_CLUSTER_DIR:-${TMPDIR:-/tmp}/tofa-cluster}
user=root
# How long anything may take to come up or to vanish; raise it on a slow machine.
deadline=${TOFA_CLUSTER_DEADLINE:-60}
interrupted=

usage() {
  cat <<'END'
Usage: cluster.sh [--dir DIR] [--user NAME] VERB...

  up [OPTIONS] N     start N nodes, n000, n001, ...
    --cpus C           processors of every node (default: 2)
    --node K[-L]=TEXT  what slurm.conf says about nodes K to L, e.g. --node 4-7="CPUs=8 RealMemory=4000"
    --conf LINE        a line for slurm.conf, instead of the script's own with that key
    --etc FILE         a file for /etc/slurm: plugstack.conf, topology.conf, ...
    --share PATH       a folder below /tmp that is the same on all machines, as is the checkout that this script belongs
                       to; /tmp itself is each one's own
  down               end everything and remove the cluster's folder
  sh [COMMAND...]    run a command, or a shell, on the head
  on K [COMMAND...]  the same on node K
  crash K            kill all that runs on node K, at once
  poweroff K         the same without a word on the network
  freeze K, thaw K   stop and continue all processes of node K
  unplug K, plug K   its network cable
  restore K          start a crashed or powered-off node again, and wait until Slurm has it back

DIR is where the cluster lives (default: $TOFA_CLUSTER_DIR, else tofa-cluster in $TMPDIR); clusters with different
folders do not see each other. DIR/shared is a folder that all its machines and users share, DIR/log has the logs.
END
}

die() {
  printf 'cluster.sh: %s\n' "$1" >&2
  exit "${2:-1}"
}

# eventually WHAT COMMAND...: waits until the command succeeds; a failure names what never came true. What takes long is
# asked for less often: Slurm's commands would keep a core busy, and late what is waited for.
eventually() {
  local what=$1 end=$((SECONDS + deadline)) pauses=(0.05 0.05 0.1 0.1 0.2 0.2 0.4) tries=0
  shift
  until "$@"; do
    [[ -z $interrupted ]] || die "interrupted"
    ((SECONDS < end)) || die "$what: not within $deadline s; see $dir/log (TOFA_CLUSTER_DEADLINE sets the limit)"
    sleep "${pauses[tries]}"
    ((tries + 1 == ${#pauses[@]})) || tries=$((tries + 1))
  done
}

require_programs() {
  local entry program package missing=()
  for entry in slurmctld:slurmctld slurmd:slurmd srun:slurm-client scontrol:slurm-client munged:munge ip:iproute2 \
    unshare:util-linux nsenter:util-linux setpriv:util-linux mount:mount hostname:hostname; do
    program=${entry%%:*} package=${entry#*:}
    command -v "$program" >/dev/null || missing+=("$package")
  done
  ((${#missing[@]} == 0)) ||
    die "missing programs; install: $(printf '%s\n' "${missing[@]}" | sort -u | paste -sd ' ')"
  ((EUID == 0)) || die "needs root: network namespaces and slurmd do"
}

# --- machines: the head and the nodes ---

node_name() { printf 'n%03d' "$1"; }

# start_time PID: `started`, in clock ticks, is when; with it, a process id cannot be mistaken for a later one.
start_time() {
  local stat
  started=
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -ra stat <<<"${stat##*) }"
  started=${stat[19]}
}

# holder_of NAME: a machine is held by a process `unshare`, `holder`...
holder_of() {
  local start
  { read -r holder start <"$dir/run/$1.pid"; } 2>/dev/null || return 1
  start_time "$holder" && [[ $started == "$start" ]]
}

# init_of NAME: ...whose only child is process 1 of the machine, `init`.
init_of() {
  init=
  holder_of "$1" || return 1
  { read -r init _ <"/proc/$holder/task/$holder/children"; } 2>/dev/null || true
  [[ -n $init ]]
}

is_running() { init_of "$1"; }
is_gone() { ! holder_of "$1"; }

# start_machine NAME ROLE ADDRESS: its process 1 is init.sh. It must not hold files of whoever called us open.
start_machine() {
  local name=$1
  (
    for fd in /proc/"$BASHPID"/fd/*; do
      fd=${fd##*/}
      if ((fd > 2 && fd != 255)); then exec {fd}>&-; fi
    done
    exec setsid unshare --net --uts --mount --pid --fork --kill-child --mount-proc \
      "$here/init.sh" "$dir" "$@" </dev/null >>"$dir/log/$name.out" 2>&1
  ) &
  start_time $! || true
  printf '%s %s\n' $! "$started" >"$dir/run/$name.pid"
  eventually "start of $name" is_running "$name"
}

# stop_machines NAME...: the kernel kills all other processes of a machine together with its process 1, and its holder
# ends once all of them have.
stop_machines() {
  local name
  for name in "$@"; do
    if init_of "$name"; then
      kill -KILL "$init" 2>/dev/null || true
    elif holder_of "$name"; then
      kill -KILL "$holder" 2>/dev/null || true
    fi
  done
  for name in "$@"; do eventually "end of $name" is_gone "$name"; done
}

# inside NAME COMMAND...: in the same folder there, as the chosen user.
inside() {
  local as=() name=$1
  shift
  init_of "$name" || die "$name is not running"
  if [[ $user != root ]]; then as=(setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups); fi
  # shellcheck disable=SC2016  # the inner shell expands it
  nsenter --target "$init" --net --uts --mount --pid -- sh -c 'cd "$1" 2>/dev/null || cd /; shift; exec "$@"' sh "$PWD" \
    "${as[@]}" "$@"
}

in_head_network() {
  init_of head || die "the head is not running"
  nsenter --target "$init" --net -- "$@"
}

# --- the cluster ---

# `count` is how many nodes the cluster has.
count_nodes() {
  [[ -s $dir/run/count ]] || die "no cluster in $dir; start one with: cluster.sh --dir $dir up N"
  read -r count <"$dir/run/count"
}

# require_node K [running|stopped]
require_node() {
  local name
  count_nodes
  if [[ ! ${1:-} =~ ^(0|[1-9][0-9]*)$ ]] || (($1 >= count)); then
    die "which node? 0 to $((count - 1)), not \"${1:-}\"" 2
  fi
  name=$(node_name "$1")
  case ${2:-} in
    running) is_running "$name" || die "$name is not running; start it with: restore $1" ;;
    stopped) ! is_running "$name" || die "$name is running; only a crashed or powered-off node can be restored" ;;
  esac
}

start_node() {
  local name
  name=$(node_name "$1")
  mkdir -p "$dir/tmp/$name"
  chmod 1777 "$dir/tmp/$name"
  start_machine "$name" node "$(node_address "$1")/16"
  eventually "network of $name" wire "$1"
}

# A node's link ends when its last process does; what is left of it then is removed here. Once the new end is there, the
# node takes it and starts its slurmd.
wire() {
  local node
  is_running head && init_of "$(node_name "$1")" || return 1
  node=$init
  in_head_network ip link delete "v$1" 2>/dev/null || true
  in_head_network ip link add "v$1" type veth peer name eth0 netns "$node" 2>/dev/null &&
    in_head_network ip link set "v$1" master bridge up
}

# The states of the nodes K... as Slurm sees them, one per line.
states() { inside head sinfo --noheader --Node --format=%T --nodes="$1" 2>/dev/null; }
controller_answers() { inside head scontrol ping >/dev/null 2>&1; }
slurmd_answers() { inside "$1" scontrol show slurmd >/dev/null 2>&1; }
head_reaches() { inside head timeout 2 bash -c "exec 3<>/dev/tcp/$1/6818" 2>/dev/null; }
usable() { [[ $(states "$1" | grep -cE '^(idle|mixed|allocated)$') == "$2" ]]; }

parse_up() {
  nodes=() cpus=2 node_lines=() conf_lines=() etc_files=() shares=("$(cd "$here/../.." && pwd -P)")
  while (($#)); do
    if [[ $1 != -* ]]; then
      nodes+=("$1")
      shift
      continue
    fi
    (($# > 1)) || die "$1 needs a value" 2
    case $1 in
      --cpus) cpus=$2 ;;
      --node) node_lines+=("$2") ;;
      --conf) conf_lines+=("$2") ;;
      --etc) etc_files+=("$(readlink -f "$2")") ;;
      --share) shares+=("$(readlink -f "$2")") ;;
      *) die "unknown option $1 of up; see: cluster.sh help" 2 ;;
    esac
    shift 2
  done
  [[ ${nodes[*]} =~ ^[1-9][0-9]{0,2}$ ]] || die "up needs one number of nodes, 1 to 999" 2
  [[ $cpus =~ ^[1-9][0-9]*$ ]] || die "--cpus $cpus is not a number of processors" 2
}

up() {
  local k nodes cpus node_lines conf_lines etc_files shares begin=$SECONDS
  parse_up "$@"
  require_programs
  dir=$(realpath -m "$dir")
  if [[ -e $dir ]]; then
    [[ ! -e $dir/run/count ]] || die "there is a cluster in $dir already; end it with: cluster.sh --dir $dir down"
    rmdir "$dir" 2>/dev/null || die "$dir is not an empty folder; name another with --dir"
  fi
  # A signal is noticed while something is waited for, never between a machine's start and the note of its process id.
  trap 'interrupted=yes' HUP INT TERM
  trap 'trap - EXIT; interrupted=; deadline=10; down_after_failure' EXIT
  write_configuration
  start_machine head head "$network.0.1/16"
  eventually "slurmctld" controller_answers
  for ((k = 0; k < nodes; k++)); do start_node "$k"; done
  eventually "$nodes idle nodes" usable "n[000-$(printf %03d $((nodes - 1)))]" "$nodes"
  [[ -z $interrupted ]] || die "interrupted"
  trap - EXIT
  printf '%d nodes up in %d s; folder %s\n' "$nodes" $((SECONDS - begin)) "$dir"
}

down_after_failure() {
  printf 'cluster.sh: not started; the logs say:\n' >&2
  tail -n 5 "$dir"/log/* >&2 || true
  down
  exit 1
}

down() {
  local machines
  [[ -e $dir ]] || return 0
  [[ -e $dir/run/count ]] || die "$dir has no cluster; not touched"
  mapfile -t machines < <(find "$dir/run" -name '*.pid' -printf '%f\n')
  stop_machines "${machines[@]%.pid}"
  rm -rf --one-file-system "$dir"
}

# signal_all SIGNAL K: to all processes of a node.
signal_all() {
  local namespace process pids=()
  init_of "$(node_name "$2")"
  namespace=$(readlink "/proc/$init/ns/pid")
  for process in /proc/[0-9]*; do
    if [[ $(readlink "$process/ns/pid" 2>/dev/null) == "$namespace" ]]; then pids+=("${process##*/}"); fi
  done
  kill "-$1" "${pids[@]}" 2>/dev/null || true
}

# The controller may not have noticed that the node was away: its slurmd must answer, too, also across the network, where
# others may still have the address of the card that the node had before.
restore() {
  local name
  name=$(node_name "$1")
  start_node "$1"
  eventually "slurmd of $name" slurmd_answers "$name"
  eventually "a way to $name" head_reaches "$name"
  eventually "return of $name" usable "$name" 1
}

run_on() {
  local name=$1
  shift
  if (($# == 0)); then set -- "${SHELL:-bash}"; fi
  inside "$name" "$@"
}

while [[ ${1:-} == --dir || ${1:-} == --user ]]; do
  (($# > 1)) || die "$1 needs a value" 2
  if [[ $1 == --dir ]]; then dir=$2; else user=$2; fi
  shift 2
done
[[ $dir == /* ]] || dir=$PWD/$dir
verb=${1:-help}
(($#)) && shift
case $verb in
  up | down) "$verb" "$@" ;;
  sh)
    count_nodes
    run_on head "$@"
    ;;
  on)
    require_node "${1:-}" running
    name=$(node_name "$1")
    shift
    run_on "$name" "$@"
    ;;
  crash)
    require_node "${1:-}" running
    stop_machines "$(node_name "$1")"
    ;;
  poweroff)
    require_node "${1:-}" running
    in_head_network ip link set "v$1" down
    stop_machines "$(node_name "$1")"
    ;;
  freeze) require_node "${1:-}" running && signal_all STOP "$1" ;;
  thaw) require_node "${1:-}" running && signal_all CONT "$1" ;;
  unplug) require_node "${1:-}" running && in_head_network ip link set "v$1" down ;;
  plug) require_node "${1:-}" running && in_head_network ip link set "v$1" up ;;
  restore)
    require_node "${1:-}" stopped
    restore "$1"
    ;;
  help | -h | --help) usage ;;
  *) die "unknown verb $verb; see: cluster.sh help" 2 ;;
esac
