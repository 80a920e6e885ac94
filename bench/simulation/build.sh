#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh FOLDER PROGRAM...: compiles programs of programs/ for SimGrid, as FOLDER/PROGRAM.
set -euo pipefail
(($# >= 2)) || { printf 'usage: %s FOLDER PROGRAM...\n' "$0" >&2 && exit 2; }
out=$1
shift
sources=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/programs
command -v smpicc >/dev/null || {
  printf 'build.sh: SimGrid is missing; as root: apt-get install libsimgrid-dev\n' >&2
  exit 1
}
mkdir -p "$out"
smpicxx -O1 -std=c++17 -c -o "$out/failures.o" "$sources/failures.cpp"
for program; do
  smpicc -O1 -o "$out/$program" "$sources/"{"$program",collectives,grid,job}.c "$out/failures.o" -lstdc++
done
