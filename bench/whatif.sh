#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What other ways to choose nodes would have brought a machine of 5,040 nodes: a made-up log, on the machine empty and on the
# machine full, for three shares of communication; and how long choices take, by the size of jobs. Prints the tables and how
# long one share took, all policies together, on one core; leaves JSON and plots in build/bench/results. With --quick a
# quarter of the jobs.
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tofa=${TOFA:-$folder/../build/bin/tofa}
results=$folder/../build/bench/results
mkdir -p "$results"
jobs=10000
[[ ${1-} == --quick ]] && jobs=2500
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# 280 leaf switches of 18 nodes, 14 of them below each of 20 switches.
for ((leaf = 0; leaf < 280; ++leaf)); do
  printf 'SwitchName=leaf%03d Nodes=n[%04d-%04d]\n' $leaf $((18 * leaf)) $((18 * leaf + 17))
done >"$scratch/topology.conf"
for ((group = 0; group < 20; ++group)); do
  printf 'SwitchName=group%02d Switches=leaf[%03d-%03d]\n' $group $((14 * group)) $((14 * group + 13))
done >>"$scratch/topology.conf"
echo 'SwitchName=top Switches=group[00-19]' >>"$scratch/topology.conf"
# One node of a hundred fails in a run of fifty.
for ((node = 50; node < 5040; node += 100)); do printf 'n%04d 0.02\n' $node; done >"$scratch/outages"

"$tofa" whatif --generate $jobs -o "$scratch/jobs.swf"
# The table of a page.
print_table() { sed -n '/<pre>/,/<\/pre>/p' "$1" | sed 's/<\/\?pre>//g'; }
whatif() { taskset -c 0 "$tofa" whatif --jobs "$scratch/jobs.swf" --topology "$scratch/topology.conf" "$@"; }

printf 'What choices cost, with the search for a part of the tree and without\n\n'
whatif --policies reorder,compact,subtree,whole --choice-times --json --plots "$results/whatif-choices.html" \
  >"$results/whatif-choices.json"
print_table "$results/whatif-choices.html"

printf '\nAll policies, nodes that fail\n\n'
TIMEFORMAT=$'\n%U seconds of one core'
time whatif --outages "$scratch/outages" | tee "$results/whatif-outages.txt"
for machine in empty full; do
  warm_up=0s
  [[ $machine == full ]] && warm_up=5h
  printf '\nThe machine is %s\n\n' $machine
  whatif --warm-up $warm_up --communication 0.1,0.3,0.5 --hours 1,5,10,25,50 --json \
    --plots "$results/whatif-$machine.html" >"$results/whatif-$machine.json"
  print_table "$results/whatif-$machine.html"
done
