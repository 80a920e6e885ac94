# SPDX-License-Identifier: BSD-3-Clause
# For bats files that run on a cluster: `start_cluster` in setup_file, `end_cluster` in teardown_file.
# shellcheck shell=bash

cluster_sh=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/cluster.sh

# Nothing may hang: a test that fails leaves nodes behind on which the next one would wait.
# Longer than the script itself waits, and than it takes to clean up.
cluster() { timeout -k 15 $((${TOFA_CLUSTER_DEADLINE:-60} + 30)) "$cluster_sh" "$@" 3>&-; }
head_run() { cluster sh "$@"; }

# start_cluster OPTIONS...: as `cluster.sh up`. The folder must be one that any user can reach.
start_cluster() {
  local name
  for name in $(compgen -e); do
    case $name in SLURM* | SBATCH* | SALLOC* | OMPI_* | PMIX_* | TOFA_*)
      case $name in TOFA_BUILD | TOFA_CLUSTER_DEADLINE | TOFA_COMBINATIONS | TOFA_SEED) ;; *) unset "$name" ;; esac
      ;;
    esac
  done
  TOFA_CLUSTER_DIR=$(mktemp -d /tmp/tofa-cluster-XXXXXX)
  export TOFA_CLUSTER_DIR
  cluster up "$@"
}

end_cluster() { cluster down; }

# Less and less often, since to ask Slurm takes a tenth of a second of a core.
eventually() {
  local end=$((SECONDS + 60)) pauses=(0.1 0.2 0.3 0.5) tries=0
  until "$@"; do
    if ((SECONDS > end)); then
      echo "never true: $*"
      return 1
    fi
    sleep "${pauses[tries]}"
    ((tries + 1 == ${#pauses[@]})) || tries=$((tries + 1))
  done
}

state() { head_run sinfo --noheader --Node --nodes="$1" --format=%T; }
state_is() { [[ $(state "$1") =~ $2 ]]; }

same() {
  [[ $1 == "$2" ]] && return 0
  printf 'expected: %s\nfound:    %s\n' "$1" "$2"
  return 1
}
