#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa explain: its text and JSON against golden files, what it says about a search, and the progress that long searches
# show. Needs TOFA (the program) and TOFA_FIXTURES. With TOFA_UPDATE_GOLDEN=1 the golden files are written anew.
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH
  export TOFA_SITE_FILE=$PWD/site.toml
  cases=$TOFA_FIXTURES/cases
  printf 'n003 0.25\nn006 0.5\nn200 0.125\n' >outages
  printf 'n%03d\n' 0 1 2 4 8 9 10 12 16 17 18 20 >hosts
  job=(--graph "$cases/irregular12" --topology "$cases/torus-8x8x8.toml" --nodes 'n[000-031]' --outages outages)
}

# golden NAME ARGUMENTS...: what tofa explain prints for the job, times masked, is what the file says.
golden() {
  local name=$1
  shift
  "$TOFA" explain "${job[@]}" "$@" |
    sed -E 's/[0-9]+\.[0-9]{3}( s|  < chosen|)$/0.000\1/; s/(seconds": )[0-9.e+-]+/\10/' >"$name"
  if [[ -n ${TOFA_UPDATE_GOLDEN-} ]]; then cp "$name" "$TOFA_FIXTURES/explain/$name"; fi
  diff -u "$TOFA_FIXTURES/explain/$name" "$name"
}

refused() {
  run "$TOFA" "$@"
  echo "$output"
  [ "$status" -eq 2 ]
}

@test "a given mapping is explained" {
  golden given.txt --mapping hosts
  golden given.json --mapping hosts --json
}

@test "a placement is explained" {
  golden greedy.txt --mapper greedy --objective hop-bytes
  golden greedy.json --mapper greedy --objective hop-bytes --json
}

@test "auto names its candidates and what time bought" {
  "$TOFA" explain "${job[@]}" --time-limit 1 --json >report
  jq -e '.mapper == "auto" and .origin == (.candidates[] | select(.chosen) | .mapper)
         and (.candidates | map(.cost) | . == sort) and ([.candidates[].mapper] | contains(["linear", "greedy"]))
         and .improvements[0].source == "linear"
         and .improvements[0].cost == .objectives["completion-time"].default
         and .improvements[-1].cost == .objectives["completion-time"].chosen
         and (.suspects | map(select(.chosen != "none")) | length) == 0
         and .chosen.abort_probability == 0' report
}

@test "a mapping that does not fit is refused" {
  printf 'n%03d\n' 0 1 2 4 8 9 10 12 16 17 18 40 >outside
  refused explain "${job[@]}" --mapping outside
  [[ $output == *'outside: puts rank 11 on node "n040", which --nodes does not name'* ]]
  head -n 11 hosts >short
  refused explain "${job[@]}" --mapping short
  [[ $output == *'short: places 11 ranks, but the graph has 12'* ]]
  refused explain "${job[@]}" --mapping hosts --mapper greedy
}

@test "progress is shown on a terminal, and nowhere else" {
  # 4096 ranks of which each talks to six others anywhere keep a search busy until its limit on every machine.
  awk 'BEGIN { srand(1); n = 4096; print "%%MatrixMarket matrix coordinate integer general"; print n, n, 6 * n
               for (i = 0; i < n; i++) for (k = 0; k < 6; k++) print i + 1, (i + 1 + int(rand() * (n - 1))) % n + 1, 100 }' >busy.bytes.mtx
  printf '[topology]\nkind = "torus"\nshape = [16, 16, 16]\nnodes = "n[0000-4095]"\n' >busy.toml
  local long=("$TOFA" map --graph busy --topology busy.toml --effort thorough --time-limit 2 -o placed)
  script -qefc "${long[*]}" typescript >/dev/null </dev/null
  grep -aqE $'\rplacing: [0-9.]+ of 2 s, best cost .* % below the default *\r +\r' typescript
  script -qefc "${long[*]} --quiet" typescript >/dev/null </dev/null
  run grep -aq placing typescript
  [ "$status" -eq 1 ]
  "${long[@]}" 2>messages
  [ ! -s messages ]
}
