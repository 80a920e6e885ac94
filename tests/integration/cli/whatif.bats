#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# tofa whatif as a user meets it: tables, files and messages.
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  export TOFA_SITE_FILE=$PWD/none.toml
  printf 'SwitchName=%s Nodes=%s\n' a 'n[0-3]' b 'n[4-7]' c 'n[8-11]' d 'n[12-15]' >topology.conf
  printf 'SwitchName=%s Switches=%s\n' ab a,b cd c,d top ab,cd >>topology.conf
  {
    printf '; MaxNodes: 16\n; MaxProcs: 64\n'
    for i in $(seq 30); do
      printf '%d %d -1 %d %d -1 -1 %d 3600 -1 1 -1 -1 %d -1 -1 -1 -1\n' "$i" $((i * 20)) $((60 + i * 37 % 200)) \
        $((8 + i * 12 % 40)) $((8 + i * 12 % 40)) $((i % 4))
    done
  } >jobs.swf
}

@test "a log is replayed under every policy, the same each time" {
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf >table
  grep -qx '30 jobs on tree of 7 switches on 3 levels, 16 nodes of 4 cores' table
  grep -q 'Slurm *re-ordered *compact *subtree$' table
  "$TOFA" whatif --jobs - --topology topology.conf <jobs.swf | diff table -
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf --communication 0.1,0.5 --hours 0.1 --json >out.json
  jq -e '.cases | length == 2' out.json
  jq -e '.cases[1].policies[0] | .policy == "slurm" and .hop_bytes_ratio == 1 and (.by_hours | length) == 1' out.json
  jq -e '[.cases[].policies[1:][] | .run_time_gain > 0] | all' out.json
  jq -e '.cases[0].pairs | length == 6' out.json
}

@test "schedule, plots and a made-up log are written" {
  "$TOFA" whatif --generate 20 -o made.swf
  [[ $(grep -vc '^;' made.swf) == 20 ]]
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf --policies subtree --schedule jobs.csv --plots plots.html >/dev/null
  [[ $(wc -l <jobs.csv) == 61 ]]
  grep -q '^0.3,subtree,1,1,20,' jobs.csv
  grep -q '</svg>' plots.html
  sed -n '/<pre>/,/<\/pre>/p' plots.html | grep -q '^makespan, s *[0-9]* *[0-9]*$'
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf --plots plots.svg >/dev/null
  xmllint --noout plots.svg 2>/dev/null || grep -q '</svg>' plots.svg
}

@test "how long choices take is said where it is asked for" {
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf --policies subtree,whole --choice-times --json --plots plots.svg >out.json
  jq -e '.cases[0].policies | map(has("choice_times")) == [false, true, true]' out.json
  jq -e '[.cases[0].policies[1:][].choice_times[] | .jobs > 0 and .mean_seconds > 0 and .most_seconds >= .mean_seconds] | all' out.json
  jq -e '[.cases[0].policies[1:][].choice_times | map(.ranks)] | . == [[8, 16, 32, 64], [8, 16, 32, 64]]' out.json
  grep -q 'Time to choose nodes' plots.svg
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf --policies subtree,whole --choice-times >table
  grep -q '^ranks, at most *subtree *whole machine$' table
  grep -qE '^64 ( *[0-9.]+ \([0-9.]+\)){2}$' table
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf >table
  run ! grep -q 'ranks, at most' table
}

@test "outages abort runs, and the policy that avoids them is there" {
  printf 'n%d 0.2\n' 0 1 2 3 >outages
  "$TOFA" whatif --jobs jobs.swf --topology topology.conf --outages outages --json >out.json
  jq -e '.cases[0].policies | map({(.policy): .aborts}) | add | .["fault-aware"] < .slurm' out.json
}

