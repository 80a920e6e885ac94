# SPDX-License-Identifier: BSD-3-Clause
# What the tests of the mapper share: fake hosts, jobs on them, and where their ranks ran. Each test has a folder of
# its own, $BATS_TEST_TMPDIR, and works in it.
# shellcheck shell=bash

build=${TOFA_BUILD:?set it to the build folder}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
stock_components=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  # The environment of the caller must not reach the jobs.
  local name
  for name in $(compgen -e); do
    case $name in OMPI_* | PMIX_* | TOFA_TOPOLOGY | TOFA_OUTAGES | TOFA_HEALTH) unset "$name" ;; esac
  done
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_mca_base_component_path=$stock_components:$build/lib/tofa
  export OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent=$here/../fakersh
  export OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
  # Libraries of transports that no host here has take a sixth of the time of a start.
  export OMPI_MCA_pml=^cm,ucx
  export TOFA_SITE_FILE=$BATS_TEST_TMPDIR/none.toml HOME=$BATS_TEST_TMPDIR
  export FAKERSH_LOG=$BATS_TEST_TMPDIR/contacted
  # Daemons of one host share a folder, and the last of a job removes it under those of jobs that start meanwhile: the
  # hosts of no two tests may be the same.
  export TMPDIR=$BATS_TEST_TMPDIR
  : >"$FAKERSH_LOG"
  hosts 6 2 >hostfile
}

# hosts COUNT SLOTS: a hostfile with fk00, fk01, ...
hosts() {
  local i
  for ((i = 0; i < $1; i++)); do printf 'fk%02d slots=%d\n' "$i" "$2"; done
}

# job ARGUMENTS...: mpirun on the hosts of the hostfile; output in the files out and err.
job() { job_on --hostfile hostfile "$@"; }
# What was said is shown in case the test fails of it.
job_on() {
  local status=0
  "$here/../offline" timeout -k 5 60 mpirun "$@" >out 2>err || status=$?
  if ((status)); then cat out err; fi
  return $status
}

# What a rank runs to tell its rank and host, and what to put behind `job`.
# shellcheck disable=SC2016,SC2034  # the ranks expand it; the tests use it
whoami='echo "$OMPI_COMM_WORLD_RANK $(hostname)"'
# With its CPUs.
# shellcheck disable=SC2016,SC2034
whoami_bound='echo "$OMPI_COMM_WORLD_RANK $(hostname) $(taskset -cp $$ | sed "s/.*: //")"'

# ranks: the lines of the output that ranks wrote, in rank order, joined.
ranks() { grep -E '^[0-9]+ ' out | sort -n | sed 's/^[0-9]* //' | paste -sd ' '; }

# expect_ranks HOST...: where rank 0, 1, ... must have run.
expect_ranks() { same "$*" "$(ranks)"; }

# The hosts of the displayed map by rank, which is shown once per daemon.
map_by_rank() {
  awk '/Data for node:/ { host = $4 } /Process rank:/ { sub(/.*Process rank: /, ""); print $1, host }' out |
    sort -un | sed 's/^[0-9]* //' | paste -sd ' '
}

# expect_contacted HOST...: daemons that were started, and no others.
expect_contacted() { same "$*" "$(sort -u "$FAKERSH_LOG" | paste -sd ' ')"; }

same() {
  [[ $1 == "$2" ]] && return 0
  printf 'expected: %s\nfound:    %s\n' "$1" "$2"
  cat out err
  return 1
}

# fails COMMAND...: the command must fail.
fails() {
  if "$@"; then same "failure of $*" "success"; fi
}

# Hosts that ranks ran on.
used_hosts() { ranks | tr ' ' '\n' | sort -u | paste -sd ' '; }

# expect_error TEXT: the text that must be on stderr, once.
expect_error() { same 1 "$(grep -cF -- "$1" err)"; }

# expect_warnings COUNT [TEXT]: so many warnings, and TEXT among them.
expect_warnings() {
  same "$1" "$(grep -c '^tofa: warning:' err)" || return 1
  [[ $# -lt 2 ]] || grep '^tofa: warning:' err | grep -qF -- "$2" || same "$2" "$(cat err)"
}

# A ring of hosts fk00, fk01, ...
ring() {
  printf '[topology]\nkind = "torus"\nshape = [%d]\nnodes = "fk[00-%02d]"\n' "$1" $(($1 - 1))
}

# all_to_all RANKS: a graph in which every rank talks to every other.
all_to_all() {
  local i j
  printf '%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n' "$1" "$1" $(($1 * ($1 - 1)))
  for ((i = 1; i <= $1; i++)); do
    for ((j = 1; j <= $1; j++)); do ((i == j)) || echo "$i $j 1000"; done
  done
}

# pairs RANKS DISTANCE: a graph in which rank i talks to rank i + DISTANCE only.
pairs() {
  local i count=$(($1 - $2))
  printf '%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n' "$1" "$1" "$count"
  for ((i = 1; i <= count; i++)); do echo "$i $((i + $2)) 1000000"; done
}
