#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Quality and time of every mapper on the traffic in tests/fixtures/cases, one rank per node on an 8x8x8 torus. Prints a
# Markdown table; the README's figures about mappings come from it.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cases=$root/tests/fixtures/cases
tofa=$root/build/bin/tofa
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

value() { sed -n "s/^ *\"$1\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "$scratch/report" | head -n 1; }

printf '| traffic | mapper | hops per byte | maximum link load | seconds |\n|---|---|---:|---:|---:|\n'
for graph in "$cases"/{cg64,dt85bh,lmp64,rgg512,s2d512n_sh,s3d512p}.bytes.mtx; do
  name=$(basename "$graph" .bytes.mtx)
  for mapper in linear random greedy scotch tofa auto; do
    "$tofa" map --graph "$graph" --topology "$cases/torus-8x8x8.toml" --mapper $mapper --format json >"$scratch/report"
    printf '| %s | %s | %.3f | %.4g | %.3f |\n' "$name" "$mapper" "$(value average_hops_per_byte)" \
      "$(value max_link_load)" "$(value elapsed_seconds)"
  done
done