# Two jobs that each need all of four nodes, which fail half of the time.
@test "each run has its own line, and the time of aborted ones counts" {
  printf 'SwitchName=%s Nodes=%s\n' a 'n[0-1]' b 'n[2-3]' >small.conf
  echo 'SwitchName=top Switches=a,b' >>small.conf
  {
    printf '; MaxNodes: 4\n; MaxProcs: 8\n'
    printf '%d 0 -1 100 8 -1 -1 8 3600 -1 1 -1 -1 1 -1 -1 -1 -1\n' 1 2
  } >whole.swf
  printf 'n%d 0.5\n' 0 1 2 3 >outages
  "$TOFA" whatif --jobs whole.swf --topology small.conf --outages outages --policies slurm --schedule runs.csv --json >out.json
  [[ $(head -n 1 runs.csv) == communication,policy,order,job,ranks,submit,start,end,run,hop_bytes_ratio,aborted,nodes ]]
  # Every line is another run, none begins before the one before it ended, and each job's last one ended well.
  awk -F, 'NR > 1 { if ($7 < end - 0.002 || ($9 < 100) != $11) exit 1; end = $8; good[$4] = !$11 }
           END { if (NR < 6 || !good[1] || !good[2]) exit 1 }' runs.csv
  jq -e --argjson runs $(($(wc -l <runs.csv) - 1)) '.cases[0].policies[0] | .aborts + 2 == $runs and .utilisation > 0.5' out.json
  # Between two runs a job waits, or the other one runs.
  jq -e '.cases[0].policies[0] | (.mean_wait_seconds + .mean_run_seconds + .lost_core_hours * 3600 / 8 / 2 - .mean_flow_seconds)
         | fabs < 0.01' out.json
}

@test "virtual hosts and dead nodes get no jobs, and what does not fit without them is left out" {
  printf '[topology]\nkind = "torus"\nshape = [16]\nnodes = "n[0-15]"\n[[host]]\nname = "vm[1-4]"\non = "n7"\n' >vms.toml
  "$TOFA" whatif --jobs jobs.swf --topology vms.toml --schedule runs.csv --json >out.json
  jq -e '.nodes == 16' out.json
  run ! grep -q vm runs.csv
  echo 'n7 1' >outages
  sed -n '1,2p' jobs.swf >few.swf
  echo '1 0 -1 100 64 -1 -1 64 3600 -1 1 -1 -1 1 -1 -1 -1 -1' >>few.swf
  refused 2 'all 1 jobs need more than the machine has, which is 16 nodes of 4 cores' --jobs few.swf --topology vms.toml --outages outages
  echo '2 0 -1 100 60 -1 -1 60 3600 -1 1 -1 -1 1 -1 -1 -1 -1' >>few.swf
  "$TOFA" whatif --jobs few.swf --topology vms.toml --outages outages --json >out.json
  jq -e '.jobs == 1 and .left_out == 1' out.json
}

# refused STATUS WORDS OPTIONS...
refused() {
  local status=$1 words=$2
  shift 2
  run --separate-stderr -"$status" "$TOFA" whatif "$@"
  # shellcheck disable=SC2154  # bats sets it
  [[ $stderr == *"$words"* ]] || { echo "$stderr" && return 1; }
}

@test "what cannot be replayed is said" {
  refused 2 'no log of jobs; add --jobs' --topology topology.conf
  refused 2 'unknown policy "slrum"; known are slurm' --jobs jobs.swf --topology topology.conf --policies slrum
  refused 2 'a number from 0 to 1' --jobs jobs.swf --topology topology.conf --communication 2
  printf 'JobID|Submit|Elapsed|AllocCPUS\n1|2026-01-01|00:10:00|4\n' >sacct
  refused 2 'add --cores' --jobs sacct --topology topology.conf
  printf '1 2 3\n' >bad
  refused 2 'bad:1: a job has 18 numbers' --jobs bad --topology topology.conf
  refused 2 'plots.txt' --jobs jobs.swf --topology topology.conf --plots plots.txt
  printf '[[rule]]\nclass = "halo"\n' >rules.toml
  refused 2 'rules.toml:2:' --jobs jobs.swf --topology topology.conf --traffic rules.toml
}
