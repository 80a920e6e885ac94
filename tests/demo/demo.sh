#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The main job, end to end, with real parts on one machine: profile an MPI program inside Open MPI, watch 16 hosts (each
# an agent in a UTS namespace of its own), stop two of them, and start the program on the others with the stock mpirun,
# every rank where it was planned. Exits non-zero if any claim does not hold.
#
# Usage: demo.sh FOLDER     (after ./dev build; files are left in FOLDER)
set -euo pipefail

# Hosts that do not exist have no addresses to look up: with nothing but a loopback interface nobody waits for a name
# server.
if [[ -z ${TOFA_DEMO_ISOLATED:-} ]]; then
  TOFA_DEMO_ISOLATED=1 exec "$(dirname "${BASH_SOURCE[0]}")/../integration/isolated" "${BASH_SOURCE[0]}" "$@"
fi

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
readonly root
# TOFA_BUILD: the build folder, if it is not build.
readonly build=${TOFA_BUILD:-$root/build}
readonly bin=$build/bin plugins=$build/lib/tofa
readonly hosts=16 ranks=12 dead=(fk02 fk09)
out=${1:?usage: demo.sh FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
# What an earlier demo left is replaced, and nobody else's files are.
readonly mark=$out/.tofa-demo
if [[ ! -e $mark && -n $(ls -A "$out") ]]; then
  printf 'demo: %s is not empty, and no demo made it; name a new folder\n' "$out" >&2
  exit 2
fi
touch "$mark"
find "$out" -maxdepth 1 -type f ! -name "${mark##*/}" -delete
started=()
# printf and awk read numbers with a point.
export LC_ALL=C.UTF-8

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
stock_plugins=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
export OMPI_MCA_mca_base_component_path=$stock_plugins:$plugins
# The environment of the caller must not change what is shown.
unset TOFA_TOPOLOGY TOFA_OUTAGES
export TOFA_SITE_FILE=/dev/null TOFA_HEALTH=127.0.0.1:7412

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
fail() {
  printf 'demo: %s\n' "$*" >&2
  exit 1
}

stop_all() {
  local pid
  for pid in "${started[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${started[@]}"; do wait "$pid" 2>/dev/null || true; done
}
trap stop_all EXIT

host_name() { printf 'fk%02d' "$1"; }

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
  local limit=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < limit)) || fail "$what did not happen in time; see the logs in $out"
    sleep 0.2
  done
}

# json FILE KEY: a number from the pretty-printed JSON of the tofa command.
json() { sed -n "s/^ *\"$2\": \([-0-9.e+]*\),\{0,1\}$/\1/p" "$1" | head -n 1; }

# at_most A B: whether A <= B, as real numbers.
at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'; }

agent_pids=()
start_health_service() {
  local i
  cat >"$out/healthd.toml" <<END
[poll]
period = 0.4
timeout = 0.35
[estimate]
method = "ewma"
half_life = 50
[state]
database = "$out/health.db"
snapshot = "$out/snapshot.json"
END
  for ((i = 0; i < hosts; i++)); do
    # shellcheck disable=SC2016  # the inner shell expands them
    unshare --uts sh -c 'hostname "$1" && exec "$2" --listen "$3"' sh \
      "$(host_name "$i")" "$bin/tofa-noded" "127.1.0.$((i + 1)):7411" 2>>"$out/noded.log" &
    agent_pids+=($!)
    started+=($!)
    printf '[[host]]\nname = "%s"\naddress = "127.1.0.%d:7411"\n' "$(host_name "$i")" $((i + 1)) >>"$out/healthd.toml"
  done
  "$bin/tofa-healthd" --config "$out/healthd.toml" 2>"$out/healthd.log" &
  started+=($!)
  wait_for 20 "the first round of heartbeats" test -s "$out/snapshot.json"
  "$bin/tofa-pmix-gateway" --listen "$TOFA_HEALTH" --snapshot "$out/snapshot.json" 2>"$out/gateway.log" &
  started+=($!)
  wait_for 30 "an answer about all $hosts hosts" knows_hosts $hosts
}

# Names of the hosts with a non-zero outage probability, in order.
suspects() { "$bin/tofa" health list 2>>"$out/health-list.log" | awk 'NR > 1 && $2 > 0 { print $1 }' | sort; }
# certainly_down N: whether N hosts have missed so many heartbeats that a job on them is certain to fail.
certainly_down() {
  [[ $("$bin/tofa" health list 2>>"$out/health-list.log" | awk 'NR > 1 && $2 == 1' | wc -l) == "$1" ]]
}
knows_hosts() { [[ $("$bin/tofa" health list 2>>"$out/health-list.log" | awk 'NR > 1' | wc -l) == "$1" ]]; }

# run NAME MPIRUN-OPTIONS...: starts the program on the fake hosts; leaves NAME.out, NAME.hosts (line i: where rank i
# says it ran) and NAME.daemons (hosts that mpirun contacted).
run() {
  local name=$1
  shift
  : >"$out/$name.daemons"
  FAKERSH_LOG=$out/$name.daemons "$root/tests/integration/offline" timeout -k 5 120 mpirun --hostfile "$out/hostfile" -n $ranks \
    --mca plm rsh --mca plm_rsh_agent "$root/tests/integration/fakersh" \
    --mca btl_tcp_if_include lo --mca oob_tcp_if_include lo \
    "$@" "$bin/tofa-demo-irregular" >"$out/$name.out" 2>"$out/$name.err" ||
    fail "the $name run failed: $(tail -n 5 "$out/$name.err")"
  awk '$1 == "rank" { print $2, $4 }' "$out/$name.out" | sort -n | cut -d' ' -f2 >"$out/$name.hosts"
  [[ $(wc -l <"$out/$name.hosts") == "$ranks" ]] || fail "$ranks ranks were to report, see $out/$name.out"
  "$bin/tofa" evaluate --graph "$out/app" --topology "$out/torus.toml" --mapping "$out/$name.hosts" \
    --outages "$out/dead.txt" --json >"$out/$name.json"
}

