#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Attacks the health service for longer than CI does, with the same tests, and prints a table of what was tried and what
# came of it, as docs/attacks.md has it. A row that fails leaves its log; the others go on.
#
# Usage: chaos.sh BUILD [SHARE [ATTACK...]]   (BUILD: of the preset check, with the target fuzz; SHARE: percent of the work,
#                                             default 100; ATTACK: these rows only; TOFA_SEED: another seed. Exit status 1
#                                             if anything did not hold, 2 if there is no such attack.)
# shellcheck disable=SC2317  # functions are called through attack()
set -euo pipefail

build=$(cd "${1:?usage: chaos.sh BUILD [SHARE]}" && pwd)
readonly build share=${2:-100} seed=${TOFA_SEED:-$RANDOM}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root logs=$build/chaos
readonly -a wanted=("${@:3}")
mkdir -p "$logs"
failed=0
for name in "${wanted[@]}"; do
  grep -q "^attack $name " "${BASH_SOURCE[0]}" || {
    printf 'chaos: no attack is called "%s"; there are: %s\n' "$name" \
      "$(sed -n 's/^attack \([a-z-]*\) .*/\1/p' "${BASH_SOURCE[0]}" | paste -sd ' ')" >&2
    exit 2
  }
done

# part COUNT: the share of it that is asked for.
part() { echo $(($1 * share / 100 > 0 ? $1 * share / 100 : 1)); }

# attack NAME TRIED HOLDS COMMAND...: one row.
attack() {
  local name=$1 tried=$2 holds=$3 start=$SECONDS verdict=held
  shift 3
  if ((${#wanted[@]})) && [[ " ${wanted[*]} " != *" $name "* ]]; then return; fi
  if ! (cd "$logs" && "$@") >"$logs/$name.log" 2>&1 </dev/null; then
    verdict="FAILED, see $logs/$name.log"
    failed=1
  fi
  printf '| %s | %s | %s | %s | %d s |\n' "$name" "$tried" "$holds" "$verdict" $((SECONDS - start))
}

health_test() {
  env TOFA_SEED="$seed" TOFA_BIN="$build/bin" TOFA_BUILD="$build/health-service" TOFA_CMAKE=cmake \
    TOFA_SLOW_DISK="$build/tests/integration/health-service/libtofa_slow_disk.so" \
    TOFA_WRONG_CLOCK="$build/tests/integration/health-service/libtofa_wrong_clock.so" \
    python3 -B "$root/tests/integration/health-service/test_$1.py"
}

# again COUNT TEST...: the whole of these tests, so many times.
again() {
  local count=$1 i test
  shift
  for ((i = 0; i < count; i++)); do
    for test; do health_test "$test" || return 1; done
  done
}

fuzz() { "$build/bin/fuzz_$1" "$root/tests/fuzz/corpus/$1" "$2" "$seed"; }
fuzz_all() {
  local corpus
  for corpus in "$root"/tests/fuzz/corpus/*/; do
    fuzz "$(basename "$corpus")" "$1" || return 1
  done
}
kills() { TOFA_KILLS=$1 health_test kills; }
damages() { TOFA_DAMAGES=$1 TOFA_SEED=$seed "$build/bin/tofa_unit_tests" --gtest_filter='StoreDamageTest.*'; }

printf 'seed %s, tofa %s\n\n' "$seed" "$("$build/bin/tofa" --version | grep -oE '[0-9.]+' | head -n 1)"
printf '| attack | tried | must hold | result | took |\n|---|---:|---|---|---:|\n'
attack kills "$(part 2000) kills -9" "what was published is in the database, each outage once" kills "$(part 1000)"
attack damages "$(part 3000) databases" "the daemon starts, takes only what was saved, keeps the damaged file" damages "$(part 3000)"
attack disks "$(part 10) times" "full and read-only disks: heartbeats go on, nothing is lost once there is room" again "$(part 10)" disks
attack slow-disks "$(part 10) times" "disks that hang: no round is missed, nothing is published that is not saved" again "$(part 10)" slow_disk slow_start
attack clocks "$(part 10) times" "no clock deletes anything or makes old estimates young" again "$(part 10)" restart clock
attack pauses "$(part 10) times" "a pause of the network makes nobody suspect; floods of datagrams do not count" again "$(part 10)" heartbeats
attack forgeries "$(part 10) times" "who lacks the key is not believed, whether answer or heartbeat" again "$(part 10)" signature signed_heartbeats munge
attack strangers "$(part 10) times" "connections held, cut off, silent or garbled keep nobody waiting" again "$(part 10)" gateway crowd socket web
attack admins "$(part 10) times" "only root and the group change anything; what was acknowledged is in the database" again "$(part 10)" control control_history control_socket
attack messages "$(part 10000000) messages" "whatever reaches libpmix is short and whole" fuzz gate "$(part 10000000)"
attack datagrams "$(part 10000000) datagrams" "no crash, no amplification" fuzz heartbeat "$(part 10000000)"
attack signatures "$(part 3000000) answers" "only what was signed is accepted" fuzz signature "$(part 3000000)"
attack snapshots "$(part 3000000) documents" "what is read is in range" fuzz health "$(part 3000000)"
attack inputs "$(part 300000) each" "no parser crashes; what is taken is in range" fuzz_all "$(part 300000)"
exit "$failed"
