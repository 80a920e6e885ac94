#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# ./dev in the settings that users have: called from elsewhere, ended by Ctrl-C, as root in somebody's tree, with a
# hardened umask, with tests that cannot run here, in another language. Needs TOFA_SOURCE.
# shellcheck disable=SC2016,SC2154  # stand-ins expand what is quoted; bats sets status and output

source=${TOFA_SOURCE:?set it to the source tree}

# A tree that all users reach, of which nothing can be built.
setup() {
  tree=$(mktemp -d "/tmp/tofa dev XXXXXX")
  chmod 755 "$tree"
  mkdir -p "$tree/tests/fresh" "$tree/stand-ins"
  cp "$source/dev" "$tree/dev"
  cp "$source/tests/fresh/compiled_once.bash" "$tree/tests/fresh/"
  stand_in dpkg-query 'echo installed'
  stand_in cmake 'printf "%s\n" "$(umask) $*" >>"$ASKED"'
  export PATH=$tree/stand-ins:$PATH ASKED=$tree/asked
  cd "$BATS_TEST_TMPDIR" || return 1
}

teardown() { rm -rf "$tree"; }

# stand_in NAME COMMANDS
stand_in() {
  printf '#!/bin/sh\n%s\n' "$2" >"$tree/stand-ins/$1"
  chmod +x "$tree/stand-ins/$1"
}

gone() { ! kill -0 "$1" 2>/dev/null; }

# eventually COMMAND...: within a minute.
eventually() {
  local end=$((SECONDS + 60))
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

@test "a folder is seen from where the user is, and what is installed is for all users" {
  (umask 077 && "$tree/dev" install here)
  grep -qx "0022 --install build --strip --prefix $PWD/here" "$ASKED"
  "$tree/dev" install /opt/there
  grep -q -- "--prefix /opt/there$" "$ASKED"
}

@test "Ctrl-C ends what was started" {
  stand_in cmake 'echo $$ >"$ASKED"; exec sleep 600'
  # To end its own process group only; and bash leaves SIGINT ignored in what it starts in the background.
  env --default-signal=INT setsid "$tree/dev" build >said 2>&1 3>&- &
  dev=$!
  eventually test -s "$ASKED"
  kill -INT -- "-$dev"
  wait "$dev" || code=$?
  [ "$code" -eq 130 ]
  eventually gone "$(cat "$ASKED")"
}

@test "a folder that no demo made keeps its files" {
  mkdir results
  touch results/precious
  TOFA_DEMO_ISOLATED=1 run "$source/tests/demo/demo.sh" results
  echo "$output"
  [ "$status" -eq 2 ]
  [[ $output == *"$PWD/results is not empty"* ]]
  [ -e results/precious ]
}

@test "tests that cannot run here are named at the end" {
  stand_in ctest 'printf "1/2 Test\n100%% tests passed\n\nThe following tests did not run:\n\t 12 - slurm_srun (Skipped)\n\t 13 - readme (Skipped)\n"'
  run "$tree/dev" check slurm
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"left out: slurm_srun,readme." ]]
}

@test "as root, folders are the owner's of the tree, and tests need one that others reach" {
  ((EUID == 0)) || skip "needs root"
  chown -R 65534:65534 "$tree"
  "$tree/dev" build
  [ "$(stat -c %u "$tree"/build "$tree"/build/log/Building.log | sort -u)" = 65534 ]
  chown -R 0:0 "$tree"
  chmod 700 "$tree"
  run "$tree/dev" check slurm
  echo "$output"
  [ "$status" -eq 1 ]
  [[ $output == *"other users, who do not reach $tree; clone elsewhere"* ]]
}

@test "a tree that is no clone is not found free of mistakes" {
  run "$tree/dev" check lint
  echo "$output"
  [ "$status" -eq 1 ]
  [[ $output == *"this tree is no clone"* ]]
}

@test "numbers have a point in any language" {
  mkdir locale
  localedef -i de_DE -f UTF-8 locale/de_DE.UTF-8 2>/dev/null || skip "there are no sources of locales"
  export LOCPATH=$PWD/locale LC_ALL=de_DE.UTF-8
  [ "$(bash -c "printf '%.1f' 1,5")" = 1,5 ] || skip "bash does not take the language"
  stand_in cmake 'awk "BEGIN { printf \"%.1f\n\", 1.5 }" >"$ASKED"'
  "$tree/dev" build
  [ "$(cat "$ASKED")" = 1.5 ]
  run "$source/tests/integration/health_answer" 'n0 0.5 3'
  [[ $output == *'"polled":1699999997.0'* ]]
}
