# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154  # variables that run.sh sets
# Jobs under the stock mpirun, and what their results hold.

# job RANKS [mpirun options] PROGRAM [arguments]
job() {
  local ranks=$1
  shift
  timeout -k 5 "${limit:-120}" mpirun --oversubscribe -n "$ranks" "$@"
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

# shellcheck disable=SC2034  # for the cases
binomial=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_bcast_algorithm 6)
