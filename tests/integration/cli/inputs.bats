#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Where the inputs of a placement come from, in every subcommand: what was asked for must do; a default that does not is
# one warning, which says what is assumed instead.

# shellcheck disable=SC2154  # status and output, which bats sets
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  local name
  for name in $(compgen -e); do
    case $name in SLURM* | TOFA_TOPOLOGY | TOFA_OUTAGES | TOFA_HEALTH | TOFA_MACHINE | TOFA_QUERY) unset "$name" ;; esac
  done
  export TOFA_SITE_FILE=$PWD/site.toml SLURM_CONF=$PWD/etc/slurm.conf
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "n[0-3]"\n' >ring.toml
  # Ranks 0 and 2 talk, 1 and 3 do.
  printf '%%%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 3 1000\n2 4 1000\n' >app.bytes.mtx
  printf 'n%d\n' 0 1 2 3 >hosts
  # Nothing listens there.
  dead=127.0.0.1:9
}

# subcommand NAME OPTIONS...: on the nodes n0 to n3.
subcommand() {
  local name=$1
  shift
  case $name in
    map) "$TOFA" map --graph app --nodes 'n[0-3]' "$@" ;;
    select) "$TOFA" select --graph app --nodes 'n[0-3]' "$@" ;;
    remap) "$TOFA" remap --quiet --graph app --mapping hosts "$@" ;;
    explain) "$TOFA" explain --graph app --nodes 'n[0-3]' "$@" ;;
    evaluate) "$TOFA" evaluate --graph app --mapping hosts "$@" ;;
  esac
}
readonly subcommands=(map select remap explain evaluate)

# warned TEXT: each subcommand does its work, with one warning that has TEXT in it.
warned() {
  local name
  for name in "${subcommands[@]}"; do
    subcommand "$name" >out 2>err || { echo "$name fails" && cat err && return 1; }
    [[ -s out ]] || { echo "$name prints nothing" && return 1; }
    [[ $(grep -c '^tofa: warning:' err) == 1 ]] || { echo "$name: $(cat err)" && return 1; }
    grep '^tofa: warning:' err | grep -qF -- "$1" || { echo "$name: $(cat err)" && return 1; }
  done
}

# refused TEXT OPTIONS...: each subcommand fails, and says TEXT.
refused() {
  local name text=$1
  shift
  for name in "${subcommands[@]}"; do
    if subcommand "$name" "$@" >out 2>err; then echo "$name succeeds" && return 1; fi
    [[ ! -s out ]] || { echo "$name prints" && cat out && return 1; }
    grep -qF -- "$text" err || { echo "$name: $(cat err)" && return 1; }
  done
}

readonly flat="all nodes are taken to be equally far from each other"
readonly healthy="no node is taken to be suspect"

@test "a dead health service in the environment, and in the site file" {
  export TOFA_TOPOLOGY=ring.toml
  TOFA_HEALTH=$dead warned "(named by TOFA_HEALTH); $healthy"
  echo "health = \"$dead\"" >site.toml
  warned "(named by $PWD/site.toml); $healthy"
  refused "$dead" --health "$dead"
}

@test "an outages file that cannot be read" {
  export TOFA_TOPOLOGY=ring.toml
  TOFA_OUTAGES=$PWD/nowhere warned "nowhere: cannot open: No such file or directory"
  refused nowhere --outages nowhere
  echo "n0 2" >odd
  TOFA_OUTAGES=odd warned "odd:1: "
  refused odd:1: --outages odd
}

