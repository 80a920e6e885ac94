#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Graphs from elsewhere, which can be read in more than one way. Needs TOFA (the program).
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset SLURM_JOB_ID TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH TOFA_MACHINE
  export TOFA_SITE_FILE=$PWD/site.toml
  printf '0 4 0 4\n4 0 4 0\n0 4 0 0\n4 0 0 0\n' >published.txt
}

total() { "$TOFA" graph info --json "$@" | jq .total; }

@test "a symmetric dense matrix counts pairs once, and says so" {
  [ "$(total published.txt)" = 12 ]
  "$TOFA" graph info published.txt | grep -q '^note .*--directed counts both directions'
  "$TOFA" graph info --json published.txt | jq -e '.note | contains("counted once")'
  "$TOFA" map --graph published.txt --nodes 'a[0-3]' -o hosts 2>err
  grep -q '^tofa: warning: published.txt: the matrix is symmetric' err
  "$TOFA" evaluate --graph published.txt --mapping hosts --topology <(printf 'SwitchName=s Nodes=a[0-3]\n') --json \
    2>err | jq -e '.bytes == 12'
}

@test "grids need no profile" {
  "$TOFA" graph from-grid 8x8x8 --periodic --bytes 100 -o app.bytes.mtx
  "$TOFA" graph info --json app | jq -e '.ranks == 512 and .pairs == 1536 and .total == 307200 and .partners.min == 6'
  "$TOFA" graph from-grid 4x4 --stencil 9 | tee nine.mtx | grep -qx '16 16 84'
  "$TOFA" graph info --json grid:4x4:stencil=9 | jq -e '.total == 84'
  cmp nine.mtx <("$TOFA" graph from-grid 4x4 --stencil=9 --to mtx)
  "$TOFA" map --graph grid:4x4 --nodes 'a[0-15]' -o hosts 2>err
  [ "$(wc -l <hosts)" = 16 ]
  for bad in 8x 0x2 x 4x4:stencil=7 4x4:rings 4096x4096x4096 2x2x2x2x2x2x2; do
    run "$TOFA" graph info "grid:$bad"
    [ "$status" -eq 2 ]
    [[ $output == *"grid:$bad"* ]]
  done
}

@test "--directed and --symmetric say how a symmetric matrix is meant" {
  [ "$(total published.txt --directed)" = 24 ]
  [ "$(total published.txt --symmetric)" = 12 ]
  "$TOFA" graph convert published.txt --directed -o both.bytes.mtx 2>err
  grep -q 'both directions count' err
  [ "$(total both)" = 24 ]
  [ "$(total both --symmetric)" = 12 ]
  # Written again as a dense matrix, it says what it is.
  "$TOFA" graph convert both -o both.txt --to dense
  [ "$(total both.txt)" = 24 ]
  "$TOFA" graph merge --directed published.txt published.txt -o twice.bytes.mtx
  [ "$(total twice)" = 48 ]
  run "$TOFA" graph info published.txt --symmetric --directed
  [ "$status" -eq 2 ]
}

@test "--symmetric refuses a matrix that is not" {
  printf '0 4\n3 0\n' >one-way.txt
  run "$TOFA" graph info one-way.txt --symmetric
  [ "$status" -eq 2 ]
  [[ $output == *"one-way.txt: not a symmetric matrix: what 0 sends to 1 differs"* ]]
  "$TOFA" graph info one-way.txt | { ! grep -q note; }
}

@test "one-sided traffic of Open MPI's own profiles counts in the direction it goes" {
  printf 'E\t0\t1\t10 bytes\t1 msgs sent\t1\nS\t0\t1\t1000 bytes\t1 msgs sent\nR\t0\t2\t500 bytes\t1 msgs sent\n' >app.0.prof
  printf '# POINT TO POINT\n' | tee app.1.prof >app.2.prof
  "$TOFA" graph convert app -o app.txt --to dense
  diff app.txt - <<<$'0 1010 0\n0 0 0\n500 0 0'
}

@test "graph sum and graph compare, which ends as diff does" {
  graph() { printf '%%%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 %d\n2 3 %d\n' "$1" "$2"; }
  graph 100 2048 >a.bytes.mtx
  graph 100 1024 >b.bytes.mtx
  "$TOFA" graph sum a b -o sum.bytes.mtx
  [ "$(total sum)" = 3272 ]
  "$TOFA" graph compare a a >same
  grep -q '^pairs that differ   0 of 2$' same
  run "$TOFA" graph compare a b
  echo "$output"
  [ "$status" -eq 1 ]
  [ "$output" = "total               2.1 KiB, 1.1 KiB
difference          1 KiB, 47.7 % of the larger
pairs that differ   1 of 2
largest             1 > 2: 2 KiB, 1 KiB (50 %)" ]
  "$TOFA" graph compare a b --tolerance 0.5
  run "$TOFA" graph compare a b --json
  [ "$status" -eq 1 ]
  jq -e '.differing == 1 and .pairs == 2 and .largest[0].sender == 1 and .largest[0].relative == 0.5' <<<"$output"
  run "$TOFA" graph compare a published.txt
  [ "$status" -eq 2 ]
  [[ $output == *"the graphs have 3 and 4 ranks"* ]]
  run "$TOFA" graph compare a
  [ "$status" -eq 2 ]
}

@test "a report knows the nodes of the run" {
  "$TOFA" graph from-grid 2x2 -o app.bytes.mtx
  printf '{"version": 1, "mapping": ["n1", "n2", "n1", "n2"]}' >app.ranks.json
  "$TOFA" report app -o app.html 2>err
  grep -q 'Before: as it ran' app.html
  grep -q 'n2' app.html
  "$TOFA" report app --before linear -o app.html 2>err
  grep -q 'Before: ranks in list order' app.html
  "$TOFA" report app --nodes 'm[1-2]' --slots 2 -o app.html 2>err
  grep -q 'Before: ranks in list order' app.html
  "$TOFA" heatmap app --mapping app.ranks.json -o app.svg
  # The network here is another one.
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "m[0-3]"\n' >other.toml
  TOFA_TOPOLOGY=other.toml "$TOFA" report app -o app.html 2>err
  grep -q 'Before: ranks in list order' app.html
  grep -q 'other.toml' app.html
  # Also beside a mapping of the user's, without a topology, on other nodes.
  printf 'n1\nn1\nn3\nn3\n' >hosts
  "$TOFA" report app --mapping hosts -o app.html 2>err
  grep -q 'Before: as it ran' app.html
  grep -q 'After: hosts' app.html
  "$TOFA" report app --mapping hosts --before linear --nodes 'n[1-4]' -o app.html 2>err
  grep -q 'Before: ranks in list order' app.html
  # A damaged file is left out, and keeps nothing else from the page.
  printf '{"version": 1, "mapping": ["n1", "n2"' >app.ranks.json
  "$TOFA" report app --nodes 'm[1-2]' --slots 2 -o app.html 2>err
  grep -q 'app.ranks.json' app.html
  grep -q 'left out' app.html
  grep -q 'Before: ranks in list order' app.html
  # One node: nothing to place. No hosts: as if it were not there.
  printf '{"version": 1, "mapping": ["n1", "n1", "n1", "n1"]}' >app.ranks.json
  "$TOFA" report app -o app.html 2>err
  grep -q 'Without a machine' app.html
  printf '{"version": 1}' >app.ranks.json
  "$TOFA" report app -o app.html 2>err
  grep -q 'Without a machine' app.html
}
