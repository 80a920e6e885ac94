#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Placing by several processes: what comes out is a mapping, about as good as that of one process, and the same in every
# run; and what is wrong anywhere ends all of them.

tofa=${TOFA:?set it to the path of the tofa command}
program=$(dirname "$tofa")/tofa-map-parallel

setup() {
  [[ -x $program ]] || skip "tofa-map-parallel is not built: no PT-SCOTCH"
  cd "$BATS_TEST_TMPDIR" || return 1
  export TOFA_SITE_FILE=$BATS_TEST_TMPDIR/none.toml TMPDIR=$BATS_TEST_TMPDIR
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  unset TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH
  printf '[topology]\nkind = "torus"\nshape = [5, 8, 8]\nnodes = "n[000-319]"\n' >torus.toml
}

# together N ARGUMENTS...: by so many processes; what is wrong with them must not hang the test.
together() {
  local processes=$1
  shift
  timeout -k 10 240 mpirun --oversubscribe --mca btl self,vader -n "$processes" "$program" "$@" </dev/null
}

# grid X Y Z: a periodic 3D stencil, ranks in disorder.
grid() {
  awk -v x="$1" -v y="$2" -v z="$3" '
    function id(a, b, c) { return shuffled[((c + z) % z * y + (b + y) % y) * x + (a + x) % x] }
    BEGIN {
      srand(7); n = x * y * z
      for (i = 0; i < n; i++) shuffled[i] = i + 1
      for (i = n - 1; i > 0; i--) { j = int(rand() * (i + 1)); t = shuffled[i]; shuffled[i] = shuffled[j]; shuffled[j] = t }
      print "%%MatrixMarket matrix coordinate integer general"
      print n, n, 3 * n
      for (c = 0; c < z; c++) for (b = 0; b < y; b++) for (a = 0; a < x; a++) {
        print id(a, b, c), id(a + 1, b, c), 100
        print id(a, b, c), id(a, b + 1, c), 100
        print id(a, b, c), id(a, b, c + 1), 100
      }
    }'
}

hops() {
  "$tofa" evaluate --graph "$1" --topology torus.toml --mapping "$2" --json | jq .average_hops_per_byte
}

@test "four processes place 20,480 ranks as well as one does, the same in every run" {
  grid 20 32 32 >g.mtx
  together 4 --graph g.mtx --topology torus.toml --slots 64 -o hosts
  [ "$(wc -l <hosts)" -eq 20480 ]
  [ "$(sort hosts | uniq -c | awk '$1 != 64' | wc -l)" -eq 0 ]
  "$tofa" map --graph g.mtx --topology torus.toml --slots 64 --objective hop-bytes --mapper group -o one
  [ "$(jq -n "$(hops g.mtx hosts) <= 1.15 * $(hops g.mtx one)")" = true ]
  together 4 --graph g.mtx --topology torus.toml --slots 64 >again
  cmp hosts again
}

@test "several files are parts of a graph, and ranks may be fewer than slots" {
  grid 8 8 8 >whole.mtx
  for part in 0 1 2; do
    {
      head -n 1 whole.mtx
      printf '512 512 512\n'
      tail -n +3 whole.mtx | sed -n "$((part * 512 + 1)),$((part * 512 + 512))p"
    } >"app.part-$part.mtx"
  done
  together 2 --graph app --topology torus.toml --nodes 'n[010-029]' --slots 32 >hosts
  together 2 --graph whole.mtx --topology torus.toml --nodes 'n[010-029]' --slots 32 >same
  cmp hosts same
  # A program or a folder beside them, under the name that is the stem.
  cp whole.mtx one.bytes.mtx
  mkdir one
  printf '\177ELF' >app
  for graph in app one; do
    together 2 --graph $graph --topology torus.toml --nodes 'n[010-029]' --slots 32 >same
    cmp hosts same
  done
  [ "$(wc -l <hosts)" -eq 512 ]
  [ "$(sort hosts | uniq -c | awk '$1 > 32' | wc -l)" -eq 0 ]
  [ "$(grep -cvx 'n0[12][0-9]' hosts)" -eq 0 ]
}

@test "more processes than there are groups, one process, and nodes that differ" {
  grid 4 4 2 >g.mtx
  together 4 --graph g.mtx --topology torus.toml --nodes 'n[000-001]' --slots 16 >hosts
  [ "$(sort hosts | uniq -c | awk '{ print $1 }' | sort -u)" -eq 16 ]
  together 1 --graph g.mtx --topology torus.toml --nodes n000,n001,n001,n002 --slots 8 >hosts
  [ "$(sort hosts | uniq -c | awk '{ print $1 $2 }' | xargs)" = "8n000 16n001 8n002" ]
}

@test "nodes of one slot, where one process has the traffic of all ranks to place" {
  grid 5 8 8 >g.mtx
  together 4 --graph g.mtx --topology torus.toml >hosts
  [ "$(sort -u hosts | wc -l)" -eq 320 ]
  [ "$(jq -n "$(hops g.mtx hosts) < 2")" = true ]
}

@test "what is wrong in the part of one process ends all, with file and line" {
  grid 8 8 8 >g.mtx
  sed '1400s/.*/1 513 7/' g.mtx >bad.mtx
  run together 4 --graph bad.mtx --topology torus.toml --slots 64 -o hosts
  [ "$status" -eq 2 ]
  [[ $output == *"tofa-map-parallel: bad.mtx:1400: column 513 is outside 1 to 512"* ]]
  [ "$(grep -c outside <<<"$output")" -eq 1 ]
  [ ! -e hosts ]
  head -n 1000 g.mtx >short.mtx
  run together 3 --graph short.mtx --topology torus.toml --slots 64
  [ "$status" -eq 2 ]
  [[ $output == *"short.mtx: ends after 998 of 1536 entries"* ]]
  cp g.mtx app.part-0.mtx
  cp g.mtx app.part-2.mtx
  run together 2 --graph app --topology torus.toml --slots 64
  [[ $status -eq 2 && $output == *"app.part-1.mtx: is missing among the parts"* ]]
  rm app.part-2.mtx
  grid 4 4 4 >app.part-1.mtx
  run together 2 --graph app --topology torus.toml --slots 64
  [ "$status" -eq 2 ]
  [[ $output == *"app.part-1.mtx: has 64 ranks, but app.part-0.mtx has 512"* ]]
}

@test "mistakes in the request are told once" {
  run together 2 --topology torus.toml
  [ "$status" -eq 2 ]
  [ "$(grep -c -- '--graph is required' <<<"$output")" -eq 1 ]
  run together 2 --generate stencil3d:4x4 --topology torus.toml
  [ "$status" -eq 2 ]
  [[ $output == *"none that can be generated"* ]]
  run together 2 --graph none --topology torus.toml
  [ "$status" -eq 2 ]
  [[ $output == *"there is no graph none"* ]]
  run together 2 --generate geometric:2000 --topology torus.toml --slots 4
  [ "$status" -eq 1 ]
  [[ $output == *slots* ]]
  run together 2 --generate geometric:2000 --topology torus.toml --slots 16 -o nowhere/hosts
  [ "$status" -eq 1 ]
  [[ $output == *nowhere* ]]
}
