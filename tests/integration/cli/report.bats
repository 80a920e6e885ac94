#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa report --site: sums of a site's log, from files and from journalctl, whatever else is in them. Needs TOFA.
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  cat >log <<'END'
time=2026-11-21T08:00:00Z user=ann job=17.0 outcome=placed warnings=0 ranks=8 nodes=4 avoided=1 hops_default=2 hops_chosen=0.5 abort_default=0.02 abort_chosen=0 seconds=0.012
time=2026-11-21T09:00:00Z user=ann job=18.0 outcome=placed warnings=1 ranks=64 nodes=64 avoided=0 hops_default=4 hops_chosen=1.5 abort_default=0 abort_chosen=0 seconds=0.050
time=2026-11-21T10:00:00Z user=bob job=19.0 outcome=declined reason="8 ranks do not fit on 4 nodes"
time=2026-11-21T11:00:00Z user=bob job=20.0 outcome=declined reason="16 ranks do not fit on 2 nodes"
time=2026-11-21T12:00:00Z user=eve job=21.0 outcome=declined reason="a \"bad\" word"
END
}

@test "what a log adds up to" {
  "$TOFA" report --site log >text
  cat text
  diff - text <<'END'
steps that asked       5 of 3 users
from, to               "2026-11-21T08:00:00Z", "2026-11-21T12:00:00Z"
placed                 2, 1 of them with what was left after a warning; 72 ranks
hops per byte, mean    default 3, chosen 1: 2 saved
nodes avoided          1
aborts expected        default 0.02, chosen 0: 0.02 avoided
declined               3
       2  "# ranks do not fit on # nodes"
       1  "a "bad" word"
END
}

@test "JSON, several files, and the output of journalctl on standard input" {
  sed 's/^/Nov 21 09:00:00 login1 tofa[4711]: /; s/user=ann/user=cat/' log >journal
  echo "-- Boot 5f --" >>journal
  "$TOFA" report --json --site log - <journal >sums
  cat sums
  [ "$(jq -r '"\(.steps) \(.placed) \(.declined) \(.users) \(.ranks) \(.nodes_avoided) \(.other_lines)"' sums)" = "10 4 6 4 144 2 1" ]
  [ "$(jq -r '"\(.hops_per_byte_default) \(.hops_per_byte_chosen) \(.aborts_expected_default)"' sums)" = "3.0 1.0 0.04" ] ||
    [ "$(jq -r '"\(.hops_per_byte_default) \(.hops_per_byte_chosen) \(.aborts_expected_default)"' sums)" = "3 1 0.04" ]
  [ "$(jq -r '.reasons[0] | "\(.steps) \(.reason)"' sums)" = "4 # ranks do not fit on # nodes" ]
}

@test "lines of strangers are counted and do no harm" {
  printf 'time=x outcome=declined reason="\033[2J\377"\nrubbish\ntime=y outcome=placed ranks=-1\n' >>log
  "$TOFA" report --site log >text
  grep -q '^other lines            2, ignored$' text
  run grep $'\033' text
  [ "$status" -eq 1 ]
  "$TOFA" report --site log --json | jq -e '.declined == 4'
}

@test "an empty log, a missing one, none" {
  "$TOFA" report --site /dev/null | grep -q '^steps that asked       0 of 0 users$'
  run "$TOFA" report --site nowhere
  [ "$status" -eq 2 ]
  [[ $output == "tofa: nowhere: cannot open: No such file or directory"* ]]
  run "$TOFA" report
  [ "$status" -eq 2 ]
}
