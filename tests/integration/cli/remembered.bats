#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa select --cached: the second call searches nothing, any change does, and no state of the cache is an error. Needs
# TOFA (the program) and TOFA_FIXTURES.
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset SLURM_JOB_ID TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH TOFA_MACHINE
  export TOFA_SITE_FILE=/dev/null XDG_CACHE_HOME=$PWD/cache
  cp "$TOFA_FIXTURES/cases/irregular12.bytes.mtx" app.mtx
  printf '[topology]\nkind = "torus"\nshape = [4, 2, 2]\nnodes = "n[00-15]"\n' >torus.toml
}

# Prints searched or remembered.
how() {
  "$TOFA" select --cached --time-limit 60 --graph "${graph:-app.mtx}" --topology torus.toml --nodes 'n[00-15]' --format launcher "$@" >answer 2>errors
  cat errors
  if grep -q '^#report .*, remembered, ' answer; then echo remembered; else echo searched; fi
}
is() { [ "$("${@:2}" | tee /dev/stderr)" = "$1" ]; }
placement() { grep -v '^#' answer; }

@test "the second call searches nothing and answers the same" {
  is searched how
  placement >first
  is remembered how
  placement | diff first -
  "$TOFA" select --graph app.mtx --topology torus.toml --nodes 'n[00-15]' --format hostfile | diff first -
  "$TOFA" select --cached --time-limit 60 --graph app.mtx --topology torus.toml --nodes 'n[00-15]' --json >one
  "$TOFA" select --time-limit 60 --graph app.mtx --topology torus.toml --nodes 'n[00-15]' --json | diff one -
}

@test "without --cached nothing is written" {
  "$TOFA" select --graph app.mtx --topology torus.toml --nodes 'n[00-15]'
  [ ! -e cache ]
}

@test "any change is another question" {
  is searched how
  is searched how --effort fast
  is searched how --seed 2
  is searched how --objective hop-bytes
  is searched how --node-count 12
  is searched how --slots 2
  is searched how --exclude n03
  echo "n05 0.25" >outages
  is searched how --outages outages
  is remembered how --outages outages
  echo "n05 0.5" >outages
  is searched how --outages outages
  sed -i '$s/[0-9]*$/77/' app.mtx
  is searched how
  is remembered how
  sed -i 's/torus/mesh/' torus.toml
  is searched how
  cp torus.toml same.toml
  is remembered how
}

@test "a profile by another name with the same traffic is the same question" {
  is searched how
  cp app.mtx copy.mtx
  graph=copy.mtx is remembered how
  grep -q '^#report tofa:   graph .*copy.mtx' answer
}

@test "what is left of a job's time is the same question for a while" {
  printf 'n03 0 1 0.5\n' >outages
  export SLURM_JOB_ID=7
  SLURM_JOB_END_TIME=$(($(date +%s) + 3590)) is searched how --outages outages
  SLURM_JOB_END_TIME=$(($(date +%s) + 3500)) is remembered how --outages outages
  SLURM_JOB_END_TIME=$(($(date +%s) + 1800)) is searched how --outages outages
}

@test "files that are damaged or not the user's own, and folders that cannot be used, are no error" {
  is searched how
  placement >first
  for harm in 'echo rubbish >cache/tofa/*' 'truncate -s 40 cache/tofa/*' 'chmod go+w cache/tofa/*' 'chmod go+w cache/tofa' \
    'rm -r cache; ln -s /nowhere cache' 'rm -r cache; touch cache' 'rm -r cache; mkdir -m 555 cache'; do
    eval "$harm"
    if ((EUID != 0)) || [[ $harm != *555* ]]; then is searched how; fi
    placement | diff first -
    [ ! -s errors ]
  done
  rm -rf cache
  if ((EUID == 0)); then
    is searched how
    chown nobody cache/tofa/*
    is searched how
    placement | diff first -
    is remembered how # a file of its own replaced the other
    chown -R nobody cache
    is searched how
  fi
  unset XDG_CACHE_HOME HOME
  is searched how
  is searched how
  HOME=/proc is searched how
  [ ! -s errors ]
}

@test "many at once" {
  local workers=()
  is searched how
  placement >first
  rm -r cache
  for i in 1 2 3 4 5 6; do
    "$TOFA" select --cached --time-limit 60 --graph app.mtx --topology torus.toml --nodes 'n[00-15]' --format hostfile >"by-$i" &
    workers+=($!)
  done
  for worker in "${workers[@]}"; do wait "$worker"; done
  for i in 1 2 3 4 5 6; do diff first "by-$i"; done
  is remembered how
  [ "$(find cache -type f | wc -l)" -eq 1 ]
}
