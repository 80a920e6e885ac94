#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Placing ranks by four processes, tofa-map-parallel: time, memory of each process and hops per byte after each step, of a
# shuffled 3D stencil and of points in space, a million ranks and sixteen. With --quick a million only. Sixteen million need
# 4 GB, and as points in space 10 GB and most of an hour.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly root program=${TOFA_MAP_PARALLEL:-$root/build/bin/tofa-map-parallel}
[[ -x $program ]] || { printf 'map_parallel.sh: build first: ./dev build (with libptscotch-dev)\n' >&2 && exit 2; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=$scratch

# place TRAFFIC EXTENT: on a cube of nodes with 64 slots each.
place() {
  printf '\n%s on %sx%sx%s nodes of 64 slots\n' "$1" "$2" "$2" "$2"
  printf '[topology]\nkind = "torus"\nshape = [%d, %d, %d]\nnodes = "n[000000-%06d]"\n' "$2" "$2" "$2" $(($2 ** 3 - 1)) \
    >"$scratch/torus.toml"
  mpirun --oversubscribe -n 4 "$program" --generate "$1" --topology "$scratch/torus.toml" --slots 64 -v -o "$scratch/hosts" \
    </dev/null 2>&1 | sed 's/^tofa-map-parallel: //'
}

place stencil3d:100x100x100 25
place geometric:1000000 25
[[ ${1-} == --quick ]] && exit 0
place stencil3d:256x256x256 64
place geometric:16777216 64
