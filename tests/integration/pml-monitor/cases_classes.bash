# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Cases: one-sided calls, MPI-IO, handshakes, and what is not counted.

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

# What is estimated of coll/sm is what coll/tuned sends for the same calls with the algorithms that the head names. What is sent
# for coll/sm itself is all that is counted.
case_estimates() {
  job 2 --mca coll_sm_priority 100 "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  local ranks tuned=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_barrier_algorithm 3
    --mca coll_tuned_bcast_algorithm 6 --mca coll_tuned_reduce_algorithm 5 --mca coll_tuned_allreduce_algorithm 3)
  for ranks in 2 3 5 8 13; do
    monitored_job $ranks 2 "${tuned[@]}" "$programs/pml_collectives" 2>/dev/null
    [ ! -e traffic.estimated.bytes.mtx ] || fail "an estimate of messages that were sent"
    table traffic.collective >wanted
    monitored_job $ranks 2 --mca coll_sm_priority 100 "$programs/pml_collectives" 2>said
    table traffic.estimated >found
    same "$ranks ranks" wanted found
    [ "$(metadata traffic.estimated.bytes.mtx '.phase + ": " + .estimated')" = \
      "estimated: barrier: recursive doubling, bcast: binomial tree, reduce: in-order binomial tree, allreduce: recursive doubling" ] ||
      fail "head: $(metadata traffic.estimated.bytes.mtx .)"
    [ "$(metadata traffic.bytes.mtx .estimated)" = null ] || fail "what was counted is called an estimate"
    all_is_the_sum_of_the_classes
    grep -qE 'estimated of coll/sm [0-9]+ bytes in [0-9]+ messages \(.estimated.\*.mtx\); not counted: coll/sm$' said || fail "$(cat said)"
    ((ranks < 3 || $(awk '{ n += $3 } END { print n }' found) > 100 * $(table traffic | awk '{ n += $3 } END { print n }'))) ||
      fail "a mixture"
  done
}

case_unseen_collectives() {
  job 4 --mca coll_sm_priority 100 "$programs/pml_bcast" >/dev/null 2>&1 || exit 77
  # With 2, Open MPI's own component stands in front of coll/sm.
  local level
  for level in 1 2; do
    monitored_job 4 $level --mca coll_sm_priority 100 "$programs/pml_bcast" 2>said
    [ "$(metadata traffic.bytes.mtx .not_counted)" = "coll/sm" ] || fail "level $level: $(metadata traffic.bytes.mtx .)"
    grep -q '; not counted: coll/sm$' said || fail "$(cat said)"
    monitored_job 4 $level "$programs/pml_bcast" 2>said
    [ "$(metadata traffic.bytes.mtx .not_counted)" = null ] || fail "level $level: $(metadata traffic.bytes.mtx .)"
  done
}
