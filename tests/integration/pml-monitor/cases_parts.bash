# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: phases by class, phases and sizes of messages that survive a death.

# in_phases RANKS LEVEL [mpirun options] PROGRAM [arguments]
in_phases() {
  local ranks=$1 level=$2
  shift 2
  monitored_job "$ranks" "$level" --mca pml_monitoring_phases 1 -x LD_PRELOAD="$plugins/libtofa-pcontrol.so" "$@"
}

# ring RANKS BYTES MESSAGES [back]: rows of what each rank sends to the next, or to the one before.
ring() {
  local row to
  for ((row = 0; row < $1; ++row)); do
    to=$(((row + 1) % $1))
    [ -z "${4-}" ] || to=$(((row + $1 - 1) % $1))
    printf '%d %d %d %d\n' $((row + 1)) $((to + 1)) "$2" "$3"
  done
}

case_phase_classes() {
  local phase class
  in_phases 3 2 "$programs/pml_phase_classes" 2>said
  ring 3 40 1 back >wanted
  table traffic.phase2.one-sided >found
  same "what is got in phase 2" wanted found
  ring 3 8 1 >wanted
  table traffic.phase5.user >found
  same "user traffic in phase 5" wanted found
  [ "$(table traffic.phase5.collective | awk '{ n += $3 } END { print n }')" = 8 ] || fail "the broadcast in phase 5"
  [ ! -e traffic.phase5.one-sided.bytes.mtx ] || fail "one-sided traffic in phase 5"
  ring 3 80 1 >put
  { cat put && ring 3 40 1 back; } | sum_up >wanted
  table traffic.one-sided | sum_up >found
  same "one-sided traffic" wanted found
  for phase in 2 5; do
    for class in user collective one-sided io library; do
      [ ! -e "traffic.phase$phase.$class.bytes.mtx" ] || table "traffic.phase$phase.$class"
    done | sum_up >sum
    table "traffic.phase$phase" | sum_up >all
    same "phase $phase is not the sum of its classes" sum all
  done
  [ "$(metadata traffic.phase5.user.bytes.mtx .phase)" = phase5.user ] || fail "$(metadata traffic.phase5.user.bytes.mtx .)"
  grep -q 'tofa: 2 phases, .* and those of each class$' said || fail "$(cat said)"
  [ ! -e traffic.counts ] || fail "the counts are left"
  # They are graphs like any other.
  "$tofa" graph info --json traffic.phase5.user | jq -e '.ranks == 3 and .total == 24' >/dev/null || fail "graph info"
  "$tofa" graph sum traffic.phase2.one-sided traffic.phase5.user -o sum.mtx
  "$tofa" graph info --json sum.mtx | jq -e '.total == 144' >/dev/null || fail "graph sum"
  "$tofa" graph compare traffic.phase5 traffic.phase5.user >found || [ $? = 1 ] || fail "graph compare"
  # Unless classes are wanted.
  rm ./*.mtx
  in_phases 3 1 "$programs/pml_phase_classes" 2>said
  [ "$(echo traffic.phase2.*)" = "traffic.phase2.bytes.mtx traffic.phase2.messages.mtx" ] || fail "classes: $(ls)"
}

# sent RANK INDEX: what phase_chatter noted.
sent() { od -An -v -t u8 -j $((8 * $2)) -N 8 "sent.$1" | tr -d ' '; }

# as_noted WHAT RANK INDEX MESSAGES: one more may have been under way.
as_noted() {
  local noted
  noted=$(sent "$2" "$3")
  (($4 == noted || $4 == noted + 1)) || fail "$1: rank $2 has sent $noted messages, recovered are $4"
}

# sizes_of RANK LEAST: messages of this size in traffic.sizes.txt.
sizes_of() { awk -v rank=$(($1 + 1)) -v least="$2" '!/^%/ && NF == 4 && $1 == rank && $3 == least { n += $4 } END { print n + 0 }' traffic.sizes.txt; }

# recovered_parts RANKS: phases and sizes are what the dead had noted, and phases are all that was sent in any.
recovered_parts() {
  local rank=0 waited=0 phase i least=(0 1 4 64 4096) total
  until "$tofa" graph recover traffic >said 2>&1; do
    grep -q 'still runs' said || fail "recover: $(cat said)"
    ((++waited < 300)) || fail "ranks do not end: $(cat said)"
    sleep 0.1
  done
  for ((rank = 0; rank < $1; ++rank)); do
    total=0
    for phase in 1 2 3; do
      i=$(table traffic.phase$phase | awk -v row=$((rank + 1)) '$1 == row { n += $4 } END { print n + 0 }')
      as_noted "phase $phase" $rank $phase "$i"
      total=$((total + i))
    done
    i=$(table traffic | awk -v row=$((rank + 1)) '$1 == row { print $4 }')
    as_noted "in no phase" $rank 0 $((i - total))
    for ((i = 0; i < 5; ++i)); do
      as_noted "size ${least[i]}" $rank $((4 + i)) "$(sizes_of $rank "${least[i]}")"
    done
  done
  [ "$(metadata traffic.phase1.bytes.mtx .partial)" = "0-$(($1 - 1))" ] || fail "$(metadata traffic.phase1.bytes.mtx .)"
  [ "$(metadata traffic.phase1.bytes.mtx .phase)" = phase1 ] || fail "$(metadata traffic.phase1.bytes.mtx .)"
  [ "$(metadata traffic.sizes.txt .quantity)" = sizes ] || fail "$(metadata traffic.sizes.txt .)"
  [ -z "$(find . -name '*.counts' -o -name '*.tmp')" ] || fail "something is left"
  rm ./*.mtx ./*.txt ./*.json
}

case_phase_kills() {
  local round
  for round in 1 2 3; do
    rm -f sent.*
    in_phases 4 1 --mca pml_monitoring_sizes 1 "$programs/pml_phase_chatter" >out 2>&1 &
    ended_in_the_middle KILL pml_phase_chatt
    [ -f traffic.counts/0.parts ] || fail "round $round: no parts"
    recovered_parts 4
  done
  # By class, too, and under another name.
  rm -f sent.*
  in_phases 3 2 "$programs/pml_phase_chatter" >out 2>&1 &
  ended_in_the_middle TERM pml_phase_chatt
  "$tofa" graph recover traffic -o found --running >/dev/null
  [ "$(metadata found.phase2.user.bytes.mtx .phase)" = phase2.user ] || fail "$(ls)"
  [ ! -e found.sizes.txt ] || fail "sizes that nobody asked for"
}

# Windows leave out nothing: what all of them have is what was counted.
case_window_kills() {
  local waited=0 file
  monitored_job 3 1 --mca pml_monitoring_window 1 "$programs/pml_chatter" >out 2>&1 &
  until (($(od -An -t u4 -j 196 -N 4 traffic.counts/0.parts 2>/dev/null) + 0 >= 3)); do # the phase that is on
    ((++waited < 300)) || fail "there are no windows: $(cat out)"
    sleep 0.1
  done
  ended_in_the_middle KILL pml_chatter
  until "$tofa" graph recover traffic >said 2>&1; do
    grep -q 'still runs' said || fail "recover: $(cat said)"
    ((++waited < 600)) || fail "ranks do not end: $(cat said)"
    sleep 0.1
  done
  [ -f traffic.phase2.bytes.mtx ] || fail "one window: $(ls)"
  for file in traffic.phase*.bytes.mtx; do table "${file%.bytes.mtx}"; done | sum_up >sum
  table traffic >all
  same "the sum of windows" sum all
}

# What cannot be written is not lost, and costs nothing else.
case_parts_unwritable() {
  mkdir traffic.sizes.txt
  in_phases 3 1 --mca pml_monitoring_sizes 1 "$programs/pml_phase_chatter" 100 2>said || fail "exit status $?"
  grep -q 'cannot write the phases or sizes of .*: Is a directory.*tofa graph recover' said || fail "$(cat said)"
  [ -f traffic.bytes.mtx ] || fail "the result is not there"
  "$tofa" graph recover traffic -o found >said
  rmdir traffic.sizes.txt
  in_phases 3 1 --mca pml_monitoring_sizes 1 "$programs/pml_phase_chatter" 100 2>said
  local file
  for file in bytes.mtx phase1.bytes.mtx phase2.messages.mtx sizes.txt; do
    # Each pair's sizes may come in any order from the ranks.
    same "$file" <(grep -v '^%' "traffic.$file" | sort) <(grep -v '^%' "found.$file" | sort)
  done
  [ ! -e traffic.counts ] || fail "the counts are left"
}

# What the files of all counts have taken of the limit is not there for the parts: 9 of 12 s, whereupon rank 1 answers no more.
# With a limit of their own rank 0 would wait for another 12 s.
case_one_limit() {
  monitored_job 2 1 --mca pml_monitoring_timeout 12 --mca pml_monitoring_sizes 1 -x LD_PRELOAD="$programs/libpml_slow_disk.so" \
    "$programs/pml_bcast" >out 2>said &
  local job=$! pid silent='' waited=0
  until [ -e flushing ]; do
    sleep 0.1
    ((++waited < 300)) || fail "rank 0 does not write: $(cat said)"
  done
  sleep 9
  for pid in $(descendants "$job" pml_bcast); do
    ! grep -qz '^OMPI_COMM_WORLD_RANK=1$' "/proc/$pid/environ" || silent=$pid
  done
  [ -n "$silent" ] || fail "there is no rank 1"
  kill -STOP "$silent"
  : >go
  waited=0
  until [ -e traffic.bytes.mtx ] || ((++waited > 80)); do sleep 0.1; done
  kill -CONT "$silent"
  wait "$job" || fail "exit status $?: $(cat said)"
  ((waited <= 80)) || fail "there is a second limit: $(cat said)"
  grep -q 'sizes of 1 ranks did not arrive in time' said || fail "$(cat said)"
}

# Of each pair, there are as many messages as are counted.
sizes_are_all() {
  awk '!/^%/ && NF == 4 { n[$1 " " $2] += $4 } END { for (pair in n) print pair, n[pair] }' traffic.sizes.txt | sort >sum
  table traffic | cut -d' ' -f 1,2,4 | sort >all
  same "sizes are not of all messages" all sum
}

case_sizes() {
  local rank i least=(0 1 4 64 4096)
  monitored_job 3 1 --mca pml_monitoring_sizes 1 "$programs/pml_phase_chatter" 1003 2>said
  grep -q "tofa: $PWD/traffic.sizes.txt" said || fail "$(cat said)"
  for rank in 0 1 2; do
    for ((i = 0; i < 5; ++i)); do
      [ "$(sizes_of $rank "${least[i]}")" = "$(sent $rank $((4 + i)))" ] || fail "rank $rank, size ${least[i]}: $(cat traffic.sizes.txt)"
    done
  done
  [ ! -e traffic.counts ] || fail "the counts are left"
  "$tofa" graph info traffic >found
  grep -q '^message sizes  *0 B: 603 messages$' found || fail "$(cat found)"
  grep -q '^  *4.0 to 7 B: 603 messages$\|^  *4 to 7 B: 603 messages$' found || fail "$(cat found)"
  "$tofa" graph info --json traffic | jq -e '.sizes | length == 5 and .[4] == {least: 4096, most: 8191, messages: 600}' >/dev/null ||
    fail "$("$tofa" graph info --json traffic)"
  # One-sided transfers, whatever else is sent, and where threads count.
  monitored_job 3 1 --mca pml_tofa_sizes 1 "$programs/pml_phase_classes" 2>said
  sizes_are_all
  grep -v '^%' traffic.sizes.txt | awk '$3 == 64' >found
  printf '%s\n' '1 2 64 1' '2 3 64 1' '3 1 64 1' >wanted
  same "what is put" wanted found
  rm traffic.sizes.txt
  monitored_job 3 1 --mca pml_monitoring_sizes 1 "$programs/pml_threads" 2>said
  sizes_are_all
  # What goes to other jobs and what is only estimated has none.
  monitored_job 2 1 --mca pml_monitoring_sizes 1 "$programs/pml_spawn" 2>said
  sizes_are_all
  [ -f traffic.other-jobs.txt ] || fail "nothing was sent to other jobs"
  monitored_job 3 1 --mca pml_monitoring_sizes 1 --mca coll_sm_priority 100 "$programs/pml_collectives" 2>said
  sizes_are_all
  # Not asked for, they are not there.
  monitored_job 3 1 "$programs/pml_phase_chatter" 10 2>said
  [ ! -e traffic.sizes.txt ] || fail "sizes that nobody asked for"
}
