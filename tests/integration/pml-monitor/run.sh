#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh CASE PROGRAMS PLUGINS TOFA: runs one case of the pml-monitor tests under the stock mpirun, in a directory of its own.
set -euo pipefail

case_name=$1 programs=$2 plugins=$3 tofa=$4
stock_plugins=$(ompi_info --parsable --path pkglibdir | cut -d: -f3)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mca_base_component_path=$stock_plugins:$plugins

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
# Jobs of one host share a folder, and the last to end removes it under those that start meanwhile.
export TMPDIR=$directory/tmp
mkdir "$TMPDIR" "$directory/work"
cd "$directory/work"

fail() {
  echo "$case_name: $*" >&2
  ls -l >&2
  exit 1
}

# job RANKS [mpirun options] PROGRAM [arguments]
job() {
  local ranks=$1
  shift
  timeout -k 5 120 mpirun --oversubscribe -n "$ranks" "$@"
}

monitored_job() {
  local ranks=$1 level=$2
  shift 2
  job "$ranks" --mca pml_monitoring_enable "$level" --mca pml_monitoring_filename traffic \
    --mca pml_monitoring_overwrite 1 "$@"
}

# entries FILE: without the head
entries() { grep -v '^%' "$1" | tail -n +2; }

# table STEM: `row column bytes messages` from both files
table() {
  local stem=$1 quantity
  for quantity in bytes messages; do
    head -n 1 "$stem.$quantity.mtx" | grep -qx '%%MatrixMarket matrix coordinate integer general' ||
      fail "$stem.$quantity.mtx has no Matrix Market banner"
    grep '^%tofa ' "$stem.$quantity.mtx" | cut -c 7- | jq -e --arg quantity "$quantity" \
      '.version == 1 and .quantity == $quantity' >/dev/null || fail "$stem.$quantity.mtx: metadata"
    entries "$stem.$quantity.mtx" | sort -c -n -k 1,1 -k 2,2 || fail "$stem.$quantity.mtx: order"
    [ "$(grep -v '^%' "$stem.$quantity.mtx" | head -n 1 | cut -d' ' -f3)" = \
      "$(entries "$stem.$quantity.mtx" | wc -l)" ] || fail "$stem.$quantity.mtx: wrong number of entries"
  done
  diff <(entries "$stem.bytes.mtx" | cut -d' ' -f1,2) \
    <(entries "$stem.messages.mtx" | cut -d' ' -f1,2) || fail "$stem: bytes and messages differ in pairs"
  paste -d' ' <(entries "$stem.bytes.mtx") <(entries "$stem.messages.mtx" | cut -d' ' -f3)
}

# A pair may be in several files: who gets something notes it in the row of its sender.
sum_up() {
  awk '{ b[$1 " " $2] += $3; m[$1 " " $2] += $4 } END { for (p in m) print p, b[p], m[p] }' | sort -n -k 1,1 -k 2,2
}

expected() { cat expected.* | sum_up; }

# same WHAT FILE FILE
same() { diff -u "$2" "$3" || fail "$1"; }

metadata() { grep '^%tofa ' "$1" | cut -c 7- | jq -r "$2"; }

no_files() {
  [ -z "$(find . -name '*.mtx*' -o -name '*.prof' -o -name '*.tmp' -o -name '*.counts')" ] || fail "files were written"
}

all_is_the_sum_of_the_classes() {
  local class
  for class in user collective one-sided io library; do
    [ ! -e "traffic.$class.bytes.mtx" ] || table "traffic.$class"
  done | sum_up >sum
  table traffic >all
  same "all traffic is not the sum of the classes" sum all
}

traffic_is_as_expected() {
  expected >wanted
  table "traffic.$1" >found
  same "$1 traffic" wanted found
}

user_traffic_is_as_expected() { traffic_is_as_expected user; }

binomial_tree_of_8() {
  printf '%s\n' '1 2 4 1' '1 3 4 1' '1 5 4 1' '2 4 4 1' '2 6 4 1' '3 7 4 1' '4 8 4 1' >wanted
  table "$1" >found
  same "broadcast tree" wanted found
}

binomial=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_bcast_algorithm 6)

case_patterns() {
  monitored_job 6 2 "$programs/pml_patterns"
  user_traffic_is_as_expected
  all_is_the_sum_of_the_classes
}

case_pml_ucx() {
  local ucx=(--mca opal_common_ucx_tls any --mca opal_common_ucx_devices any)
  job 2 --mca pml ucx "${ucx[@]}" "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  monitored_job 6 2 --mca pml ucx,tofa "${ucx[@]}" "$programs/pml_patterns"
  user_traffic_is_as_expected
  all_is_the_sum_of_the_classes
}

