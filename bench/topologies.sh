#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# bench/topologies.sh [--quick]: what programs gain that let MPI reorder their ranks (reorder = 1), without launching them:
# grids whose ranks talk across faces (7 points) or also across edges and corners (27), and random sparse graphs with
# weights, on 64 and 512 ranks of an 8x8x8 torus of 10 Gbit/s links. Prints hops per byte and the time of an exchange with
# all neighbours in SimGrid, with ranks in the launcher's order and reordered, and what the search took. The launcher's
# orders are
#
#   block      8 ranks on each of neighbouring hosts, in blocks
#   by node    the same hosts, one rank on each in turn
#   scattered  a rank on each of hosts that the machine had free: in random order
#
# --quick leaves the 512 ranks out. Files are left in build/topologies.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${TOFA_BUILD:-$root/build}
readonly root build sources=$root/bench/simulation out=$build/topologies
readonly tofa=$build/bin/tofa reorder=$build/bench/tofa-reorder

die() {
  printf 'topologies.sh: %s\n' "$1" >&2
  exit 2
}

# graph NAME RANKS: Matrix Market, bytes.
graph() {
  local shape=4x4x4
  (($2 == 64)) || shape=8x8x8
  case $1 in
    7-point) "$tofa" graph from-grid "$shape" --stencil 7 --bytes 65536 ;;
    27-point) "$tofa" graph from-grid "$shape" --stencil 27 --bytes 16384 ;;
    # Ring-free: each rank has two or more partners anywhere, with weights of all sizes.
    random) awk -v ranks="$2" 'BEGIN {
        srand(7); count = 0
        for (i = 1; i <= ranks; ++i) for (k = 0; k < 3; ++k) {
          j = 1 + int(rand() * ranks)
          if (j == i || (i, j) in seen) continue
          bytes = int(2 ^ (10 + 8 * rand())); seen[i, j] = seen[j, i] = 1
          line[count++] = i " " j " " bytes; line[count++] = j " " i " " bytes
        }
        print "%%MatrixMarket matrix coordinate integer general"; print ranks, ranks, count
        for (i = 0; i < count; ++i) print line[i]
      }' ;;
  esac
}

# order NAME RANKS: the host of each process, a line each.
order() {
  awk -v order="$1" -v ranks="$2" 'BEGIN {
    srand(11); hosts = ranks / 8
    for (i = 0; i < 512; ++i) host[i] = i
    for (i = 511; i > 0; --i) { j = int(rand() * (i + 1)); t = host[i]; host[i] = host[j]; host[j] = t }
    for (i = 0; i < ranks; ++i) print "n" (order == "block" ? int(i / 8) : order == "by node" ? i % hosts : host[i])
  }'
}

hops() {
  "$tofa" evaluate --graph "$out/graph.mtx" --topology "$out/topology.toml" --mapping "$1" --json |
    sed -n 's/^ *"average_hops_per_byte": \([0-9.]*\).*/\1/p' | head -n 1
}

# simulate RANKS HOSTFILE: milliseconds of one exchange; nothing where SimGrid takes more than five minutes to tell, as
# it does for ten thousand messages that are under way at once.
simulate() {
  timeout 300 nice smpirun -no-privatize -platform "$out/platform.xml" -hostfile "$2" -np "$1" \
    --cfg=smpi/simulate-computation:no --log=root.thresh:warning "$out/neighbours" -i 1 "$out/graph.mtx" |
    awk '{ printf "%.3f", $1 * 1e3 }' || true
}

row() {
  local name=$1 ranks=$2 order=$3 took before after slow fast
  order "$order" "$ranks" >"$out/before"
  TOFA_SITE_FILE=/nonexistent "$reorder" "$out/graph.mtx" "$out/topology.toml" "$out/before" >"$out/after" 2>"$out/told"
  took=$(sed -n 's/.* in \([0-9.]*\) s$/\1/p' "$out/told")
  before=$(hops "$out/before") after=$(hops "$out/after")
  slow=$(simulate "$ranks" "$out/before") fast=$(simulate "$ranks" "$out/after")
  awk -v name="$name" -v ranks="$ranks" -v order="$order" -v a="$before" -v b="$after" -v s="$slow" -v f="$fast" \
    -v t="${took:--}" '
    function cell(x) { return x == "" ? "-" : sprintf("%.2f", x) }
    BEGIN {
      printf "| %s | %d | %s | %.2f | %.2f | %s | %s | ", name, ranks, order, a, b, cell(s), cell(f)
      printf "%s | %s |\n", cell(s == "" || f == "" ? "" : s / f), t
    }'
}

sizes=(64 512)
if [[ ${1:-} == --quick ]]; then
  sizes=(64)
elif (($#)); then
  die "usage: $0 [--quick]"
fi
[[ -x $tofa && -x $reorder ]] || die "build first: ./dev build, and cmake --build build --target tofa-reorder"
"$sources/build.sh" "$out" neighbours
"$sources/torus.sh" 8,8,8 "$out"
# Ranks of one host talk through its memory.
sed -i 's/ sharing_policy=/ loopback_bw="100Gbps" loopback_lat="200ns"&/' "$out/platform.xml"
cat <<'END'
| graph | ranks | launcher's order | hops per byte | reordered | ms | reordered | times as fast | search, s |
|---|---:|---|---:|---:|---:|---:|---:|---:|
END
for ranks in "${sizes[@]}"; do
  for name in 7-point 27-point random; do
    graph "$name" "$ranks" >"$out/graph.mtx"
    for order in block "by node" scattered; do row "$name" "$ranks" "$order"; done
  done
done
