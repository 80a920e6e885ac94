#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What the command answers to a slip of the pen: it names the word, says what was probably meant and where to read on.
# Needs TOFA (the program).
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset SLURM_JOB_ID TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH TOFA_MACHINE
  export TOFA_SITE_FILE=$PWD/site.toml
  printf '[topology]\nkind = "torus"\nshape = [2, 2]\nnodes = "n[0-3]"\n' >torus.toml
  printf '%%%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 4 100\n2 3 50\n' >app.bytes.mtx
}

# says TEXT ARGUMENTS...: usage error with this text, and few lines.
says() {
  local text=$1
  shift
  run "$TOFA" "$@"
  echo "$output"
  [ "$status" -eq 2 ]
  [[ $output == *"$text"* ]]
  [ "${#lines[@]}" -le 3 ]
}

@test "misspelt options, subcommands and values: did you mean" {
  says 'unknown option --grpah of tofa map; did you mean --graph?' map --grpah app
  says 'unknown option --sloots of tofa map; did you mean --slots?' map --graph app --sloots=2
  says 'unknown option --jsn of tofa graph info; did you mean --json?' graph info app --jsn
  says 'unknown option --qqqqqq of tofa map' map --qqqqqq
  says 'option --graph comes after the subcommand: tofa map --graph' --graph app map
  says 'unknown subcommand "mpa" of tofa; did you mean map?' mpa --graph app
  says 'unknown subcommand "inof" of tofa graph; did you mean info?' graph inof app
  says 'unknown mapper "scoth"; known are linear' map --graph app --topology torus.toml --mapper scoth
  [[ $output == *'did you mean scotch?' ]]
  says 'did you mean hop-bytes?' map --graph app --topology torus.toml --objective hopbytes
}

@test "arguments that are too many or missing" {
  says 'unexpected argument "app"; tofa map takes options, which begin with --' map app
  says 'unexpected argument "b"; tofa graph info takes no more of them' graph info app b
  says 'tofa needs a subcommand: map, explain'
  says 'tofa graph needs a subcommand: info, convert, merge' graph
  says 'Run tofa graph info --help' graph info
}

@test "help and version, as other programs have them" {
  [ "$("$TOFA" -V)" = "$("$TOFA" --version)" ]
  "$TOFA" help | diff - <("$TOFA" --help)
  "$TOFA" help map | diff - <("$TOFA" map --help)
  "$TOFA" help graph info | diff - <("$TOFA" graph info --help)
  says 'unknown subcommand "mpa" of tofa; did you mean map?' help mpa
  says 'tofa map has no subcommand "hosts"' help map hosts
}

@test "a time limit of nothing is refused in one line" {
  for limit in 0 -1 nan 1e7 soon; do
    says "\"$limit\" is not a number of seconds from 0.001 to 1000000" map --graph app --time-limit "$limit"
  done
}

@test "heatmap takes the graph as an argument and names the picture after it" {
  run "$TOFA" heatmap app
  [ "$status" -eq 0 ]
  [ "$output" = "tofa: wrote app.svg" ]
  "$TOFA" heatmap --graph app -o - | diff app.svg - | { ! grep -v 'app' | grep -q '^[<>]'; }
  mkdir elsewhere
  cp app.bytes.mtx elsewhere/other.txt
  "$TOFA" heatmap elsewhere/other.txt
  [ -s other.txt.svg ]
  says 'Name a graph, as in tofa heatmap app' heatmap
  says 'excludes' heatmap app --graph app
}

@test "a machine file that is missing is an error in every format" {
  for format in hostfile rankfile json; do
    says missing.xml map --graph app --topology torus.toml --machine missing.xml --format "$format"
  done
}

@test "outage lines may name several hosts" {
  printf 'n[0-1] 0.5\nn2,n3 0\n' >outages
  "$TOFA" map --graph app --topology torus.toml --slots 2 --outages outages 2>err | sort -u | diff - <(printf 'n2\nn3\n')
  [ ! -s err ]
  printf 'n0 0.1\nn[0-1] 0.5\n' >twice
  says 'twice:2: host "n0" was already listed on line 1' map --graph app --topology torus.toml --outages twice
  printf '\nn[0-1 0.5\n' >broken
  says 'broken:2: ' map --graph app --topology torus.toml --outages broken
}

@test "resources may have a type, as Slurm's have" {
  printf '[[attributes]]\nnodes = "n2"\ngres = { "fpga:allreduce" = 1 }\n' >>torus.toml
  "$TOFA" map --graph app --topology torus.toml --bind-gres fpga:allreduce:1 | sed -n 2p | grep -qx n2
  "$TOFA" map --graph app --topology torus.toml --bind-gres fpga:allreduce=1 | grep -qx n2
}

# service LINES...: a health service that answers so; QUERY OPTIONS are in `asked`.
service() {
  "$BATS_TEST_DIRNAME/../health_answer" "$@" >answer
  printf '#!/bin/sh\ncat "%s/answer"\n' "$PWD" >query
  chmod +x query
  export TOFA_QUERY=$PWD/query TOFA_HEALTH=127.0.0.1:7412
}

@test "health history refuses a host that the service does not watch" {
  service 'node01 0 1' 'node02.cluster 0.5 1'
  run "$TOFA" health history node01
  [ "$status" -eq 0 ]
  [ "$output" = "no outages of node01 are known" ]
  "$TOFA" health history node02
  run "$TOFA" health history nod01
  [ "$status" -eq 1 ]
  [[ $output == *'does not watch "nod01"; did you mean node01?'*'tofa health list'* ]]
  run "$TOFA" health history n99 --json
  [ "$status" -eq 1 ]
}

@test "health status is there as JSON, also when nobody answers" {
  service 'n1 0 3' 'n2 0.5 1'
  "$TOFA" health status --json | jq -e '.answers and .hosts == 2 and .suspects == 1 and .newest_age == 1 and
    .oldest_age == 3 and (.stale | not)'
  service 'n1 0 3000'
  run "$TOFA" health status --json
  [ "$status" -eq 1 ]
  jq -e .stale <<<"$output"
  printf '#!/bin/sh\necho "tofa-query: 127.0.0.1:7412: nobody is there" >&2\nexit 3\n' >query
  run "$TOFA" health status --json
  [ "$status" -eq 1 ]
  jq -e '(.answers | not) and (.error | contains("nobody is there"))' <<<"$output"
}
