#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# run.sh CASE PROGRAMS PLUGINS TOFA: runs one case of the pml-monitor tests under the stock mpirun, in a directory of its own.
set -euo pipefail

here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
# shellcheck disable=SC2034  # some are for the cases
case_name=$1 programs=$2 plugins=$3 tofa=$4
stock_plugins=$(ompi_info --parsable --path pkglibdir | cut -d: -f3)
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mca_base_component_path=$stock_plugins:$plugins

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
# Jobs of one host share a folder, and the last to end removes it under those that start meanwhile.
export TMPDIR=$directory/tmp
mkdir "$TMPDIR" "$directory/work"
cd "$directory/work"

fail() {
  echo "$case_name: $*" >&2
  ls -l >&2
  exit 1
}

for part in support cases_messages cases_stock cases_results cases_classes cases_deaths cases_parts cases_transports; do
  # shellcheck source=/dev/null
  source "$here/$part.bash"
done

"case_$case_name"
