# SPDX-License-Identifier: BSD-3-Clause
# What the tests of srun --tofa share: a cluster of eight nodes with the plugin, a profile, and where ranks ran. Tests
# work in a folder that all nodes and users see.
# shellcheck shell=bash

build=${TOFA_BUILD:?set it to the build folder}
# shellcheck source=tests/cluster/support.bash
source "$BATS_TEST_DIRNAME/../../cluster/support.bash"

# start_cluster_with_plugin OPTIONS...
start_cluster_with_plugin() {
  echo "optional $build/lib/tofa/spank_tofa.so" >"$BATS_FILE_TMPDIR/plugstack.conf"
  start_cluster --etc "$BATS_FILE_TMPDIR/plugstack.conf" "$@"
}

# The profile: rank i talks to rank i + 4 only, so that two of them share a node, unlike by default.
setup() {
  cd "$(mktemp -d "$TOFA_CLUSTER_DIR/shared/test-XXXXXX")" || return 1
  chmod 777 .
  export TOFA_SITE_FILE=$PWD/none.toml
  export XDG_CACHE_HOME=/dev/null # nothing is remembered, but where a test is about that
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  cat >app.bytes.mtx <<'END'
%%MatrixMarket matrix coordinate integer general
8 8 4
1 5 1000000
2 6 1000000
3 7 1000000
4 8 1000000
END
  cp app.bytes.mtx app.messages.mtx
}

# For tests of what is inside Open MPI: components are built for 4.1 only.
need_components() { [[ -e $build/lib/tofa/mca_pml_tofa.so ]] || skip "no components for this Open MPI"; }

# Slurm's release as a number: 2205.
release() { head_run srun --version | sed -E 's/.* ([0-9]+)\.([0-9]+).*/\1\2/'; }

# What a rank runs to tell its rank and node.
# shellcheck disable=SC2016,SC2034  # the ranks expand it; the tests use it
whoami='echo "$SLURM_PROCID $(hostname)"'

# in_job OPTIONS... -- COMMAND...: inside an allocation; output in the files out and err.
in_job() {
  local options=()
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  head_run timeout 60 salloc --quiet "${options[@]}" "$@" >out 2>err
}

# The nodes of rank 0, 1, ... in a file, and those of them that are used.
ranks() { grep -E '^[0-9]+ ' "$1" | sort -n | sed 's/^[0-9]* //' | paste -sd ' '; }
used() { ranks "$1" | tr ' ' '\n' | sort -u | paste -sd ' '; }

expect_ranks() { same "$*" "$(ranks out)" || { cat err && return 1; }; }
expect_default() { expect_ranks n000 n001 n002 n003 n004 n005 n006 n007; }

# expect_placed [FILE [NODES]]: eight ranks, each on the node of its partner, on so many nodes.
expect_placed() {
  local file=${1:-out}
  same 8 "$(ranks "$file" | wc -w)" || { cat err && return 1; }
  same "$(ranks "$file" | cut -d ' ' -f 1-4)" "$(ranks "$file" | cut -d ' ' -f 5-8)"
  same "${2:-4}" "$(used "$file" | wc -w)"
}

# expect_said COUNT TEXT
expect_said() { same "$1" "$(grep -cF -- "$2" err)" || { cat err && return 1; }; }
expect_silence() { expect_said 0 "tofa:"; }