# Only plain sends: pml/cm over libfabric's TCP provider hangs in pml_patterns, with and without the monitor.
case_pml_cm() {
  job 2 --mca pml cm --mca mtl ofi "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  monitored_job 6 2 --mca pml cm,tofa --mca mtl ofi "$programs/pml_many"
  user_traffic_is_as_expected
  all_is_the_sum_of_the_classes
}

case_bcast_tree() {
  monitored_job 8 1 "${binomial[@]}" "$programs/pml_bcast"
  binomial_tree_of_8 traffic
  [ "$(metadata traffic.bytes.mtx '[.ranks, .phase, .open_mpi, .untracked_messages] | @csv')" = \
    "8,\"all\",\"$(mpirun --version | head -n 1 | awk '{ print $NF }')\",0" ] ||
    fail "metadata: $(metadata traffic.bytes.mtx .)"
  metadata traffic.bytes.mtx .command | grep -q pml_bcast || fail "metadata: command"
  metadata traffic.bytes.mtx .date | grep -qE '^20[0-9-]{8}T[0-9:]{8}Z$' || fail "metadata: date"
}

# Algorithm 1 goes through persistent requests and pml_start, algorithm 2 does not.
case_alltoall() {
  local algorithm row column
  for row in 1 2 3 4 5; do
    for column in 1 2 3 4 5; do
      [ $row = $column ] || echo "$row $column 64 1"
    done
  done >wanted
  for algorithm in 1 2; do
    monitored_job 5 1 --mca coll_tuned_use_dynamic_rules 1 \
      --mca coll_tuned_alltoall_algorithm $algorithm "$programs/pml_alltoall"
    table traffic >found
    same "algorithm $algorithm" wanted found
  done
}

# What MPI_Init sends to open connections is not the program's traffic.
case_start_up() {
  monitored_job 8 1 --mca mpi_preconnect_mpi 1 "${binomial[@]}" "$programs/pml_bcast"
  binomial_tree_of_8 traffic
}

case_reuse() {
  monitored_job 5 2 "$programs/pml_reuse"
  user_traffic_is_as_expected
  all_is_the_sum_of_the_classes
}

case_threads() {
  monitored_job 3 2 "$programs/pml_threads"
  user_traffic_is_as_expected
}

case_intercomm() {
  monitored_job 6 2 "$programs/pml_intercomm"
  expected >wanted
  table traffic.user | grep -vE '^(5 6|6 5) ' >found
  same "intercommunicator" wanted found
}

case_spawn() {
  monitored_job 2 2 "$programs/pml_spawn"
  user_traffic_is_as_expected
  all_is_the_sum_of_the_classes
  [ "$(metadata traffic.bytes.mtx .untracked_messages)" -ge 4 ] || fail "untracked messages"
  [ "$(metadata traffic.bytes.mtx .untracked_bytes)" -ge 310 ] || fail "untracked bytes"
  table traffic.spawn2.user >found
  same "the spawned job" wanted found
}

case_many() {
  monitored_job 24 2 "$programs/pml_many"
  user_traffic_is_as_expected
  monitored_job 1 1 "$programs/pml_many"
  [ -z "$(table traffic)" ] || fail "a single rank that sends nothing"
}

case_levels() {
  monitored_job 2 1 "$programs/pml_bcast"
  [ "$(echo *)" = "traffic.bytes.mtx traffic.messages.mtx traffic.ranks.json" ] || fail "files of level 1"
  monitored_job 2 2 "$programs/pml_bcast"
  [ "$(echo *)" = "traffic.bytes.mtx traffic.collective.bytes.mtx traffic.collective.messages.mtx \
traffic.messages.mtx traffic.ranks.json traffic.user.bytes.mtx traffic.user.messages.mtx" ] || fail "files of level 2"
  [ "$(metadata traffic.user.messages.mtx .phase)" = user ] || fail "phase"
}

case_default_name() {
  job 3 --mca pml_monitoring_enable 1 "$programs/pml_bcast"
  [ "$(echo *)" = "pml_bcast-3.bytes.mtx pml_bcast-3.messages.mtx pml_bcast-3.ranks.json" ] || fail "default name"
  rm ./pml_bcast-3.*
  OMPI_MCA_pml_monitoring_enable=1 timeout -k 5 60 "$programs/pml_bcast"
  [ "$(echo *)" = "pml_bcast-1.bytes.mtx pml_bcast-1.messages.mtx pml_bcast-1.ranks.json" ] || fail "without mpirun"
}

