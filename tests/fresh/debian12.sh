#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run by root.sh in a bare Debian 12: README's first command, and then the health service under systemd.
set -euo pipefail

./dev demo
./dev install /opt/tofa
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends munge procps
status=0
tests/fresh/booted.sh tests/fresh/units.sh || status=$?
if ((status == 77)); then
  printf 'The units were not started.\n'
else
  exit "$status"
fi
