#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All measurements, one after the other: what ./dev bench runs. With --quick fewer and smaller cases. Tables and pictures
# are left in build/bench/results; the README's figures come from them. What takes an hour for itself is not run:
# map_parallel.sh for sixteen million ranks.
set -euo pipefail
export PYTHONDONTWRITEBYTECODE=1
export PYTHONUNBUFFERED=1
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
results=$folder/../build/bench/results
traffic=$folder/../build/bench/traffic
tools=$folder/../build/bench
mkdir -p "$results" "$traffic"
results=$(cd "$results" && pwd)
quick=()
for option in "$@"; do
  [[ $option == --quick ]] || { printf 'usage: %s [--quick]\n' "$0" >&2 && exit 2; }
  quick=(--quick)
done
seconds=()
failed=()

# measure FILE HEADING COMMAND...: one part, and the time it takes. What it prints is kept as FILE of the results, unless
# that is "-". A part that fails is named at the end, and keeps no other from being measured.
measure() {
  local file=$1 heading=$2 start=$SECONDS
  shift 2
  printf '\n%s\n\n' "$heading"
  if [[ $file == - ]]; then file=/dev/null; else file=$results/$file; fi
  "$@" | tee "$file" || failed+=("$heading")
  seconds+=("| $heading | $((SECONDS - start)) |")
}

# few FEW MANY: the first with --quick, else the second.
few() {
  if ((${#quick[@]})); then printf '%s' "$1"; else printf '%s' "$2"; fi
}
seeds=$(few 1 5)
programs=()
if ((${#quick[@]})); then programs=(cg-64 cg-256 lammps-64); fi

measure - 'Mapping: quality, time and memory' "$folder/compare.py" quality "${quick[@]}" "$results"
measure - 'Mapping: how soon answers are how good' "$folder/compare.py" race "${quick[@]}" "$results"
measure - 'Mapping: from 512 ranks to a million' "$folder/compare.py" scaling "${quick[@]}" "$results"
measure large.md 'Mapping: a million irregular ranks' "$folder/large.py" "${quick[@]}"
measure - 'Mapping: every family on every kind of machine, over the best that is known' \
  "$folder/limits.py" "${quick[@]}" --cases "$traffic" --folder "$results"
measure who_wins.md 'Mapping: who wins where' \
  "$folder/who_wins.py" --limits "$results/limits.tsv" --cases "$traffic"
measure - 'Mapping: traffic and machines drawn at random, over the least that is seen' \
  "$folder/drawn.py" "${quick[@]}" --folder "$results"
measure - 'The same under the objective that is the default: expected time of communication' \
  "$folder/drawn.py" "${quick[@]}" --objective completion-time --folder "$results"
measure suspects.md 'Mapping: nodes that may fail' "$folder/suspects.py" "${quick[@]}" --cases "$traffic"
measure trees.md 'Mapping: families of traffic on machines with levels' \
  "$folder/family_costs.py" --seeds "$seeds" --folder "$traffic" "$tools/tofa-planned"
measure tori.md 'Mapping: families of traffic on tori' \
  "$folder/family_costs.py" --tori --seeds "$seeds" --folder "$traffic" "$tools/tofa-planned"
measure slots.md 'Mapping: families of traffic on nodes that many ranks share' \
  "$folder/family_costs.py" --slots --seeds "$seeds" --folder "$traffic" "$tools/tofa-planned"
measure map_parallel.txt 'Mapping: by several processes' "$folder/map_parallel.sh" --quick
measure simulation.md 'Simulation: time under different mappings' "$folder/simulate.sh" "${programs[@]}"
measure congestion.md 'Simulation: links that other jobs use' "$folder/congestion.sh" "$(few 2 20)"
measure choose_nodes.md 'Choosing nodes on a busy cluster' "$folder/choose_nodes.py" --draws "$(few 2 10)"
measure topologies.md 'Ranks that MPI may reorder' "$folder/topologies.sh" "${quick[@]}"
if ((EUID == 0)); then
  measure - 'A batch of jobs on nodes that fail' "$folder/batch/batch.py" --jobs "$(few 4 16)" "$results"
  measure - 'A busy queue' "$folder/batch/queue.py" --jobs "$(few 6 24)" "$results"
  measure srun_cost.md 'What --tofa adds to srun' "$folder/srun_cost.sh" --rounds "$(few 3 15)"
fi
measure rates.md 'How fast this machine is, beside what work is planned by' "$tools/tofa-rates"
measure monitor_cost.md 'What counting adds to a message' "$folder/monitor_cost.sh" "${quick[@]}"
measure health_backtest.md 'Predictions of outages on simulated fleets, in units of the best that can be' \
  "$tools/tofa-health-backtest" 1 "$(few 1 10)"
measure health_scale.md 'What the health service takes on a large machine' "$folder/health_scale.py" "${quick[@]}"
measure whatif.txt 'What other ways to choose nodes would have brought a site' "$folder/whatif.sh" "${quick[@]}"

printf '\nWhat each part took\n\n'
{
  printf '| part | seconds |\n|---|---:|\n'
  printf '%s\n' "${seconds[@]}"
} | tee "$results/seconds.md"
printf '\nResults are in %s:\n' "$results"
ls "$results"
if ((${#failed[@]})); then
  printf '\nFailed, or above what it says is the most:\n' >&2
  printf '  %s\n' "${failed[@]}" >&2
  exit 1
fi
