#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# Classes, phases and sizes of messages of a profile, as `tofa graph` shows them. Needs TOFA (the program).
# shellcheck disable=SC2154  # bats sets status and output

# graph NAME PHASE BYTES: NAME.bytes.mtx and NAME.messages.mtx, in which rank 0 sends rank 1 so many bytes in a message.
graph() {
  local quantity
  for quantity in bytes messages; do
    printf '%%%%MatrixMarket matrix coordinate integer general\n%%tofa {"version":1,"quantity":"%s","phase":"%s"}\n3 3 1\n1 2 %d\n' \
      "$quantity" "$2" "$([ $quantity = bytes ] && echo "$3" || echo 1)" >"$1.$quantity.mtx"
  done
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset SLURM_JOB_ID TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH TOFA_MACHINE
  export TOFA_SITE_FILE=$PWD/site.toml
  graph app all 1000
  graph app.user user 900
  graph app.phase3 phase3 70
  graph app.phase3.user phase3.user 60
  printf '%%%%tofa message sizes\n%%tofa {"version":1,"quantity":"sizes"}\n3 3 3\n1 2 0 4\n1 2 64 5\n2 3 64 6\n' >app.sizes.txt
}

@test "info names what a profile tells apart, and how large messages were" {
  run "$TOFA" graph info app
  [ "$status" -eq 0 ]
  [[ $output == *"told apart          user, phase3, phase3.user"* ]]
  [[ $output == *"message sizes       0 B: 4 messages"*"                    64 to 127 B: 11 messages"* ]]
  "$TOFA" graph info app --json | jq -e '.parts == ["user", "phase3", "phase3.user"] and
    .sizes == [{"least": 0, "most": 0, "messages": 4}, {"least": 64, "most": 127, "messages": 11}]'
  # A file stands for itself.
  "$TOFA" graph info app.bytes.mtx --json | jq -e '.parts == null and .sizes == null and .total == 1000'
}

@test "a file of sizes is one for info, and no graph" {
  "$TOFA" graph info app.sizes.txt | grep -qx '  *64 to 127 B: 11 messages'
  "$TOFA" graph info app.sizes.txt --json | jq -e '.ranks == 3 and .entries == 3 and .metadata.quantity == "sizes"'
  run "$TOFA" graph convert app.sizes.txt -o x.mtx
  [ "$status" -eq 2 ]
  [[ $output == *"app.sizes.txt:1: holds sizes of messages, and no graph"* ]]
  echo '1 2' >>app.sizes.txt
  run "$TOFA" graph info app
  [ "$status" -eq 2 ]
  [[ $output == *'app.sizes.txt:7: line "1 2" is not'* ]]
}

@test "select takes a class, a phase or both" {
  "$TOFA" graph select app --phase 3 --class user | diff - app.phase3.user.bytes.mtx
  "$TOFA" graph select app --class user --messages -o user.messages.mtx
  diff user.messages.mtx app.user.messages.mtx
  "$TOFA" graph select app --phase 3 -o phase.txt --to dense
  [ "$(head -n 1 phase.txt)" = '0 70 0' ]
  "$TOFA" graph sum app.phase3 app.user -o sum.mtx
  "$TOFA" graph info --json sum.mtx | jq -e '.total == 970'
  run "$TOFA" graph compare app.phase3 app.phase3.user
  [ "$status" -eq 1 ]
}

@test "select says what there is instead" {
  run "$TOFA" graph select app --phase 4
  [ "$status" -eq 2 ]
  [[ $output == *"app.phase4.bytes.mtx: is not there; the profile tells apart user, phase3, phase3.user"* ]]
  run "$TOFA" graph select nothing --class io
  [ "$status" -eq 2 ]
  [[ $output == *"pml_monitoring_enable 2"* ]]
  run "$TOFA" graph select app --phase 0
  [ "$status" -eq 2 ]
  run "$TOFA" graph select app --phase 3 -o graph.what
  [ "$status" -eq 2 ]
  [[ $output == *"the extension does not say"* ]]
}

@test "a program beside its profile hides none of the profile's files" {
  "$TOFA" heatmap app --unit messages -o alone.svg
  "$TOFA" report app -o alone.html
  printf '\177ELF' >app
  chmod +x app
  "$TOFA" heatmap app --unit messages -o beside.svg
  cmp alone.svg beside.svg
  "$TOFA" report app -o beside.html
  cmp alone.html beside.html
}

@test "metadata that is nested too deep is refused where it is read" {
  deep=$(printf '%0300000d' 0 | tr 0 '[')
  deep+=$(tr '[' ']' <<<"$deep")
  printf '%%%%MatrixMarket matrix coordinate integer general\n%%tofa {"a":%s}\n2 2 1\n1 2 9\n' "$deep" >deep.mtx
  run "$TOFA" graph info deep.mtx --json
  [ "$status" -eq 2 ]
  [[ $output == *"deep.mtx:2: %tofa comment"*"is 300001 levels deep; at most 64 are read"* ]]
  printf '%%%%tofa message sizes\n%%tofa {"a":%s}\n3 3 1\n1 2 0 4\n' "$deep" >deep.sizes.txt
  run "$TOFA" graph info deep.sizes.txt --json
  [ "$status" -eq 2 ]
  [[ $output == *"deep.sizes.txt:2: %tofa comment"* ]]
}
