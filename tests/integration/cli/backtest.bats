#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa health backtest: logs as sites have them, scores as text, JSON and CSV. Needs TOFA.
# shellcheck disable=SC2154  # bats sets status and output

# Ten hosts over 100 days: n1 fails every 5 days, n2 once, the others never.
setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  local i start
  for ((i = 1; i < 20; ++i)); do
    start=$((1700000000 + i * 5 * 86400))
    printf 'n1,%d,%d,heartbeat\n' $start $((start + 3600))
  done >log.csv
  echo "n2,2023-12-20T00:00:00Z,2023-12-20T01:00:00Z,fan" >>log.csv
  request=(--hosts 'n[1-10]' --from 1700000000 --until 1708640000)
}

@test "scores per horizon and estimator" {
  "$TOFA" health backtest --log log.csv "${request[@]}" --json >scores
  [ "$(jq -r '"\(.version) \(.hosts) \(.outages)"' scores)" = "1 10 20" ]
  [ "$(jq -c '[.horizons[].horizon_seconds]' scores)" = "[3600.0,86400.0,604800.0]" ] ||
    [ "$(jq -c '[.horizons[].horizon_seconds]' scores)" = "[3600,86400,604800]" ]
  [ "$(jq -c '[.horizons[0].estimators[].estimator]' scores)" = \
    '["gamma","constant","rate","moving-average","ewma"]' ]
  # One host is far worse than the others: who sees that, predicts better.
  jq -e '.horizons[1:][] | .estimators[0].log_loss < .estimators[1].log_loss' scores
  jq -e '.horizons[].estimators[] | [.reliability[].predictions] | add' scores
  jq -e '[.horizons[] | .predictions as $n | .estimators[] | ([.reliability[].predictions] | add) == $n] | all' scores
}

@test "the same as text" {
  run "$TOFA" health backtest --log log.csv "${request[@]}"
  [ "$status" -eq 0 ]
  [[ $output == "10 hosts, 20 outages, 2023-11-14 to 2024-02-22"* ]]
  [[ $output == *"Within 1 h: "*"Within 24 h: "*"Within 7 d: "* ]]
  [[ $output == *"gamma said "*"up to "* ]]
}

@test "horizons, steps and predictions as asked for" {
  "$TOFA" health backtest --log log.csv "${request[@]}" --horizon 12h --step 10d --burn-in 50d \
    --predictions all.csv --json >scores
  [ "$(jq '.horizons | length' scores)" = 1 ]
  [ "$(head -n 1 all.csv)" = "time,host,horizon,estimator,probability,failed" ]
  # Five times ten hosts but for those that are down, for five estimators.
  [ "$(($(wc -l <all.csv) - 1))" = "$((5 * $(jq '.horizons[0].predictions' scores)))" ]
  awk -F, 'NR > 1 && ($3 != 43200 || $5 < 0 || $5 > 1) { exit 1 }' all.csv
}

@test "what Slurm recorded, on standard input" {
  cat >events <<'END'
Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User
c1|n1|2026-01-01T00:00:00|2026-01-01T01:00:00|DOWN*|Not responding|slurm(64030)
c1|n2|2026-01-20T00:00:00|2026-01-20T01:00:00|DRAIN|new memory|root(0)
c1|n2|2026-03-01T00:00:00|2026-03-01T01:00:00|DOWN|Node unexpectedly rebooted|slurm(64030)
END
  "$TOFA" health backtest --log - --hosts 'n[1-4]' --json <events >scores
  [ "$(jq -r '"\(.hosts) \(.outages) \(.planned)"' scores)" = "4 2 1" ]
}

@test "hosts that never failed are missed" {
  run --separate-stderr "$TOFA" health backtest --log log.csv
  [ "$status" -eq 0 ]
  # shellcheck disable=SC2154
  [[ $stderr == "tofa: the hosts are the 2 of the log; "*"--hosts HOSTLIST"* ]]
}

@test "what is wrong, where, and how to go on" {
  run "$TOFA" health backtest
  [ "$status" -eq 2 ]
  [[ $output == *"add --log FILE"*"sacctmgr"* ]]
  printf 'n1,100,200\nn1,soon,300\n' >bad.csv
  run "$TOFA" health backtest --log bad.csv
  [ "$status" -eq 2 ]
  [[ $output == "tofa: bad.csv:2: \"soon\" is no time"* ]]
  printf 'n1,100,200\n' >short.csv
  run "$TOFA" health backtest --log short.csv --hosts n1
  [ "$status" -eq 2 ]
  [[ $output == *"the log is 0.00 days long"*"shorter burn-in"* ]]
  run "$TOFA" health backtest --log log.csv --hosts 'x[1-3]'
  [ "$status" -eq 1 ]
  [[ $output == *"none of the 20 outages"* ]]
  run "$TOFA" health backtest --log log.csv --horizon never
  [ "$status" -eq 2 ]
  [[ $output == *"--horizon \"never\": a time like 1h"* ]]
}
