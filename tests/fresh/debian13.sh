#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run by root.sh in a bare Debian 13: the plugin for its Slurm, 24.11, and the tests of srun --tofa with it. What was
# compiled is kept for the next time.
set -euo pipefail

apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends ccache
export CCACHE_DIR=/var/cache/tofa/ccache CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
# Fewer than beside the first target.
export TOFA_COMBINATIONS=75
exec ./dev check slurm
