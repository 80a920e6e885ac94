# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: what Open MPI's own monitoring offers, and phases.

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
  [ "$(grep -c 'what is sent in phase 100 is in none: phases are 1 to 99' said)" = 1 ] || fail "$(cat said)"
  for row in 1 2 3 4; do printf '%d %d 3200 8\n' "$row" $((row % 4 + 1)); done >wanted
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
  monitored_job 2 1 --mca pml_monitoring_phases 1 "$programs/pml_phases" 2>said
  grep -q 'nothing was sent in any phase. .*libtofa-pcontrol.so is preloaded' said || fail "$(cat said)"
  monitored_job 2 1 -x LD_PRELOAD="$library" "$programs/pml_phases"
  LD_PRELOAD=$library job 2 "$programs/pml_phases"
  [ "$(echo ./*.bytes.mtx)" = ./traffic.bytes.mtx ] || fail "phases: $(ls)"
}

case_phases_fortran() {
  local define
  printf 'end\n' >empty.f90
  mpifort empty.f90 -o empty 2>/dev/null || exit 77
  for define in F90 F08; do
    mpifort -cpp -D$define "$here/programs/phases.f90" -o phases || fail "$define does not compile"
    monitored_job 3 1 --mca pml_monitoring_phases 1 -x LD_PRELOAD="$plugins/libtofa-pcontrol.so" ./phases 2>said ||
      fail "$define: exit status $?: $(cat said)"
    printf '%s\n' '1 2 8 1' '2 3 8 1' '3 1 8 1' >wanted
    phase 2 >found
    same "$define" wanted found
  done
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
