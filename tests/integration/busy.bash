# SPDX-License-Identifier: BSD-3-Clause
# Keeping a machine busy while something else is tested.
# shellcheck shell=bash

# while_busy COMMAND...: runs it beside as many busy loops as there are cores.
while_busy() {
  local loops=() status=0 i j
  for ((i = 0; i < $(nproc); i++)); do
    # Not longer than the test: where that is ended by Ctrl-C, nobody else would end them.
    (while kill -0 $$ 2>/dev/null; do for ((j = 0; j < 100000; ++j)); do :; done; done) 3>&- &
    loops+=($!)
  done
  "$@" || status=$?
  kill "${loops[@]}"
  wait "${loops[@]}" 2>/dev/null || true
  return "$status"
}
