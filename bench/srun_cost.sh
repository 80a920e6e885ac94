#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What --tofa adds to srun, on a Slurm cluster of 64 nodes in namespaces: 8 ranks on 8 nodes and 64 ranks on 64 nodes, in
# an allocation and by itself. Each round runs the step plainly, with a placement that is searched for, and with the same
# again, which is remembered; printed are medians of the rounds and what they add to the plain one. Needs root.
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${TOFA_BUILD:-$folder/../build}
rounds=9
nodes=64

usage() {
  printf 'usage: %s [--rounds N] [--nodes N]     (TOFA_BUILD: the build folder, default build)\n' "$0" >&2
  exit 2
}

while (($#)); do
  case $1 in
    --rounds) rounds=${2:-} ;;
    --nodes) nodes=${2:-} ;;
    *) usage ;;
  esac
  [[ ${2:-} =~ ^[1-9][0-9]*$ ]] || usage
  shift 2
done
[[ -e $build/lib/tofa/spank_tofa.so ]] || { printf '%s: no plugin in %s; build it first\n' "$0" "$build" >&2 && exit 1; }

for name in $(compgen -e); do
  case $name in SLURM* | TOFA_*) [[ $name == TOFA_CLUSTER_* ]] || unset "$name" ;; esac
done
base=$(mktemp -d /tmp/tofa-cost-XXXXXX)
export TOFA_CLUSTER_DIR=$base/cluster
cluster=$folder/../tests/cluster/cluster.sh
trap '"$cluster" down; rm -rf "$base"' EXIT
echo "optional $(cd "$build" && pwd)/lib/tofa/spank_tofa.so" >"$base/plugstack.conf"
"$cluster" up --etc "$base/plugstack.conf" "$nodes"
work=$TOFA_CLUSTER_DIR/shared

printf '[topology]\nkind = "torus"\nshape = [%d]\nnodes = "n[000-%03d]"\n' "$nodes" $((nodes - 1)) >"$work/network.toml"
((nodes != 64)) || sed -i 's/\[64\]/[4, 4, 4]/' "$work/network.toml"
# Ranks talk to those half of the job away, and a little to their neighbours.
profile() {
  awk -v n="$1" 'BEGIN {
    print "%%MatrixMarket matrix coordinate integer general"
    print n, n, 2 * n
    for (i = 0; i < n; i++) { print i + 1, (i + n / 2) % n + 1, 1000000; print i + 1, (i + 1) % n + 1, 1000 }
  }' >"$work/app-$1.mtx"
}

# What runs on the head: prints a way to run a step, and the milliseconds that it took, in every line.
cat >"$work/measure" <<'END'
ranks=$1 rounds=$2 nodes=$3
cd "$(dirname "$0")"
export TOFA_TOPOLOGY=$PWD/network.toml TOFA_SITE_FILE=/dev/null
# Where the job asks for nodes itself, those of the job before must be idle again.
rested() {
  local end=$((SECONDS + 60))
  [[ -n ${SLURM_JOB_ID:-} ]] && return
  until [[ $(sinfo --noheader --Node --format=%T | grep -cx idle) == "$nodes" ]]; do
    ((SECONDS < end)) || { echo "the nodes do not become idle" >&2 && exit 1; }
    sleep 0.1
  done
}
timed() {
  rested
  local from=$EPOCHREALTIME
  timeout 60 srun "${@:2}" -N "$ranks" -n "$ranks" true 2>err || exit 1
  local to=$EPOCHREALTIME
  if grep "tofa: warning" err >&2; then exit 1; fi
  echo "$1 $(((${to/./} - ${from/./}) / 1000))"
}
timed warm >/dev/null
for ((round = 0; round < rounds; round++)); do
  export XDG_CACHE_HOME=$PWD/cache-$ranks-$round-$$
  timed plain
  timed searched --tofa="app-$ranks.mtx"
  timed remembered --tofa="app-$ranks.mtx"
done
END

median() { awk -v way="$2" '$1 == way { print $2 }' "$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

table() {
  local ranks=$1 where=$2 way plain value
  plain=$(median "$work/times" plain)
  for way in searched remembered; do
    value=$(median "$work/times" $way)
    awk -v r="$ranks" -v w="$where" -v way=$way -v p="$plain" -v v="$value" \
      'BEGIN { printf "| %d on %d | %s | %s | %d | %d | %+d | %.2f |\n", r, r, w, way, p, v, v - p, v / p }'
  done
}

printf '| ranks on nodes | srun runs | placement | plain, ms | --tofa, ms | adds, ms | ratio |\n|---|---|---|---:|---:|---:|---:|\n'
for ranks in 8 "$nodes"; do
  profile "$ranks"
  "$cluster" sh salloc --quiet -N "$ranks" -n "$ranks" bash "$work/measure" "$ranks" "$rounds" "$nodes" >"$work/times"
  table "$ranks" "in an allocation"
  "$cluster" sh bash "$work/measure" "$ranks" "$rounds" "$nodes" >"$work/times"
  table "$ranks" "by itself"
done
