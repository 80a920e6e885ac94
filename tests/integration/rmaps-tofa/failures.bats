#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Never in the way: whatever fails around the placement, the job starts, with one warning; with `strict` it does not.

# shellcheck disable=SC2154  # variables that support.bash sets
load support

# query SCRIPT: what takes the place of tofa-query.
query() {
  printf '#!/bin/sh\n%s\n' "$1" >query
  chmod +x query
}

# answer 'HOST PROBABILITY AGE'...: tofa-query answers so.
answer() { query "echo '$("$here/../health_answer" "$@")'"; }

# degraded TEXT SETTINGS: the job starts on all the same nodes, with one warning; under strict it fails with the text.
degraded() {
  : >"$FAKERSH_LOG"
  local begin=$EPOCHREALTIME
  job --map-by "tofa:$2" -n 4 sh -c "$whoami"
  echo "# $2: started and ended after $(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }') s" >&3
  same 4 "$(ranks | wc -w)"
  expect_warnings 1 "$1"
  : >"$FAKERSH_LOG"
  fails job --map-by "tofa:$2,strict" -n 4 sh -c "$whoami"
  grep '^tofa: error:' err | grep -qF -- "$1" || same "$1" "$(cat err)"
  same "" "$(ranks)"
  expect_contacted
}

readonly service='health=127.0.0.1:1,query_program=./query'

@test "a normal start, for comparison" {
  local begin=$EPOCHREALTIME
  job --map-by tofa -n 4 sh -c "$whoami"
  echo "# started and ended after $(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }') s" >&3
  expect_warnings 0
}

@test "no graph where one was named" { degraded "nowhere" graph=nowhere; }

@test "a malformed graph" {
  echo "this is no graph" >app.mtx
  degraded "app.mtx" graph=app.mtx
}

@test "a graph of another number of ranks" {
  pairs 6 3 >app.mtx
  degraded "describes 6 ranks, the job has 4" graph=app.mtx
}

@test "no topology where one was named, or a malformed one" {
  degraded "nowhere.toml" topology=nowhere.toml
  echo "this is none" >bad.toml
  degraded "bad.toml" topology=bad.toml
}

@test "no outages file where one was named" { degraded "nowhere" outages=nowhere; }

@test "no query program" { degraded "nowhere" health=127.0.0.1:1,query_program=nowhere; }

@test "a query program that fails" {
  query "echo no such service >&2; exit 2"
  degraded "health service at 127.0.0.1:1" "$service"
}

@test "a health service that answers rubbish" {
  query "head -c 5000 /dev/urandom"
  degraded "health service at 127.0.0.1:1" "$service"
}

@test "a health service that answers without end" {
  query "exec yes fk00 1 2"
  degraded "health service at 127.0.0.1:1" "$service"
}

@test "an answer that breaks off" {
  query "echo fk00 1 2"
  degraded "health service at 127.0.0.1:1" "$service"
}

@test "a health service that does not answer" {
  query "exec sleep 60"
  degraded "did not answer" "$service"
}

@test "a query program that stops itself" {
  query 'kill -STOP $$'
  degraded "did not answer" "$service"
}

@test "a stale answer" {
  answer "fk00 1 99999"
  degraded "stale" "$service"
}

@test "an answer about other hosts" {
  answer "elsewhere 1 2"
  degraded "about other hosts" "$service"
}

@test "a default topology that does not fit is no error" {
  ring 4 >t.toml
  TOFA_TOPOLOGY=t.toml job --map-by tofa -n 4 sh -c "$whoami"
  expect_warnings 1 'lacks nodes "fk04", "fk05"'
}

@test "a good answer is used without a warning" {
  answer "fk00 1 2" "fk01 0 2"
  job --map-by "tofa:$service" -n 10 sh -c "$whoami"
  expect_warnings 0
  expect_contacted fk01 fk02 fk03 fk04 fk05
}

@test "several problems are a warning each, and the job still starts" {
  query "exit 1"
  job --map-by "tofa:$service,graph=nowhere" -n 4 sh -c "$whoami"
  expect_warnings 2
  same 4 "$(ranks | wc -w)"
}
