#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/simulate.sh [-b] [-n COUNT] [PROGRAM-RANKS...]: how fast programs run under different mappings, in SimGrid, on an
# 8x8x8 torus of 10 Gbit/s links; and how well the objective completion-time predicts that. Families of irregular traffic
# (mesh3-512: minutes) are programs, too, in which all neighbours exchange at once. For each program prints a
# table of mappings and a summary: speed-up over linear and over the best of the ordinary mappers; rank correlation of
# predicted and simulated time; how much slower the mapping with the best prediction is than the fastest one. With -n,
# COUNT more mappings, made from the others by random swaps, are simulated but not listed, which makes the last two
# numbers mean something. Files are left in build/simulation. With -b, only builds what simulates. TOFA_BUILD names another
# folder than build.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$(realpath "${TOFA_BUILD:-$root/build}")
readonly root build tofa=$build/bin/tofa sources=$root/bench/simulation out=$build/simulation
readonly default_programs=(cg-32 cg-64 cg-128 cg-256 dt-black-85 dt-white-85 lammps-64 lammps-256 hpl-64 hpl-256
  stencil2d-64 stencil2d-256 stencil3d-64 stencil3d-256)
readonly ordinary='^(linear|random|greedy|scotch)'

die() {
  printf 'simulate.sh: %s\n' "$1" >&2
  exit 2
}

# command_of PROGRAM-RANKS: sets `command`. Iterations are few: they are all alike.
command_of() {
  case $1 in
    cg-*) command=(cg -i 8) ;;
    dt-black-85) command=(dt black-hole) ;;
    dt-white-85) command=(dt white-hole) ;;
    lammps-*) command=(lammps -i 2) ;;
    hpl-*) command=(hpl -i 24) ;;
    stencil2d-*) command=(stencil -i 4 2) ;;
    stencil3d-*) command=(stencil -i 2 3) ;;
    mesh[23]-* | knn2-* | geometric-* | amr-* | random-*) command=(neighbours -i 1 "$folder/traffic.bytes.mtx") ;;
    *) die "unknown program \"$1\"; known are ${default_programs[*]}, with other numbers of ranks, too, and families such as mesh3-512" ;;
  esac
}

build_programs() {
  [[ -x $tofa ]] || die "build first: ./dev build"
  "$sources/build.sh" "$out" broadcast cg dt hpl is lammps neighbours stencil
  g++ -std=c++20 -O1 -o "$out/check_routes" -I "$root/libtofacore/include" "$sources/check_routes.cpp" \
    "$build/libtofacore/libtofacore.a" -lsimgrid -lfmt -ltomlplusplus
}

# What the predictions rest on: that both sides route alike.
check_routes() {
  local shape
  for shape in 4,6,5 2,3,2,4 8,8,8; do
    "$sources/torus.sh" "$shape" "$out"
    "$out/check_routes" "$out/platform.xml" "$out/topology.toml" >&2
  done
}

# Traffic of a family, so much of it that its bytes take longer than sending its messages does.
make_graph() {
  "$root/bench/families.py" "${1%-*}:${1##*-}" "$out" >/dev/null
  awk '/^%/ { print; next }
    !sizes { sizes = $0; next }
    { entry[++n] = $1 " " $2; bytes[n] = $3; sum += $3 }
    END { print sizes; for (i = 1; i <= n; ++i) printf "%s %d\n", entry[i], bytes[i] * int(2e9 / sum + 1) }' "$out/$1.bytes.mtx"
}

# simulate PROGRAM-RANKS HOSTFILE [-o TRAFFIC]: prints seconds.
simulate() {
  local program=$1 hosts=$2 command
  shift 2
  command_of "$program"
  # The programs have no mutable global variables, so that ranks need no private copies of them.
  nice smpirun -no-privatize -platform "$out/platform.xml" -hostfile "$hosts" -np "${program##*-}" \
    --cfg=smpi/simulate-computation:no --log=root.thresh:warning "$out/${command[0]}" "$@" "${command[@]:1}"
}

# place NAME [OPTION...]: writes the mapping of that name.
place() {
  local name=$1
  shift
  "$tofa" map --graph "$folder/traffic.bytes.mtx" --topology "$out/topology.toml" -o "$folder/$name.hosts" "$@"
}

