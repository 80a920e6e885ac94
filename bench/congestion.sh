#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/congestion.sh [STATES]: what it is worth to know the load of links, in SimGrid, see
# bench/simulation/congestion.cpp; and how many pairs of nodes `tofa topology query` answers in a second. Files are left
# in build/simulation.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root tofa=$root/build/bin/tofa out=$root/build/simulation states=${1:-20}

[[ -x $tofa ]] || { printf 'congestion.sh: build first: ./dev build\n' >&2 && exit 2; }
[[ -f /usr/include/simgrid/s4u.hpp ]] || {
  printf 'congestion.sh: SimGrid is missing; as root: apt-get install libsimgrid-dev\n' >&2
  exit 2
}
mkdir -p "$out"
"$root/bench/simulation/torus.sh" 8,8,8 "$out"
g++ -std=c++20 -O1 -o "$out/congestion" -I "$root/libtofacore/include" "$root/bench/simulation/congestion.cpp" \
  "$root/build/libtofacore/libtofacore.a" -lsimgrid -lfmt -ltomlplusplus -lhwloc -lscotch -lscotcherr -lpthread
nice "$out/congestion" "$out/platform.xml" "$out/topology.toml" "$states"

# A million pairs of a torus of 13,824 nodes.
"$root/bench/simulation/torus.sh" 24,24,24 "$out"
awk 'BEGIN { srand(1); for (i = 0; i < 1000000; ++i) printf "n%d n%d\n", rand() * 13824, rand() * 13824 }' >"$out/pairs"
printf 'n%d x+ 5e8 20\n' {0..13823..7} >"$out/load"
printf '\nSeconds to answer a million pairs of 13,824 nodes:\n'
TIMEFORMAT='%R, of a processor %U'
time "$tofa" topology query --pairs "$out/pairs" --topology "$out/topology.toml" --link-load "$out/load" >/dev/null
