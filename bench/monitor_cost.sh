#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What counting adds to a message: this monitor, and Open MPI's own. With --quick fewer blocks.
set -euo pipefail
build=$(cd "$(dirname "${BASH_SOURCE[0]}")/../build" && pwd)
blocks=1001
[[ ${1:-} != --quick ]] || blocks=101
stock=$(ompi_info --parsable --path pkglibdir | cut -d: -f3)
export OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

measure() {
  mpirun --oversubscribe -n 2 --mca pml_monitoring_enable 1 "$@" "$build/bench/tofa-monitor-cost" $blocks 2>log ||
    { cat log >&2 && return 1; }
}

printf 'tofa:\n\n'
measure
printf "\nOpen MPI's own:\n\n"
measure --mca pml ^tofa