# More mappings, from the best to the worst: every other one swapped at random, in 1, 2, 4, ... places.
vary() {
  local count=$1 ranks=$2 bases base i
  bases=("$folder"/*.hosts)
  for ((i = 0; i < count; ++i)); do
    base=${bases[i % ${#bases[@]}]}
    awk -v seed="$i" -v swaps=$((1 << (i / ${#bases[@]} % 8))) -v nodes=512 '
      { node[NR] = $1; rank[$1] = NR }
      END {
        srand(seed)
        for (s = 0; s < swaps; ++s) {
          mine = 1 + int(rand() * NR); to = "n" int(rand() * nodes); from = node[mine]; other = rank[to]
          node[mine] = to; rank[to] = mine; rank[from] = other
          if (other) node[other] = from
        }
        for (i = 1; i <= NR; ++i) print node[i]
      }' "$base" >"$folder/varied-$i.hosts"
  done
}

metric() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "$folder/report" | head -n 1; }

# Simulates all mappings of a program; one line each: name, simulated ms, predicted ms, hops per byte, link load in MB.
measure() {
  local program=$1 hosts
  for hosts in "$folder"/*.hosts; do
    "$tofa" evaluate --graph "$folder/traffic.bytes.mtx" --topology "$out/topology.toml" --mapping "$hosts" --json \
      >"$folder/report"
    printf '%s %s %s %s %s\n' "$(basename "$hosts" .hosts)" "$(simulate "$program" "$hosts")" \
      "$(metric completion_time)" "$(metric average_hops_per_byte)" "$(metric max_link_load)"
  done | awk '{ printf "%s %.4f %.4f %.3f %.4f\n", $1, $2 * 1e3, $3 / 1.25e9 * 1e3, $4, $5 / 1e6 }'
}

summarise() {
  awk -v ordinary="$ordinary" '
    function rank_of(values, i,   j, below, same) {
      below = same = 0
      for (j = 1; j <= NR; ++j) { below += values[j] < values[i]; same += values[j] == values[i] }
      return below + (same + 1) / 2
    }
    { name[NR] = $1; time[NR] = $2; predicted[NR] = $3 }
    $1 == "linear" { linear = $2 }
    $1 == "completion-time" { tofa = $2 }
    $1 ~ ordinary && (!best || $2 < best) { best = $2; who = $1 }
    !fastest || $2 < fastest { fastest = $2 }
    !lowest || $3 < lowest { lowest = $3; picked = $2 }
    END {
      mean = (NR + 1) / 2
      for (i = 1; i <= NR; ++i) {
        x = rank_of(time, i) - mean; y = rank_of(predicted, i) - mean
        xx += x * x; yy += y * y; xy += x * y
      }
      printf "tofa is %.2f times as fast as linear and %.2f times as fast as %s. ", linear / tofa, best / tofa, who
      printf "Of %d mappings, the one with the best prediction is %.1f %% slower than the fastest; ", NR, 100 * (picked / fastest - 1)
      printf "rank correlation %.2f.\n\n", (xx * yy == 0) ? 1 : xy / sqrt(xx * yy)
    }' "$folder/results"
}

run() {
  local program=$1 ranks=${1##*-} seed objective folder=$out/$1
  command_of "$program"
  [[ $ranks =~ ^([2-9]|[1-9][0-9]|[1-4][0-9][0-9]|50[0-9]|51[0-2])$ ]] || die "\"$program\" does not end in 2 to 512 ranks"
  rm -rf "$folder"
  mkdir -p "$folder"
  seq -f 'n%.0f' 0 $((ranks - 1)) >"$folder/linear.hosts"
  if [[ ${command[0]} == neighbours ]]; then
    make_graph "$program" >"$folder/traffic.bytes.mtx"
  else
    simulate "$program" "$folder/linear.hosts" -o "$folder/traffic.bytes.mtx" >/dev/null
  fi
  for seed in 1 2; do place "random-$seed" --mapper random --seed $seed; done
  place greedy --mapper greedy
  for seed in 1 2 3 4 5; do place "scotch-$seed" --mapper scotch --seed $seed; done
  for objective in hop-bytes congestion completion-time; do place $objective --objective $objective; done
  vary "$extra" "$ranks"
  measure "$program" >"$folder/results"
  printf '%s\n\n| mapping | simulated ms | predicted ms | hops per byte | maximum link load, MB |\n|---|---:|---:|---:|---:|\n' \
    "$program"
  sort -k2,2n "$folder/results" | awk '$1 !~ /^varied/ { printf "| %s | %.3f | %.3f | %s | %.3f |\n", $1, $2, $3, $4, $5 }'
  printf '\n'
  summarise
}

extra=0
only_build=
while getopts bn: option; do
  case $option in
    b) only_build=yes ;;
    n) extra=$OPTARG ;;
    *) die "usage: bench/simulate.sh [-b] [-n COUNT] [PROGRAM-RANKS...]" ;;
  esac
done
shift $((OPTIND - 1))
[[ $extra =~ ^[0-9]+$ ]] || die "-n wants a number of mappings"
build_programs
[[ -z $only_build ]] || exit 0
check_routes
(($#)) || set -- "${default_programs[@]}"
for program in "$@"; do run "$program"; done
