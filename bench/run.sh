#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# All measurements, one after the other: what ./dev bench runs.
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
printf 'Mapping: quality and time\n\n'
"$folder/mapping.sh"
printf '\nSimulation: time under different mappings\n\n'
"$folder/simulate.sh"
