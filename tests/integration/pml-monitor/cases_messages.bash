# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: messages of programs, through whatever they are sent.

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
