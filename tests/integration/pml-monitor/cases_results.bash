# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: settings, ranks that are missing, files.

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
  rm ./traffic.*
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
    rm ./traffic.*
    job 3 "${nodes[@]}" "${off[@]}" "$programs/pml_bcast" : -n 3 "${on[@]}" "$programs/pml_bcast" 2>warnings ||
      fail "exit status $?"
    no_files
    monitored_job 8 1 "${nodes[@]}" --mca pmix_base_collect_data 0 "${binomial[@]}" "$programs/pml_bcast"
    binomial_tree_of_8 traffic
    rm ./traffic.*
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

# The files of one run, whatever an earlier one has left under its name.
case_replaced() {
  local library=$plugins/libtofa-pcontrol.so file
  monitored_job 4 2 --mca pml_monitoring_phases 1 -x LD_PRELOAD="$library" "$programs/pml_phases" 2>/dev/null
  for file in traffic.phase3.bytes.mtx traffic.user.bytes.mtx; do [ -f $file ] || fail "no $file to replace"; done
  : >traffic.1.bytes.mtx
  # While a program runs, what was there is there: this one does not get to MPI_Finalize.
  if monitored_job 2 1 "$programs/pml_die" abort >out 2>&1; then fail "exit status 0"; fi
  for file in traffic.phase3.bytes.mtx traffic.bytes.mtx; do [ -f $file ] || fail "$file is gone before the new result is there"; done
  # What it left can take the place of the earlier result, too.
  mkdir recovered
  cp -rp ./traffic.* recovered
  "$tofa" graph recover recovered/traffic --overwrite >said
  [ "$(cd recovered && echo traffic*)" = "traffic.1.bytes.mtx traffic.bytes.mtx traffic.messages.mtx traffic.ranks.json" ] ||
    fail "a mixture is recovered: $(echo recovered/*)"
  monitored_job 2 1 "$programs/pml_bcast" 2>/dev/null
  [ "$(echo traffic*)" = "traffic.1.bytes.mtx traffic.bytes.mtx traffic.messages.mtx traffic.ranks.json" ] ||
    fail "a mixture: $(echo traffic*)"
  [ -z "$(find . -name '.tofa*')" ] || fail "something is left"
}

# On NFS a file that is removed while somebody has it open or mapped stays under another name, and its folder with it. The file in
# which rank 0 keeps what comes is of this kind, as there are none without a name.
case_nfs() {
  local library libraries=$programs/libpml_nfs.so
  for library in calls pcontrol; do libraries+=:$plugins/libtofa-$library.so; done
  monitored_job 4 2 --mca pml_monitoring_phases 1 --mca pml_monitoring_sizes 1 -x LD_PRELOAD="$libraries" \
    "$programs/pml_phases" 2>said || fail "exit status $?: $(cat said)"
  grep -q 'nfs: removed while somebody has it: .*/traffic.counts/.tofa-' said || fail "not as on NFS: $(cat said)"
  [ -f traffic.bytes.mtx ] || fail "no result: $(cat said)"
  jq -e '.mpi_seconds | length == 4' traffic.ranks.json >/dev/null || fail "$(cat traffic.ranks.json)"
  [ ! -e traffic.counts ] || fail "the folder is left: $(ls -A traffic.counts) $(cat said)"
  # What goes is not taken from under a thread that is still counted.
  monitored_job 4 1 -x LD_PRELOAD="$libraries" "$programs/pml_polling" 2>said || fail "exit status $?: $(cat said)"
  [ ! -e traffic.counts ] || fail "the folder is left: $(ls -A traffic.counts) $(cat said)"
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

# The counts that could not be written are told of, and still there.
can_be_recovered() {
  grep -q 'What was counted is in .*traffic.counts, see tofa graph recover' warnings || fail "$(cat warnings)"
  "$tofa" graph recover traffic -o found 2>said || fail "not recovered: $(cat said)"
  [ "$("$tofa" graph info found --json | jq .ranks)" = 4 ] || fail "recovered: $(cat said)"
}

case_file_limit() {
  monitored_job 4 1 "$programs/pml_file_limit" 2>warnings || fail "the job failed: $(cat warnings)"
  grep -q 'cannot write .*traffic.*: File too large' warnings || fail "$(cat warnings)"
  [ ! -e traffic.bytes.mtx ] || fail "a part of a result is there"
  can_be_recovered
}

# calls OF-RANK...: the calls that NAME.ranks.json has, and times that can be.
calls() {
  local wanted
  wanted=$(IFS=,; echo "[$*]")
  jq -e ".mpi_calls == $wanted and (.run_seconds | length) == $# and
    ([.run_seconds, .mpi_seconds] | transpose | all(.[0] >= .[1] and .[1] > 0))" traffic.ranks.json >/dev/null ||
    fail "not $wanted: $(cat traffic.ranks.json)"
}

# What is asserted of times holds on any machine: a call lasts as long as what it calls.
case_calls() {
  local library=$plugins/libtofa-calls.so
  monitored_job 3 1 -x LD_PRELOAD="$library" "$programs/pml_timing" 2>said
  calls 7 8 9
  jq -e '.mpi_seconds | all(. >= 0.2)' traffic.ranks.json >/dev/null || fail "$(cat traffic.ranks.json)"
  "$tofa" graph info traffic | grep -q '^time in MPI .* rank' || fail "graph info"
  # Without it: run times only. Without the monitor: nothing at all.
  monitored_job 3 1 "$programs/pml_timing" 2>said
  jq -e '(.run_seconds | length) == 3 and (.run_seconds | all(. >= 0.2)) and .mpi_seconds == null and
    .mpi_calls == null' traffic.ranks.json >/dev/null || fail "$(cat traffic.ranks.json)"
  rm traffic.*
  job 2 -x LD_PRELOAD="$library" "$programs/pml_timing"
  no_files
  # All programs do what they did, counted as they were.
  monitored_job 6 2 -x LD_PRELOAD="$library" "$programs/pml_patterns" 2>said
  user_traffic_is_as_expected
  # With the other library in front or behind.
  monitored_job 4 1 --mca pml_monitoring_phases 1 -x LD_PRELOAD="$library:$plugins/libtofa-pcontrol.so" "$programs/pml_phases"
  [ -f traffic.phase3.bytes.mtx ] || fail "phases"
}

case_calls_fortran() {
  local library=$plugins/libtofa-calls.so source=$here/programs/timing.f90 define
  printf 'end\n' >empty.f90
  mpifort empty.f90 -o empty 2>/dev/null || exit 77
  for define in F90 F08; do
    mpifort -cpp -D$define "$source" -o timing || fail "$define does not compile"
    monitored_job 3 1 -x LD_PRELOAD="$library" ./timing 2>said || fail "$define: exit status $?: $(cat said)"
    calls 7 7 7
  done
}

# Where only a plugin of the program has Fortran's MPI library, its calls get there all the same.
case_calls_plugin() {
  mpifort -shared -fPIC "$here/programs/plugin.f90" -o plugin.so 2>/dev/null || exit 77
  monitored_job 3 1 -x LD_PRELOAD="$plugins/libtofa-calls.so" "$programs/pml_plugin" 2>said || fail "exit status $?: $(cat said)"
  calls 8 8 8
}
