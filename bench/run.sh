#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All measurements, one after the other: what ./dev bench runs. With --quick fewer and smaller cases. Tables and pictures
# are left in build/bench/results; the README's figures come from them. What takes an hour for itself is not run:
# map_parallel.sh for sixteen million ranks.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=$folder/../build/bench/results
traffic=$folder/../build/bench/traffic
mkdir -p "$results" "$traffic"
results=$(cd "$results" && pwd)
quick=()
for option in "$@"; do
  [[ $option == --quick ]] || { printf 'usage: %s [--quick]\n' "$0" >&2 && exit 2; }
  quick=(--quick)
done

printf 'Mapping: quality, time and memory\n\n'
"$folder/compare.py" quality "${quick[@]}" "$results"
printf '\nMapping: how soon answers are how good\n\n'
"$folder/compare.py" race "${quick[@]}" "$results"
printf '\nMapping: from 512 ranks to a million\n\n'
"$folder/compare.py" scaling "${quick[@]}" "$results"
printf '\nMapping: a million irregular ranks\n\n'
"$folder/large.py" "${quick[@]}" | tee "$results/large.md"
printf '\nMapping: every family on every kind of machine, over the best that is known\n\n'
"$folder/limits.py" "${quick[@]}" --cases "$traffic" --folder "$results"
printf '\nMapping: who wins where\n\n'
"$folder/who_wins.py" --limits "$results/limits.tsv" --cases "$traffic" | tee "$results/who_wins.md"
printf '\nMapping: traffic and machines drawn at random, over the least that is seen\n\n'
"$folder/drawn.py" "${quick[@]}" --folder "$results"
printf '\nThe same under the objective that is the default: expected time of communication\n\n'
"$folder/drawn.py" "${quick[@]}" --objective completion-time --folder "$results"
printf '\nMapping: nodes that may fail\n\n'
"$folder/suspects.py" "${quick[@]}" --cases "$traffic" | tee "$results/suspects.md"
printf '\nMapping: families of traffic on machines with levels\n\n'
if ((${#quick[@]})); then seeds=1; else seeds=5; fi
"$folder/family_costs.py" --seeds $seeds --folder "$traffic" "$folder/../build/bench/tofa-planned" | tee "$results/trees.md"
printf '\nMapping: families of traffic on tori\n\n'
"$folder/family_costs.py" --tori --seeds $seeds --folder "$traffic" "$folder/../build/bench/tofa-planned" | tee "$results/tori.md"
printf '\nMapping: families of traffic on nodes that many ranks share\n\n'
"$folder/family_costs.py" --slots --seeds $seeds --folder "$traffic" "$folder/../build/bench/tofa-planned" | tee "$results/slots.md"
printf '\nMapping: by several processes\n'
"$folder/map_parallel.sh" --quick | tee "$results/map_parallel.txt"
printf '\nSimulation: time under different mappings\n\n'
if ((${#quick[@]})); then programs=(cg-64 cg-256 lammps-64); else programs=(); fi
"$folder/simulate.sh" "${programs[@]}" | tee "$results/simulation.md"
printf '\nSimulation: links that other jobs use\n\n'
if ((${#quick[@]})); then states=2; else states=20; fi
"$folder/congestion.sh" $states | tee "$results/congestion.md"
printf '\nChoosing nodes on a busy cluster\n\n'
if ((${#quick[@]})); then draws=2; else draws=10; fi
"$folder/choose_nodes.py" --draws $draws | tee "$results/choose_nodes.md"
printf '\nRanks that MPI may reorder\n\n'
"$folder/topologies.sh" "${quick[@]}" | tee "$results/topologies.md"
if ((EUID == 0)); then
  printf '\nA batch of jobs on nodes that fail\n\n'
  if ((${#quick[@]})); then jobs=4; else jobs=16; fi
  "$folder/batch/batch.py" --jobs $jobs "$results"
  printf '\nA busy queue\n\n'
  "$folder/batch/queue.py" --jobs $((jobs * 3 / 2)) "$results"
  printf '\nWhat --tofa adds to srun\n\n'
  if ((${#quick[@]})); then rounds=3; else rounds=15; fi
  "$folder/srun_cost.sh" --rounds $rounds | tee "$results/srun_cost.md"
fi
printf '\nHow fast this machine is, beside what work is planned by\n\n'
"$folder/../build/bench/tofa-rates" | tee "$results/rates.md"
printf '\nWhat counting adds to a message\n\n'
"$folder/monitor_cost.sh" "${quick[@]}" | tee "$results/monitor_cost.md"
printf '\nPredictions of outages on simulated fleets, in units of the best that can be\n\n'
if ((${#quick[@]})); then seeds=1; else seeds=10; fi
"$folder/../build/bench/tofa-health-backtest" 1 $seeds | tee "$results/health_backtest.md"
printf '\nWhat the health service takes on a large machine\n\n'
"$folder/health_scale.py" "${quick[@]}" | tee "$results/health_scale.md" || printf 'Some of that is more than it may be.\n'
printf '\nWhat other ways to choose nodes would have brought a site\n\n'
"$folder/whatif.sh" "${quick[@]}" | tee "$results/whatif.txt"
printf '\nResults are in %s:\n' "$results"
ls "$results"