# What a plan follows from: hosts and probabilities, not how old they are. On a busy machine a live host may answer late
# at any time.
estimates() { "$bin/tofa" health list | awk 'NR > 1 { print $1, $2 }' | sort; }

# Plans, and starts the program as planned: both ask the health service. When it has changed its mind in between, the
# plan is no longer the one to compare with, and both are done again.
plan_and_run() {
  local try before
  for try in 1 2 3 4 5 6 7 8; do
    before=$(estimates)
    "$bin/tofa" map --graph "$out/app" --topology "$out/torus.toml" -o "$out/planned.hosts"
    # A dead host does not answer: a daemon sent there would fail the job.
    FAKERSH_DEAD="${dead[*]}" run tofa --map-by "tofa:graph=$out/app,topology=$out/torus.toml,report=1"
    [[ $(estimates) != "$before" ]] || return 0
    printf 'try %d: a host answered late meanwhile; once more\n' "$try"
  done
  fail "this machine is so busy that hosts answer late all the time"
}

untouched() {
  local host
  for host in "${dead[@]}"; do
    ! grep -qx "$host" "$out/$1.hosts" || fail "a rank ran on $host, which is dead"
    ! grep -qx "$host" "$out/$1.daemons" || fail "mpirun contacted $host, which is dead"
  done
}

show_results() {
  local key label
  printf '\n%6s  %-12s %-12s\n' rank stock tofa
  paste "$out/stock.hosts" "$out/tofa.hosts" | awk '{ printf "%6d  %-12s %-12s\n", NR - 1, $1, $2 }'
  printf '\n%-24s %12s %12s\n' "" stock tofa
  while read -r key label; do
    printf '%-24s %12.4g %12.4g\n' "$label" "$(json "$out/stock.json" "$key")" "$(json "$out/tofa.json" "$key")"
  done <<END
average_hops_per_byte average hops per byte
max_link_load maximum link load (B)
abort_probability abort probability
nodes_used nodes used
END
  printf '%-24s %12d %12d\n' "daemons started" "$(wc -l <"$out/stock.daemons")" "$(wc -l <"$out/tofa.daemons")"
}

say "1. Sixteen hosts under watch"
start_health_service
"$bin/tofa" health status

say "2. Profile the program on $ranks ranks, inside Open MPI"
(cd "$out" && timeout -k 5 120 mpirun --oversubscribe -n $ranks --mca pml_monitoring_enable 1 \
  --mca pml_monitoring_filename "$out/app" --mca pml_monitoring_overwrite 1 "$bin/tofa-demo-irregular" >profile.out)
"$bin/tofa" graph info "$out/app"
"$bin/tofa" heatmap --graph "$out/app" -o "$out/heatmap.svg"
printf 'heatmap: %s\n' "$out/heatmap.svg"

say "3. Two hosts die: ${dead[*]}"
for host in "${dead[@]}"; do
  kill "${agent_pids[$((10#${host#fk}))]}"
done
wait_for 60 "the outage of ${dead[*]}" certainly_down ${#dead[@]}
printf '%s 1\n' "${dead[@]}" >"$out/dead.txt"
for host in $(comm -23 <(suspects) <(printf '%s\n' "${dead[@]}")); do
  printf '%s is alive but has answered late: it is suspect for a while\n' "$host"
done
"$bin/tofa" health list --json >"$out/outages.json"
"$bin/tofa" health list | head -n 4

say "4. Start the program on a 4x2x2 torus of ${hosts} hosts: stock mapping, then --map-by tofa"
printf '[topology]\nkind = "torus"\nshape = [4, 2, 2]\nnodes = "fk[00-15]"\n' >"$out/torus.toml"
for ((i = 0; i < hosts; i++)); do echo "$(host_name "$i") slots=1"; done >"$out/hostfile"
run stock --map-by slot
plan_and_run
cat "$out/tofa.err"
show_results

"$bin/tofa" picture --graph "$out/app" --topology "$out/torus.toml" --outages "$out/outages.json" \
  --before "$out/stock.hosts" --mapping "$out/tofa.hosts" -o "$out/machine.svg" \
  --title "The demo: $ranks ranks on a 4x2x2 torus, two of its nodes dead"
printf '\nPicture of both: %s\n' "$out/machine.svg"

say "5. Claims"
diff "$out/planned.hosts" "$out/tofa.hosts" >&2 || fail "ranks did not run where tofa map planned them"
printf 'every rank ran where tofa map had planned it\n'
untouched tofa
printf 'no rank and no daemon touched %s\n' "${dead[*]}"
[[ $(json "$out/tofa.json" abort_probability) == 0.0 ]] || fail "the abort probability is not 0"
printf 'no route between two ranks passes a dead host\n'
for key in average_hops_per_byte max_link_load; do
  at_most "$(json "$out/tofa.json" $key)" "$(json "$out/stock.json" $key)" || fail "$key is worse than stock"
done
printf 'hops per byte and the busiest link are no worse than stock\n'
printf '\nAll claims hold. Files: %s\n' "$out"