@test "of two defaults the one that answers is used" {
  echo "n3 1" >outages
  printf '#!/bin/sh\n%s/../health_answer "n2 1 2"\n' "$BATS_TEST_DIRNAME" >query
  chmod +x query
  export TOFA_TOPOLOGY=ring.toml TOFA_OUTAGES=outages TOFA_HEALTH=$dead
  "$TOFA" map --graph app --slots 4 --format json >out 2>err
  grep -q "only the other source is used" err
  jq -e '.inputs.outages == "outages (1 hosts) from TOFA_OUTAGES"' out
  TOFA_OUTAGES=nowhere TOFA_QUERY=$PWD/query "$TOFA" map --graph app --slots 4 --format json >out 2>err
  jq -e '.inputs.outages | startswith("health service at 127.0.0.1:9 (1 hosts) from TOFA_HEALTH")' out
  TOFA_QUERY=$PWD/query "$TOFA" select --graph app --nodes 'n[0-3]' --slots 2 >out 2>err
  [[ ! -s err ]]
  [[ $(cat out) == "n[0-1]" ]]
}

@test "a topology that cannot be read, or lacks a node" {
  TOFA_TOPOLOGY=nowhere.toml warned "(named by TOFA_TOPOLOGY); $flat"
  sed 's/n\[0-3\]/x[0-3]/' ring.toml >other.toml
  TOFA_TOPOLOGY=other.toml warned 'other.toml: lacks nodes "n0", "n1", "n2", "n3"'
  echo 'topology = "other.toml"' >site.toml
  warned "(named by $PWD/site.toml); $flat"
  rm site.toml
  refused nowhere.toml --topology nowhere.toml
  refused "is not in the topology" --topology other.toml
}

@test "a topology that cannot be read, and no nodes to assume anything about" {
  TOFA_TOPOLOGY=nowhere.toml run -2 "$TOFA" map --graph app
  [[ $output == *"nowhere.toml: "*"(named by TOFA_TOPOLOGY)"* ]]
}

@test "Slurm's topology.conf where none is named" {
  mkdir etc
  printf 'SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=top Switches=s[0-1]\n' >etc/topology.conf
  local name
  for name in "${subcommands[@]}"; do
    subcommand "$name" 2>&1 >/dev/null | diff - <(echo "tofa: no topology given; $PWD/etc/topology.conf is used")
  done
  printf 'SwitchName=s0 Nodes=n[0-1]\n' >etc/topology.conf
  warned 'topology.conf: lacks nodes "n2", "n3"'
  printf 'BlockName=b0 Nodes=n[0-1]\nBlockName=b1 Nodes=n[2-3]\nBlockSizes=2,4\n' >etc/topology.conf
  subcommand map 2>&1 >/dev/null | diff - <(echo "tofa: no topology given; $PWD/etc/topology.conf is used")
}

@test "Slurm's topology.yaml is noticed" {
  mkdir etc
  printf -- '---\n- topology: default\n  cluster_default: true\n' >etc/topology.yaml
  warned 'topology.yaml:1: is a topology.yaml of Slurm, which is not read here'
}

@test "no topology at all: a note" {
  local name
  for name in "${subcommands[@]}"; do
    subcommand "$name" 2>&1 >/dev/null | diff - <(echo "tofa: no topology given; all nodes are taken to be equally far apart")
  done
}

@test "a malformed site file: what the environment says still counts" {
  echo 'topolgy = "x"' >site.toml
  TOFA_TOPOLOGY=ring.toml TOFA_MACHINE=core:4 warned "the site's defaults are ignored"
  TOFA_TOPOLOGY=ring.toml "$TOFA" map --graph app --format json 2>/dev/null | jq -e '.topology == "torus 4"'
  # What is asked for needs no defaults.
  subcommand map --topology ring.toml --outages /dev/null 2>err
  [[ ! -s err ]]
}

@test "the usual machine that does not do" {
  export TOFA_TOPOLOGY=ring.toml
  TOFA_MACHINE=missing.xml "$TOFA" map --graph app --format rankfile >out 2>err
  [[ $(wc -l <out) == 4 ]]
  grep -q 'tofa: warning: .*missing.xml.*ascending order' err
}

