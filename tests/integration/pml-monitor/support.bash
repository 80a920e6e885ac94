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

# table STEM: `row column bytes messages` from both files, which must have the same pairs, in order, below heads that say
# what they are. (In two processes: whoever watches many jobs reads many tables.)
table() {
  awk -v metadata=metadata.jsonl '
    function no(what) { print FILENAME ": " what >"/dev/stderr"; bad = 1; exit 1 }
    FNR == 1 {
      if (file && seen[file] != count[file]) no("wrong number of entries in the file before")
      ++file; row = column = 0
      if ($0 != "%%MatrixMarket matrix coordinate integer general") no("no Matrix Market banner")
    }
    /^%tofa / { print substr($0, 7) >metadata }
    /^%/ { next }
    !(file in count) { count[file] = $3; seen[file] = 0; next }
    {
      if ($1 < row || ($1 == row && $2 <= column)) no("order")
      row = $1; column = $2; n = ++seen[file]
      if (file == 1) { pair[n] = $1 " " $2; bytes[n] = $3; next }
      if (pair[n] != $1 " " $2) no("other pairs than in the file of bytes")
      print pair[n], bytes[n], $3
    }
    END {
      if (bad) exit 1
      if (file != 2 || seen[1] != seen[2] || seen[2] != count[2]) no("wrong number of entries")
    }' "$1.bytes.mtx" "$1.messages.mtx" || fail "$1: no table"
  jq -es 'map([.version, .quantity]) == [[1, "bytes"], [1, "messages"]]' metadata.jsonl >/dev/null || fail "$1: metadata"
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