case_switched_off() {
  job 2 "$programs/pml_bcast" >out
  [ "$(grep -cx 'monitor not loaded' out)" = 2 ] || fail "loaded although off"
  job 2 --mca pml_monitoring_enable 0 --mca pml_monitoring_filename traffic "$programs/pml_bcast" >out
  [ "$(grep -cx 'monitor not loaded' out)" = 2 ] || fail "loaded although off"
  no_files
  monitored_job 2 1 "$programs/pml_bcast" >out
  [ "$(grep -cx 'monitor loaded' out)" = 2 ] || fail "not loaded although on"
  rm ./*.mtx
  # mpirun has the mapper here, and says once what is wrong; where the monitor is left out on purpose, nothing.
  monitored_job 2 1 --mca pml ob1 "$programs/pml_bcast" : -n 1 "$programs/pml_bcast" 2>said
  no_files
  [ "$(grep -c 'tofa: this job is not profiled: --mca pml ob1 .* write --mca pml ob1,tofa' said)" = 1 ] || fail "$(cat said)"
  local fine
  for fine in '^tofa' ob1,monitoring ob1,tofa; do
    monitored_job 2 1 --mca pml "$fine" "$programs/pml_bcast" 2>said
    ! grep -q 'not profiled' said || fail "$fine: $(cat said)"
  done
  rm ./*.mtx
  mkdir mapper_only
  cp "$plugins/mca_rmaps_tofa.so" mapper_only
  OMPI_MCA_mca_base_component_path=$stock_plugins:$PWD/mapper_only monitored_job 2 1 "$programs/pml_bcast" 2>said
  [ "$(grep -c 'mca_pml_tofa.so is in none of the folders' said)" = 1 ] || fail "$(cat said)"
  no_files
  monitored_job 2 1 --mca pml tofa,ob1 "$programs/pml_bcast"
  [ -f traffic.bytes.mtx ] || fail "--mca pml tofa,ob1"
  rm ./*.mtx
  job 2 --mca pml tofa,ob1 "$programs/pml_bcast" >out || fail "--mca pml tofa,ob1 with monitoring off"
  [ "$(grep -cx 'monitor not loaded' out)" = 2 ] || fail "loaded although off"
  no_files
}

# lines_of TAG: of files in Open MPI's own format, as `row column bytes messages`
lines_of() { awk -F'\t' -v tag="$1" '$1 == tag { print $2 + 1, $3 + 1, $4 + 0, $5 + 0 }' "${@:2}" | sort -n -k 1,1 -k 2,2; }

# same_as_matrices FILE...: E is user traffic, I is that of collectives and of the library for itself.
same_as_matrices() {
  lines_of E "$@" >user
  lines_of I "$@" >collective
  table traffic.user >user_matrix
  { table traffic.collective; [ ! -e traffic.library.bytes.mtx ] || table traffic.library; } | sum_up >collective_matrix
  [ -s user ] || fail "no lines: $(cat "$@")"
  same "E lines" user user_matrix
  same "I lines" collective collective_matrix
}

# Open MPI's own PML component reads the same parameters and must stay off. What else it offers is there: its files, on
# stdout and stderr, too; without it everything works all the same.
case_stock_monitoring() {
  monitored_job 5 2 --mca pml_monitoring_enable_output 3 "$programs/pml_patterns"
  [ "$(echo traffic.*.prof)" = "traffic.0.prof traffic.1.prof traffic.2.prof traffic.3.prof traffic.4.prof" ] || fail "files"
  same_as_matrices traffic.*.prof
  user_traffic_is_as_expected
  rm ./*.prof ./*.mtx
  # Of one rank: lines of several get mixed.
  monitored_job 1 2 --mca pml_monitoring_enable_output 1 "$programs/pml_patterns" >out
  same_as_matrices out
  monitored_job 1 2 --mca pml_monitoring_enable_output 2 "$programs/pml_patterns" 2>out
  same_as_matrices out
  [ -z "$(find . -name '*.prof')" ] || fail "files"
  rm ./*.mtx
  monitored_job 8 1 "${binomial[@]}" --mca pml ^monitoring --mca pml_monitoring_enable_output 3 \
    --mca coll_base_verbose 10 "$programs/pml_bcast" >log 2>&1
  binomial_tree_of_8 traffic
}

# Its variables, with 2 or on demand; its part is left out where only a graph is asked for.
case_stock_variables() {
  local rank
  monitored_job 4 2 "$programs/pml_variables" || fail "exit status $?"
  for rank in 0 1 2 3; do
    lines_of E flushed.$rank.prof >found
    printf '%d %d 104 26\n' $((rank + 1)) $(((rank + 1) % 4 + 1)) >wanted
    same "pml_monitoring_flush" wanted found
  done
  monitored_job 4 1 --mca pml_monitoring_stock 1 "$programs/pml_variables" || fail "exit status $?"
  if monitored_job 4 2 --mca pml_monitoring_stock 0 "$programs/pml_variables" 2>said; then fail "not left out"; fi
  grep -q pml_monitoring_messages_count said || fail "$(cat said)"
  if monitored_job 4 1 "$programs/pml_variables" 2>said; then fail "there although only a graph is asked for"; fi
}

# phase N: as `row column bytes messages`
phase() {
  [ "$(metadata "traffic.phase$1.bytes.mtx" .phase)" = "phase$1" ] || fail "head of phase $1"
  table "traffic.phase$1"
}

# Phases that the program tells with MPI_Pcontrol: 1 and 3 come twice, what is sent in none is only in the sum.
case_phases() {
  local library=$plugins/libtofa-pcontrol.so n row
  monitored_job 4 1 --mca pml_monitoring_phases 1 -x LD_PRELOAD="$library" "$programs/pml_phases" 2>said
  for n in 1 3; do
    for row in 1 2 3 4; do printf '%d %d %d 2\n' "$row" $((row % 4 + 1)) $((200 * n)); done >wanted
    phase $n >found
    same "phase $n" wanted found
  done
  [ "$(echo traffic.phase*.bytes.mtx)" = "traffic.phase1.bytes.mtx traffic.phase3.bytes.mtx" ] || fail "phases"
  grep -q 'tofa: 2 phases' said || fail "$(cat said)"
  for row in 1 2 3 4; do printf '%d %d 1800 6\n' "$row" $((row % 4 + 1)); done >wanted
  table traffic >found
  same "all" wanted found
  # They are graphs like any other.
  "$tofa" graph info --json traffic.phase3 | jq -e '.ranks == 4 and .total == 2400' >/dev/null || fail "graph info"
  "$tofa" graph sum traffic.phase1 traffic.phase3 -o sum.mtx
  "$tofa" graph info --json sum.mtx | jq -e '.total == 3200' >/dev/null || fail "graph sum"
  "$tofa" graph compare traffic.phase1 traffic.phase3 >found || [ $? = 1 ] || fail "graph compare"
  grep -q 'pairs that differ *4 of 4' found || fail "$(cat found)"
  # Without the library MPI_Pcontrol does nothing, and neither does the library without the parameter.
  rm ./*.mtx
  monitored_job 2 1 --mca pml_monitoring_phases 1 "$programs/pml_phases"
  monitored_job 2 1 -x LD_PRELOAD="$library" "$programs/pml_phases"
  LD_PRELOAD=$library job 2 "$programs/pml_phases"
  [ "$(echo ./*.bytes.mtx)" = ./traffic.bytes.mtx ] || fail "phases: $(ls)"
}

# Phases of a second each: together they hold what was sent, whenever that was.
case_windows_of_time() {
  local file
  monitored_job 3 1 --mca pml_monitoring_window 1 "$programs/pml_phases" 2500
  [ -f traffic.phase1.bytes.mtx ] || fail "no phases: $(ls)"
  [ "$(find . -name 'traffic.phase*.bytes.mtx' | wc -l)" -ge 2 ] || fail "one phase: $(ls)"
  for file in traffic.phase*.bytes.mtx; do table "${file%.bytes.mtx}"; done | sum_up >sum
  table traffic >all
  same "the sum of windows" sum all
}

case_own_parameters() {
  ompi_info --param pml tofa --level 9 >out
  grep -q '"pml_tofa_enable"' out || fail "ompi_info"
  job 8 "${binomial[@]}" --mca pml_tofa_enable 1 --mca pml_tofa_filename traffic "$programs/pml_bcast"
  binomial_tree_of_8 traffic
}

case_user_components() {
  unset OMPI_MCA_mca_base_component_path
  mkdir -p home/.openmpi/components
  cp "$plugins/mca_pml_tofa.so" home/.openmpi/components
  HOME=$PWD/home monitored_job 8 1 "${binomial[@]}" "$programs/pml_bcast"
  binomial_tree_of_8 traffic
}

# Ranks without the component must neither hang the job nor be waited for.
case_partial() {
  local on=(env OMPI_MCA_pml_monitoring_enable=1 OMPI_MCA_pml_monitoring_filename=traffic)
  job 2 "${on[@]}" "$programs/pml_bcast" : -n 2 "$programs/pml_bcast" 2>warnings
  [ "$(metadata traffic.bytes.mtx .missing_ranks)" = 2 ] || fail "missing ranks"
  [ "$(grep -c 'not monitored' warnings)" = 1 ] || fail "warnings: $(cat warnings)"
  rm ./*.mtx
  job 1 "$programs/pml_bcast" : -n 3 "${on[@]}" "$programs/pml_bcast" 2>warnings
  no_files
  [ "$(grep -c 'rank 0 is not monitored' warnings)" = 1 ] || fail "warnings: $(cat warnings)"
}

# two_nodes: in `nodes`, the options that start two daemons, each with a host name of its own.
two_nodes() {
  unshare --uts true 2>/dev/null || exit 77
  # shellcheck disable=SC2016
  printf '%s\n' '#!/bin/bash' 'host=$1; shift' 'exec unshare --uts bash -c "hostname $host; $*"' >agent
  chmod +x agent
  printf '%s\n' 'n0 slots=4' 'n1 slots=4' >hosts
  nodes=(--mca plm rsh --mca plm_rsh_agent "$PWD/agent" --hostfile hosts)
}

case_several_nodes() {
  two_nodes
  monitored_job 8 1 "${nodes[@]}" "${binomial[@]}" "$programs/pml_bcast"
  binomial_tree_of_8 traffic
  jq -e --arg job "${SLURM_JOB_ID-}" '.ranks == 8 and .mapping[0] == .mapping[3] and .mapping[4] == .mapping[7] and
    .mapping[0] != .mapping[7] and .seconds >= 0 and (.command | endswith("pml_bcast")) and (.job // "") == $job' \
    traffic.ranks.json >/dev/null || fail "$(cat traffic.ranks.json)"
}

# Without us, MPI_Finalize does not care about what the user's callbacks return. The job would end at its limit.
case_callback() {
  monitored_job 3 2 "$programs/pml_finalize" || fail "exit status $?"
  user_traffic_is_as_expected
  [ "$(metadata traffic.bytes.mtx .missing_ranks)" = 0 ] || fail "missing ranks"
}

# The time limit is not for ranks that still compute.
case_late_rank() {
  monitored_job 5 2 --mca pml_monitoring_timeout 1 "$programs/pml_finalize" 4 2>warnings
  user_traffic_is_as_expected
  [ "$(metadata traffic.bytes.mtx .missing_ranks)" = 0 ] || fail "missing ranks"
  [ "$(grep -c 'pml tofa' warnings)" = 1 ] || fail "warnings: $(cat warnings)"
}

# Who takes part is not known from MPI_Init, and not everybody does: on one node and on two.
case_no_exchange() {
  local on=(env OMPI_MCA_pml_monitoring_enable=1 OMPI_MCA_pml_monitoring_filename=traffic)
  local off=(--mca pmix_base_collect_data 0 --mca pml_monitoring_timeout 8)
  two_nodes
  local where
  for where in one two; do
    [ $where = two ] || nodes=()
    job 3 "${nodes[@]}" "${off[@]}" "${on[@]}" "$programs/pml_bcast" : -n 3 "$programs/pml_bcast" 2>warnings ||
      fail "exit status $?"
    [ "$(metadata traffic.bytes.mtx .missing)" = 3-5 ] || fail "missing: $(metadata traffic.bytes.mtx .)"
    [ "$(grep -c 'not monitored' warnings)" = 1 ] || fail "warnings: $(cat warnings)"
    rm ./*.mtx
    job 3 "${nodes[@]}" "${off[@]}" "$programs/pml_bcast" : -n 3 "${on[@]}" "$programs/pml_bcast" 2>warnings ||
      fail "exit status $?"
    no_files
    monitored_job 8 1 "${nodes[@]}" --mca pmix_base_collect_data 0 "${binomial[@]}" "$programs/pml_bcast"
    binomial_tree_of_8 traffic
    rm ./*.mtx
    two_nodes
  done
}

# The second node's ranks know that rank 0 takes part, but rank 0 learns of them only by talking to them, as where PMIx
# loses data in MPI_Init: only rank 0 hands its data out. It does not talk to rank 2, and what rank 3 has goes there.
case_unseen() {
  two_nodes
  printf '%s\n' 'n0 slots=1' 'n1 slots=3' >hosts
  local options=(--mca pml_monitoring_enable 1 --mca pml_monitoring_filename traffic --mca pml_monitoring_timeout 2)
  job 1 "${nodes[@]}" "${options[@]}" "$programs/pml_finalize" : -n 3 env OMPI_MCA_pmix_base_collect_data=0 \
    "$programs/pml_finalize" 2>warnings || fail "exit status $?"
  [ "$(metadata traffic.bytes.mtx .missing)" = 2-3 ] || fail "missing: $(metadata traffic.bytes.mtx .)"
  grep -q 'did not arrive within 2 seconds' warnings || fail "warnings: $(cat warnings)"
}

# What is said at the end: where the files are, and what is in them. A file of an earlier run is never replaced unasked.
case_earlier_results() {
  local on=(--mca pml_monitoring_enable 1 --mca pml_monitoring_filename traffic) name before
  for name in traffic traffic.1 traffic.2; do
    job 4 "${on[@]}" "$programs/pml_bcast" 2>said
    grep -q "tofa: $PWD/$name.bytes.mtx and .messages.mtx: 4 ranks sent 12 bytes in 3 messages\$" said || fail "$(cat said)"
  done
  [ "$(find . -name 'traffic*' | wc -l)" = 9 ] || fail "files"
  # A file of any class is one of a result, and so is the folder of a run that has not ended.
  : >only.user.messages.mtx
  ln -s /nowhere link.bytes.mtx
  mkdir busy.counts folder.bytes.mtx
  for name in only link busy folder; do
    job 2 --mca pml_monitoring_enable 1 --mca pml_monitoring_filename $name "$programs/pml_bcast" 2>/dev/null
    [ -f $name.1.bytes.mtx ] || fail "$name: no number"
  done
  before=$(stat -c %i traffic.bytes.mtx)
  job 2 "${on[@]}" --mca pml_monitoring_overwrite 1 "$programs/pml_bcast" 2>/dev/null
  [ "$(stat -c %i traffic.bytes.mtx)" != "$before" ] || fail "not replaced"
  job 2 --mca pml_tofa_enable 1 --mca pml_tofa_filename traffic --mca pml_tofa_overwrite 1 "$programs/pml_bcast"
  [ ! -e traffic.3.bytes.mtx ] || fail "pml_tofa_overwrite"
  [ -z "$(find . -name 'traffic*.counts' -o -name '.tofa*')" ] || fail "something is left"
}

case_names() {
  local long
  long=$(printf 'x%.0s' {1..229})
  job 2 --mca pml_monitoring_enable 2 --mca pml_monitoring_filename "$long" "$programs/pml_bcast" 2>/dev/null
  [ -f "$long.collective.messages.mtx" ] || fail "a long name"
  long=$(printf 'x%.0s' {1..250})
  job 2 --mca pml_monitoring_enable 2 --mca pml_monitoring_filename "$long" "$programs/pml_bcast" 2>warnings
  grep -q 'cannot write .*: File name too long' warnings || fail "a name that is too long"
  mkdir folder
  job 3 --mca pml_monitoring_enable 1 --mca pml_monitoring_filename folder/ "$programs/pml_bcast" 2>/dev/null
  [ "$(cd folder && echo .[!.]* *)" = ".[!.]* pml_bcast-3.bytes.mtx pml_bcast-3.messages.mtx pml_bcast-3.ranks.json" ] || fail "in a folder"
}

case_unwritable() {
  local stem
  touch file
  for stem in "$PWD/missing/traffic" "$PWD/file/traffic"; do
    job 6 --mca pml_monitoring_enable 2 --mca pml_monitoring_filename "$stem" \
      "$programs/pml_patterns" 2>warnings || fail "the job failed"
    [ "$(grep -c "cannot write $stem" warnings)" = 1 ] || fail "warnings: $(cat warnings)"
    [ "$(grep -c "pml tofa" warnings)" = 1 ] || fail "warnings: $(cat warnings)"
  done
  # It is said at once: this job does not get to MPI_Finalize.
  job 4 --mca pml_monitoring_enable 1 --mca pml_monitoring_filename missing/x "$programs/pml_die" abort >out 2>&1 || true
  grep -q "cannot write $PWD/missing/x" out || fail "not said at once: $(cat out)"
  mkdir traffic.messages.mtx
  monitored_job 4 1 "$programs/pml_bcast" 2>warnings || fail "the job failed"
  grep -q 'cannot write .*traffic.messages.mtx: Is a directory' warnings || fail "$(cat warnings)"
  [ -z "$(find . -name '*.tmp')" ] || fail "temporary files are left"
}

case_file_limit() {
  monitored_job 4 1 "$programs/pml_file_limit" 2>warnings || fail "the job failed: $(cat warnings)"
  grep -q 'cannot write .*traffic.*: File too large' warnings || fail "$(cat warnings)"
  [ ! -e traffic.bytes.mtx ] || fail "a part of a result is there"
}

# one_sided_job OSC [mpirun options]: exact counts, and the program does what it does without us.
one_sided_job() {
  local osc=$1
  shift
  monitored_job 5 2 --mca osc "$osc" "$@" "$programs/pml_windows" "$osc" ${argument:+"$argument"} >out 2>said ||
    fail "$osc: exit status $?: $(cat said)"
  traffic_is_as_expected one-sided
  all_is_the_sum_of_the_classes
  [ -z "$(table traffic.user)" ] || fail "$osc: one-sided traffic is counted as the user's, too"
  [ "$(metadata traffic.bytes.mtx .not_counted)" = null ] || fail "$osc: $(metadata traffic.bytes.mtx .not_counted)"
  job 5 --mca osc "$osc" "$@" "$programs/pml_windows" "$osc" ${argument:+"$argument"} >plain 2>said ||
    fail "$osc without us: exit status $?: $(cat said)"
  [ "$(grep -c 'sums up to' plain)" = 5 ] || fail "$osc: $(cat plain)"
  same "$osc: results" <(sort plain) <(sort out)
}

case_one_sided() {
  local osc argument=
  for osc in rdma pt2pt; do one_sided_job $osc; done
}

case_open_windows() {
  local osc argument=open
  for osc in rdma pt2pt; do one_sided_job $osc; done
}

case_one_sided_ucx() {
  local ucx=(--mca opal_common_ucx_tls any --mca opal_common_ucx_devices any) argument=
  job 5 --mca osc ucx --mca pml ucx "${ucx[@]}" "$programs/pml_windows" ucx >/dev/null 2>&1 || exit 77
  one_sided_job ucx --mca pml ucx,tofa "${ucx[@]}"
}

# Calls are counted over osc/sm as well; loads and stores are named.
case_shared_windows() {
  monitored_job 4 2 "$programs/pml_windows" shared 2>said
  traffic_is_as_expected one-sided
  [ "$(metadata traffic.bytes.mtx .not_counted)" = "shared-memory windows" ] || fail "$(metadata traffic.bytes.mtx .)"
  grep -q 'messages; not counted: shared-memory windows$' said || fail "$(cat said)"
}

# Not over osc/pt2pt, whose windows are not for threads.
case_window_threads() {
  local osc
  for osc in rdma sm; do
    monitored_job 3 2 --mca osc $osc "$programs/pml_window_threads" 2>said || fail "$osc: exit status $?: $(cat said)"
    traffic_is_as_expected one-sided
    all_is_the_sum_of_the_classes
  done
}

case_one_sided_killed() {
  if monitored_job 3 2 "$programs/pml_windows" kill >out 2>&1; then fail "exit status 0"; fi
  recovered 3 traffic.one-sided
}

# MPI-IO exchanges data on communicators of its own.
case_files() {
  local io
  for io in romio321 ompio; do
    monitored_job 4 2 --mca io $io "$programs/pml_files" 2>said || fail "$io: exit status $?: $(cat said)"
    user_traffic_is_as_expected
    [ "$(table traffic.io | awk '$3 > 1000' | wc -l)" -ge 3 ] || fail "$io: $(table traffic.io)"
    all_is_the_sum_of_the_classes
    rm ./*
  done
}

# What ranks agree on when a communicator is made is not taken for the program's collectives, or these for that.
case_handshakes() {
  monitored_job 4 2 "$programs/pml_handshakes"
  [ ! -e traffic.library.bytes.mtx ] || fail "there are no handshakes"
  table traffic.collective >wanted
  [ -s wanted ] || fail "no collectives"
  monitored_job 4 2 "$programs/pml_handshakes" communicators
  table traffic.collective >found
  same "collectives beside handshakes" wanted found
  [ -s traffic.library.bytes.mtx ] || fail "no handshakes"
  all_is_the_sum_of_the_classes
}

case_unseen_collectives() {
  job 4 --mca coll_sm_priority 100 "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  # With 2, Open MPI's own component stands in front of coll/sm.
  local level
  for level in 1 2; do
    monitored_job 4 $level --mca coll_sm_priority 100 "$programs/pml_bcast" 2>said
    [ "$(metadata traffic.bytes.mtx .not_counted)" = "coll/sm" ] || fail "level $level: $(metadata traffic.bytes.mtx .)"
    grep -q 'messages; not counted: coll/sm$' said || fail "$(cat said)"
    monitored_job 4 $level "$programs/pml_bcast" 2>said
    [ "$(metadata traffic.bytes.mtx .not_counted)" = null ] || fail "level $level: $(metadata traffic.bytes.mtx .)"
  done
}

# recovered RANKS [STEM]: what the dead left makes a graph, and each rank's row holds what it had noted to have sent, or one message
# more.
recovered() {
  local rank=0 waited=0 row sent messages
  # mpirun may end before the ranks that it has sent a signal to.
  until "$tofa" graph recover traffic >said 2>&1; do
    grep -q 'still runs' said || fail "recover: $(cat said)"
    ((++waited < 300)) || fail "ranks do not end: $(cat said)"
    sleep 0.1
  done
  table "${2:-traffic}" >found
  [ "$(wc -l <found)" = "$1" ] || fail "rows: $(cat found)"
  while read -r row _ _ messages; do
    sent=$(od -An -t u8 "sent.$rank" | tr -d ' ')
    ((row == rank + 1 && (messages == sent || messages == sent + 1))) ||
      fail "rank $rank has sent $sent messages, recovered are $messages"
    rank=$((rank + 1))
  done <found
  [ "$(metadata traffic.bytes.mtx .missing_ranks)" = 0 ] || fail "missing: $(metadata traffic.bytes.mtx .)"
  [ "$(metadata traffic.bytes.mtx .partial)" = "0-$(($1 - 1))" ] || fail "partial: $(metadata traffic.bytes.mtx .)"
  [ -z "$(find . -name '*.counts' -o -name '*.tmp')" ] || fail "something is left"
  rm ./*.mtx
}

case_deaths() {
  local how
  for how in abort exit segv kill; do
    rm -f sent.*
    if monitored_job 4 1 "$programs/pml_chatter" "$how" >out 2>&1; then fail "$how: exit status 0"; fi
    [ -z "$(find . -name '*.mtx')" ] || fail "$how: files were written"
    recovered 4
  done
  rm sent.*
  monitored_job 3 2 "$programs/pml_chatter" >out 2>&1 &
  ended_in_the_middle TERM mpirun
  [ -d traffic.counts ] || fail "no counts"
  recovered 3
}

# has_sent RANK: more than a few messages.
has_sent() { [ -s "sent.$1" ] && [ "$(od -An -t u8 "sent.$1")" -gt 100 ]; }

# descendants PID NAME: processes started by this one, or by one of these, that have this name.
descendants() {
  local child
  for child in $(pgrep -P "$1"); do
    [ "$(ps -o comm= -p "$child")" != "$2" ] || echo "$child"
    descendants "$child" "$2"
  done
}

# ended_in_the_middle SIGNAL PROGRAM: the job in the background has talked for a while; then one of it gets the signal.
ended_in_the_middle() {
  local job=$! pids=() waited=0
  until has_sent 0; do
    sleep 0.1
    ((++waited < 300)) || fail "the job does not start: $(cat out)"
  done
  sleep "0.$((RANDOM % 10))"
  mapfile -t pids < <(descendants "$job" "$2")
  ((${#pids[@]})) || fail "no $2 to end"
  kill -s "$1" "${pids[RANDOM % ${#pids[@]}]}"
  wait "$job" || true
}

case_random_kills() {
  local round
  for round in 1 2 3 4; do
    rm -f sent.*
    monitored_job 5 1 "$programs/pml_chatter" >out 2>&1 &
    ended_in_the_middle KILL pml_chatter
    [ -d traffic.counts ] || fail "round $round: no counts"
    recovered 5
  done
}

# The others wait in MPI_Finalize for the rank that dies: what they have counted is all they will.
case_abort() {
  local how
  for how in abort exit signal; do
    if monitored_job 4 2 "$programs/pml_die" "$how" >out 2>&1; then fail "$how: exit status 0"; fi
    [ -z "$(find . -name '*.mtx' -o -name '*.tmp')" ] || fail "files were written"
    "$tofa" graph recover traffic.counts/ -o found >said
    [ "$(metadata found.bytes.mtx .partial)" != null ] || fail "partial"
    [ -f found.user.bytes.mtx ] || fail "no user traffic"
    [ ! -e traffic.counts ] || fail "the counts are left"
    rm ./*.mtx
  done
}

# While the job runs, its counts are not taken away.
case_running() {
  monitored_job 2 1 "$programs/pml_chatter" >out 2>&1 &
  local job=$! pids=() waited=0
  until has_sent 1; do
    sleep 0.1
    ((++waited < 300)) || fail "the job does not start"
  done
  if "$tofa" graph recover traffic 2>said; then fail "recovered a job that runs"; fi
  grep -q 'still runs' said || fail "$(cat said)"
  "$tofa" graph recover traffic -o sofar --running
  [ -s sofar.bytes.mtx ] || fail "no snapshot"
  mapfile -t pids < <(descendants "$job" mpirun)
  kill "${pids[@]}"
  wait "$job" || true
  recovered 2
}

"case_$case_name"
