#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Run by root.sh in a bare Debian 12: README's first command, and then the health service under systemd. What is compiled
# is kept for the tests beside the root, and for the next time.
set -euo pipefail
source tests/fresh/compiled_once.bash

apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends ccache
rm -rf /var/lib/apt/lists/* # as bare as before: the first command sees to what it needs
compiled_once /var/cache/tofa/ccache ./dev demo
./dev install /opt/tofa
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends munge procps
status=0
tests/fresh/booted.sh tests/fresh/units.sh || status=$?
if ((status == 77)); then
  printf 'The units were not started.\n'
else
  exit "$status"
fi
