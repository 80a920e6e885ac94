#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run by root.sh in a bare Debian 13: the plugin for its Slurm, 24.11, and the tests of srun --tofa with it. What was
# compiled is kept for the next time.
set -euo pipefail
source tests/fresh/compiled_once.bash

apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends ccache
# Fewer than beside the first target.
export TOFA_COMBINATIONS=75
compiled_once /var/cache/tofa/ccache ./dev check slurm
