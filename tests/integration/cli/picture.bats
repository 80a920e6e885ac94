#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa picture as a user meets it: well-formed pictures of the machines that can be drawn, and a message for the others.
# Needs TOFA (the program) and TOFA_FIXTURES.
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  unset SLURM_JOB_ID TOFA_TOPOLOGY TOFA_OUTAGES TOFA_HEALTH TOFA_MACHINE
  export TOFA_SITE_FILE=/dev/null
  app=$TOFA_FIXTURES/cases/irregular12
  printf '[topology]\nkind = "torus"\nshape = [4, 2, 2]\nnodes = "n[00-15]"\n' >torus.toml
  printf '[topology]\nkind = "fat-tree"\ndown = [4, 4]\nup = [1, 2]\nnodes = "n[00-15]"\n' >tree.toml
  printf 'n02 1\nn09 0.3\n' >outages.txt
}

well_formed() { python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1"; }

@test "a torus and a fat tree, before and after, with failing nodes" {
  for topology in torus.toml tree.toml; do
    "$TOFA" map --graph "$app" --topology $topology --outages outages.txt -o hosts
    "$TOFA" picture --graph "$app" --topology $topology --mapping hosts --outages outages.txt -o app.svg
    well_formed app.svg
    grep -q 'Before: ranks in list order' app.svg
    grep -q 'After: hosts' app.svg
    grep -q 'n02: rank 2; outage probability 1<' app.svg # in list order
    grep -q 'n02: no rank; outage probability 1<' app.svg
  done
}

@test "another mapping on the left, a title, and standard output" {
  seq -f 'n%02g' 0 11 | tac >old
  seq -f 'n%02g' 0 11 >new
  "$TOFA" picture --graph "$app" --topology torus.toml --before old --mapping new --title 'a < b' -o - >app.svg
  well_formed app.svg
  grep -q 'Before: old' app.svg
  grep -q '<title>a &lt; b</title>' app.svg
}

@test "ranks in list order fill as many slots as the mapping's fullest node, from the nodes named" {
  for i in 0 1 2; do printf 'n0%d\nn0%d\nn0%d\nn0%d\n' $i $i $i $i; done >four
  "$TOFA" picture --graph "$app" --topology torus.toml --mapping four --nodes 'n[04-15]' -o app.svg
  grep -q 'n04: ranks 0-3<' app.svg
  "$TOFA" picture --graph "$app" --topology torus.toml --mapping four --nodes 'n[04-15]' --slots 2 -o app.svg
  grep -q 'n04: ranks 0,1<' app.svg
}

@test "without a topology, the nodes of both mappings and those named are the machine" {
  for i in 0 1 2; do printf 'n0%d\nn0%d\nn0%d\nn0%d\n' $i $i $i $i; done >old
  sed 's/n02/n03/' old >new
  "$TOFA" picture --graph "$app" --before <(cat old) --mapping <(cat new) -o app.svg
  well_formed app.svg
  grep -q 'n02: no rank<' app.svg
  grep -q 'n02: ranks 8-11<' app.svg
  "$TOFA" picture --graph "$app" --mapping new --nodes 'n[04-06]' -o app.svg
  grep -q 'n06: ranks 8-11<' app.svg
}

@test "what cannot be drawn is said" {
  printf '[topology]\nkind = "dragonfly"\ngroups = 4\nrouters = 2\nnodes_per_router = 2\nnodes = "n[00-15]"\n' >fly.toml
  seq -f 'n%02g' 0 11 >hosts
  run "$TOFA" picture --graph "$app" --topology fly.toml --mapping hosts -o app.svg
  echo "$output"
  [ "$status" -eq 1 ]
  [[ $output == "tofa: there is no picture of a dragonfly yet: grids (torus, mesh) and trees"* ]]
  run "$TOFA" picture --graph "$app" --topology torus.toml --mapping hosts -o app.jpg
  [ "$status" -eq 2 ]
  [ "$output" = "tofa: app.jpg: the name of a picture must end in .svg or .png" ]
}

@test "PNG, and which package is missing where it cannot be drawn" {
  seq -f 'n%02g' 0 11 >hosts
  draw=("$TOFA" picture --graph "$app" --topology torus.toml --mapping hosts)
  "${draw[@]}" -o app.png
  same=$(python3 -c 'import struct; d = open("app.png", "rb").read(); print(d[1:4], struct.unpack(">I", d[16:20])[0])')
  "${draw[@]}" -o app.svg
  width=$(sed -n 's/.*<svg[^>]* width="\([0-9]*\).*/\1/p' app.svg | head -n 1)
  [ "$same" = "b'PNG' $((2 * width))" ]
  "$TOFA" heatmap "$app" -o heat.png
  rm app.png
  mkdir empty
  PATH=$PWD/empty run "$TOFA" picture --graph "$app" --topology torus.toml --mapping hosts -o app.png
  [ "$status" -eq 1 ]
  [[ $output == *"cannot draw the PNG: rsvg-convert: "*"librsvg2-bin"* ]]
  [ ! -e app.png ]
  PATH=$PWD/empty "$TOFA" picture --graph "$app" --topology torus.toml --mapping hosts -o app.svg
}

@test "the command loads no graphics" {
  ldd "$TOFA" >libraries
  grep -q libc.so libraries
  run grep -iE 'cairo|rsvg|pango|gdk|libX11|xcb' libraries
  [ "$status" -eq 1 ]
}