@test "where inputs came from is in the JSON of map, select and remap" {
  echo "n3 0.5" >outages
  echo "outages = \"outages\"" >site.toml
  "$TOFA" map --graph app --topology ring.toml --format json >out
  jq -e '.inputs.graph == "app (2 pairs, 2000 bytes)" and .inputs.topology == "torus 4 (ring.toml)"' out
  jq -e --arg site "$PWD" '.inputs.outages == "\($site)/outages (1 hosts) from \($site)/site.toml"' out
  TOFA_TOPOLOGY=ring.toml "$TOFA" select --graph app --nodes 'n[0-3]' --json |
    jq -e '.inputs.topology == "torus 4 (ring.toml) from TOFA_TOPOLOGY"'
  rm site.toml
  "$TOFA" remap --quiet --graph app --mapping hosts --format json 2>/dev/null |
    jq -e '.inputs | (.topology | startswith("none given; all nodes")) and .outages == "none given; no node is taken to be suspect"'
  "$TOFA" select -n 4 --nodes 'n[0-3]' --json 2>/dev/null | jq -e '.inputs.graph | startswith("none given; ranks are taken")'
}

@test "hosts with an outage probability that the topology lacks are named, the first three" {
  printf 'n0 0.5\nx1 0.5\nx2 0.5\nx3 0.5\nx4 0.5\n' >outages
  "$TOFA" map --graph app --topology ring.toml --outages outages >out 2>err
  grep -q '^tofa: warning: 4 of the 5 hosts .* not in the topology: x1, x2, x3, \.\.\. ' err
}

@test "remap and select without a topology know the nodes they are given" {
  "$TOFA" remap --graph app --mapping hosts --lost n3 --gained n7 >out 2>err
  grep -qx n7 out
  run ! grep -qx n3 out
  run -2 "$TOFA" remap --graph app --mapping hosts --lost n9
  [[ $output == *'"n9" of --lost'* ]]
  "$TOFA" select --graph app --nodes 'n[0-3]' --slots 2 >out 2>err
  [[ $(cat out) == "n[0-1]" ]]
}

@test "with --best-effort, what was asked for and cannot be read is a warning" {
  warned_best_effort() {
    "$TOFA" select --best-effort --nodes 'n[0-3]' -n 4 --slots 2 "$@" >out 2>err
    [[ $(grep -c '^tofa: warning:' err) == 1 ]] && [[ -s out ]]
  }
  warned_best_effort --graph nowhere --topology ring.toml
  grep -q 'ranks are taken to talk to their neighbours in rank order' err
  warned_best_effort --graph app --topology nowhere.toml
  warned_best_effort --graph app --topology ring.toml --health "$dead"
  warned_best_effort --graph app --topology ring.toml --outages nowhere
  printf '%%%%MatrixMarket matrix coordinate integer general\n6 6 1\n1 6 1\n' >six.mtx
  warned_best_effort --graph six.mtx --topology ring.toml
  grep -q 'describes 6 ranks, the job has 4' err
  # A request that cannot be met is an error all the same.
  run -1 "$TOFA" select --best-effort --graph app --nodes 'n[0-4]' --topology ring.toml
  [[ $output == *'lacks node "n4"'* ]]
}

@test "--default goes behind the environment and before the site file" {
  sed 's/4/2, 2/' ring.toml >square.toml
  echo 'topology = "nowhere.toml"' >site.toml
  "$TOFA" map --default topology=ring.toml --graph app --format json | jq -e '.inputs.topology == "torus 4 (ring.toml) from --default"'
  TOFA_TOPOLOGY=square.toml "$TOFA" map --default topology=ring.toml --graph app --format json |
    jq -e '.topology == "torus 2x2"'
  "$TOFA" map --default topology=none.toml --graph app --nodes 'n[0-3]' 2>err
  grep -q 'tofa: warning: none.toml: .*(named by --default)' err
  run -2 "$TOFA" map --default toplogy=ring.toml --graph app
  [[ $output == *topology=FILE* ]]
}
