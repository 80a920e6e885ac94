# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: messages of programs, through whatever they are sent.

case_patterns() {
  monitored_job 6 2 "$programs/pml_patterns"
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
  [ "$(metadata traffic.bytes.mtx .untracked_messages)" = 4 ] || fail "untracked messages"
  [ "$(metadata traffic.bytes.mtx .untracked_bytes)" = 310 ] || fail "untracked bytes"
  table traffic.spawn2.user >found
  same "the spawned job" wanted found
  local from to stem=traffic other=traffic.spawn2
  for _ in 1 2; do
    to=$(jq -r .namespace "$other.ranks.json")
    printf '%s\n' "0 $to 0 user 2 155" "1 $to 1 user 2 155" >wanted
    other_jobs "$stem" >found
    same "what $stem sent to $other" wanted found
    from=$stem stem=$other other=$from
  done
  "$tofa" graph info traffic >out
  grep -q "other jobs *to [0-9.]*: 310 B in 4 messages, 2 of our ranks and 2 of its\$" out || fail "$(cat out)"
  "$tofa" graph info --json traffic.messages.mtx | jq -e '.other_jobs | length == 1 and .[0].messages == 4' >/dev/null ||
    fail "graph info --json"
}

# Collectives over an intercommunicator, as the messages that they are made of: between its leaders, from either side.
case_spawn_collectives() {
  monitored_job 2 1 "$programs/pml_spawn_collectives" 2>said || fail "exit status $?"
  local parent child
  parent=$(jq -r .namespace traffic.ranks.json)
  child=$(jq -r .namespace traffic.spawn2.ranks.json)
  echo "0 $child 0 collective 2 1020" >wanted
  other_jobs traffic | grep ' collective ' >found
  same "the parents" wanted found
  echo "0 $parent 0 collective 2 236" >wanted
  other_jobs traffic.spawn2 | grep ' collective ' >found
  same "the spawned job" wanted found
}

# other_jobs STEM: what it sent to other jobs
other_jobs() {
  head -n 1 "$1.other-jobs.txt" | cut -c 7- | jq -e '.quantity == "other-jobs"' >/dev/null || fail "$1: head"
  grep -v '^%' "$1.other-jobs.txt"
}

# Two spawned jobs connect; each says for itself what it sent to whom.
case_connect() {
  monitored_job 1 1 "$programs/pml_connect" 2>said >out || fail "exit status $?"
  local parent server client
  parent=$(awk '$1 == "parent" { print $3 }' out)
  server=$(awk '$1 == "server" && $2 == 0 { print $3 }' out)
  client=$(awk '$1 == "client" && $2 == 0 { print $3 }' out)
  echo "0 $client 0 user 1 1024" >wanted
  other_jobs traffic >found
  same "the parent" wanted found
  printf '%s\n' "0 $parent 0 user 1 1024" "0 $client 0 user 1 100" "0 $client 1 user 1 101" "0 $client 2 user 1 102" \
    "1 $client 0 user 1 100" "1 $client 1 user 1 101" "1 $client 2 user 1 102" >wanted
  other_jobs traffic.spawn2 >found
  same "the server" wanted found
  printf '%s\n' "0 $server 1 user 2 20" "1 $server 1 user 2 40" "2 $server 1 user 2 60" >wanted
  other_jobs traffic.spawn3 >found
  same "the client" wanted found
  grep -q 'to other jobs 1630 bytes in 7 messages (.other-jobs.txt)' said || fail "$(cat said)"
}

# A job that dies has not forgotten what it sent to others.
case_connect_killed() {
  if monitored_job 2 1 "$programs/pml_spawn" abort >out 2>&1; then fail "exit status 0"; fi
  local stem waited
  for stem in traffic traffic.spawn2; do
    waited=0
    until "$tofa" graph recover $stem >said 2>&1; do
      grep -q 'still runs' said || fail "recover: $(cat said)"
      ((++waited < 300)) || fail "ranks do not end: $(cat said)"
      sleep 0.1
    done
    other_jobs $stem | awk '$3 == $1 && $4 == "user" && $5 == 2 && $6 == 155' >found
    [ "$(wc -l <found)" = 2 ] || fail "$stem: $(cat $stem.other-jobs.txt)"
  done
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
