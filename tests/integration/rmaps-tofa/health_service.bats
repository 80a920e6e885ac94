#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# mpirun --map-by tofa against the real health service: six agents, the daemon and the gateway, which are stopped,
# killed, killed while mpirun waits, and replaced by something that talks nonsense.

# shellcheck disable=SC2154  # variables that support.bash sets
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
load support

readonly uri=127.0.0.1:7412

# The service writes to files: bats waits for whoever holds its own output open.
start() {
  "$@" >>service.log 2>&1 3>&- &
  started+=($!)
}

start_service() {
  local i prefix=${1:-fk0}
  printf '[poll]\nperiod = 0.2\ntimeout = 0.1\n[state]\ndatabase = "health.db"\nsnapshot = "snapshot.json"\n' >healthd.toml
  for ((i = 0; i < 6; i++)); do
    start "$build/bin/tofa-noded" --name "$prefix$i" --listen "127.1.0.$((i + 1)):7411"
    printf '[[host]]\nname = "%s%d"\naddress = "127.1.0.%d:7411"\n' "$prefix" "$i" $((i + 1)) >>healthd.toml
  done
  start "$build/bin/tofa-healthd" --config healthd.toml
  eventually test -s snapshot.json
  start "$build/bin/tofa-pmix-gateway" --listen $uri --snapshot snapshot.json
  gateway=${started[-1]}
  eventually healthy
}

healthy() { [[ $("$build/bin/tofa" health list --health $uri 2>/dev/null | awk 'NR > 1 && $2 == 0' | wc -l) == 6 ]]; }
down() { "$build/bin/tofa" health list --health $uri | grep -Eq "^$1 +1\.0"; }

stale() { "$build/bin/tofa" health list --health $uri | awk 'NR > 1 && $3 > 1000' | grep -q fk00; }

eventually() {
  local tries
  for ((tries = 0; tries < 150; tries++)); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  echo "never true: $*"
  return 1
}

teardown() {
  local pid
  for pid in "${started[@]}"; do
    kill -CONT "$pid" 2>/dev/null || true
    kill "$pid" 2>/dev/null || true
  done
}

# One warning with this text, and all four ranks started.
starts_anyway() {
  same 4 "$(ranks | wc -w)"
  expect_warnings 1 "$1"
}

@test "a host whose agent has died is not contacted" {
  start_service
  kill "${started[1]}"
  eventually down fk01
  FAKERSH_DEAD=fk01 job --map-by tofa:health=$uri,report -n 10 sh -c "$whoami"
  expect_warnings 0
  expect_contacted fk00 fk02 fk03 fk04 fk05
  grep -q 'avoided .*fk01 (p = 1)' err
}

@test "the service's topology, where nobody names one" {
  start_service
  kill "$gateway"
  wait "$gateway" || true
  printf '[topology]\nkind = "torus"\nshape = [6]\nnodes = "fk[00-05]"\n' >torus.toml
  start "$build/bin/tofa-pmix-gateway" --listen $uri --snapshot snapshot.json --topology torus.toml
  eventually healthy
  export XDG_CACHE_HOME=$PWD/cache
  local i
  for i in asked again; do
    job --map-by tofa:health=$uri,report -n 10 sh -c "$whoami"
    expect_warnings 0
    grep -q 'torus 6 (topology of the health service at' err || { echo "$i"; cat err; return 1; }
  done
  same 1 "$(find cache/tofa -name 'topology-*' | wc -l)"
  # One that lacks a node is not used, and said so.
  printf '[topology]\nkind = "torus"\nshape = [5]\nnodes = "fk[00-04]"\n' >torus.toml
  job --map-by tofa:health=$uri -n 12 sh -c "$whoami"
  expect_warnings 1 'lacks node "fk05"'
  # A file that was named goes before it.
  printf '[topology]\nkind = "mesh"\nshape = [6]\nnodes = "fk[00-05]"\n' >mesh.toml
  job --map-by tofa:health=$uri,topology=mesh.toml,report -n 10 sh -c "$whoami"
  grep -q 'mesh 6 (mesh.toml)' err
}

@test "a stopped gateway" {
  start_service
  kill -STOP "$gateway"
  job --map-by tofa:health=$uri -n 4 sh -c "$whoami"
  starts_anyway "did not answer"
  fails job --map-by tofa:health=$uri,strict -n 4 sh -c "$whoami"
  expect_error "did not answer"
}

@test "a killed gateway" {
  start_service
  kill -KILL "$gateway"
  job --map-by tofa:health=$uri -n 4 sh -c "$whoami"
  starts_anyway "health service at $uri"
  fails job --map-by tofa:health=$uri,strict -n 4 sh -c "$whoami"
  expect_error "health service at $uri"
}

@test "a gateway killed while mpirun waits for its answer" {
  start_service
  kill -STOP "$gateway"
  (sleep 1 && kill -KILL "$gateway") 3>&- &
  job --map-by tofa:health=$uri -n 4 sh -c "$whoami"
  starts_anyway "health service at $uri"
}

@test "something else on the port" {
  started=()
  start python3 -c '
import os, socket
server = socket.create_server(("127.0.0.1", 7412))
while True:
    client, _ = server.accept()
    client.sendall(os.urandom(4096))'
  eventually bash -c 'exec 3<>/dev/tcp/127.0.0.1/7412' 2>/dev/null
  job --map-by tofa:health=$uri -n 4 sh -c "$whoami"
  starts_anyway "health service at $uri"
}

@test "a service that watches other hosts" {
  start_service other
  job --map-by tofa:health=$uri -n 4 sh -c "$whoami"
  starts_anyway "about other hosts"
}

@test "a service whose daemon stopped long ago is stale" {
  start_service
  kill "${started[6]}"
  wait "${started[6]}" || true
  sed -i -E 's/"polled":[0-9.]+/"polled":1000000000.0/g' snapshot.json
  eventually stale
  job --map-by tofa:health=$uri -n 4 sh -c "$whoami"
  starts_anyway "stale"
}
