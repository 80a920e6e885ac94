# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: what is left when a job dies.

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
  [ "$(jq -r '[.recovered, .ranks, (.mapping | length)] | @csv' traffic.ranks.json)" = "true,$1,$1" ] || fail "$(cat traffic.ranks.json)"
  cp traffic.ranks.json run
  rm ./*.mtx ./*.json
}

case_deaths() {
  local how limit=60 # mpirun itself may hang in libpmix when all ranks have ended
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
has_sent() { [ -s "sent.$1" ] && [ "$(od -An -t u8 -N 8 "sent.$1")" -gt 100 ]; }

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

# How long ranks were in MPI when they died: in three calls per message after the first two, one of which may be under way.
case_calls_killed() {
  local rank sent calls limit=60
  if monitored_job 4 1 -x LD_PRELOAD="$plugins/libtofa-calls.so" "$programs/pml_chatter" kill >out 2>&1; then fail "exit status 0"; fi
  recovered 4
  jq -e '[.run_seconds, .mpi_seconds] | transpose | length == 4 and all(.[0] >= .[1] and .[1] > 0)' run >/dev/null || fail "$(cat run)"
  for rank in 0 1 2 3; do
    sent=$(od -An -t u8 "sent.$rank" | tr -d ' ')
    calls=$(jq ".mpi_calls[$rank]" run)
    ((calls >= 3 * sent && calls <= 3 * sent + 3)) || fail "rank $rank has sent $sent messages in $calls calls"
  done
  # Not asked for, they are not told.
  rm sent.*
  if monitored_job 2 1 "$programs/pml_chatter" kill >out 2>&1; then fail "exit status 0"; fi
  recovered 2
  jq -e '.run_seconds == null and .mpi_calls == null' run >/dev/null || fail "$(cat run)"
}

# The others wait in MPI_Finalize for the rank that dies: what they have counted is all they will.
case_abort() {
  # shellcheck disable=SC2034  # for job
  local how limit=60
  for how in abort exit signal; do
    if monitored_job 4 2 "$programs/pml_die" "$how" >out 2>&1; then fail "$how: exit status 0"; fi
    [ -z "$(find . -name '*.mtx' -o -name '*.tmp')" ] || fail "files were written"
    "$tofa" graph recover traffic.counts/ -o found >said
    [ "$(metadata found.bytes.mtx .partial)" != null ] || fail "partial"
    [ -f found.user.bytes.mtx ] || fail "no user traffic"
    [ ! -e traffic.counts ] || fail "the counts are left"
    rm ./*.mtx ./*.json
  done
}

# Another job of its name, told to overwrite, takes nothing of a job that runs.
case_two_at_once() {
  monitored_job 2 1 "$programs/pml_chatter" >out 2>&1 &
  local job=$! pids=() waited=0
  until has_sent 0 && has_sent 1; do
    sleep 0.1
    ((++waited < 300)) || fail "the job does not start"
  done
  : >traffic.1.bytes.mtx
  monitored_job 4 1 "$programs/pml_bcast" 2>said || fail "exit status $?: $(cat said)"
  grep -q "a job that has not ended writes $PWD/traffic, so the communication graph of this one goes to $PWD/traffic.2" said ||
    fail "$(cat said)"
  table traffic.2 | grep -q . || fail "no result of the second job: $(cat said)"
  [ ! -s traffic.1.bytes.mtx ] || fail "the second job has replaced what it was not told to"
  [ ! -e traffic.bytes.mtx ] || fail "the second job has the name of the first"
  [ "$(echo traffic.counts/*)" = "traffic.counts/0 traffic.counts/1" ] || fail "counts: $(ls traffic.counts)"
  mapfile -t pids < <(descendants "$job" pml_chatter)
  kill -KILL "${pids[@]}"
  wait "$job" || true
  # What it left is the dead's.
  monitored_job 2 1 "$programs/pml_bcast" 2>said || fail "exit status $?: $(cat said)"
  [ -s traffic.bytes.mtx ] || fail "not overwritten: $(cat said)"
  [ ! -e traffic.counts ] || fail "the counts are left"
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
  # Such a snapshot goes when there is more.
  "$tofa" graph recover traffic --running
  jq -c '.mark = "earlier"' traffic.ranks.json >marked
  mv marked traffic.ranks.json
  "$tofa" graph recover traffic --running --overwrite
  jq -e '.mark == null' traffic.ranks.json >/dev/null || fail "the earlier snapshot is there: $(cat traffic.ranks.json)"
  rm ./*.mtx ./*.json
  mapfile -t pids < <(descendants "$job" mpirun)
  kill "${pids[@]}"
  wait "$job" || true
  recovered 2
}
