# SPDX-License-Identifier: BSD-3-Clause
# What the tests of topologies share: programs on the fake hosts of the mapper's tests, and what was told of them.
# shellcheck shell=bash disable=SC2154

# shellcheck source=tests/integration/rmaps-tofa/support.bash
source "$BATS_TEST_DIRNAME/../rmaps-tofa/support.bash"

readonly program=$build/bin/tofa-test-topologies
# Where ranks are that nobody has reordered.
readonly in_order="fk00 fk00 fk01 fk01 fk02 fk02 fk03 fk03 fk04 fk04 fk05 fk05"
# More ranks than cores: those that wait let the others work.
export OMPI_MCA_mpi_yield_when_idle=1

# make CALL REORDER [DIMS]: on the 6 hosts of support.bash, in the ring of ring.toml, with more options of mpirun in
# $options.
make() {
  ring 6 >ring.toml
  # shellcheck disable=SC2086  # several words
  job --mca topo_tofa_topology ring.toml ${options:-} -n 12 "$program" "$@"
}

# hops GRAPH: average hops per byte of the graph, its ranks being where the last job's were.
hops() {
  ranks | tr ' ' '\n' >mapping
  hops_of_mapping "$1"
}
hops_of_mapping() {
  "$build/bin/tofa" evaluate --graph "$1" --topology ring.toml --mapping mapping --json | jq .average_hops_per_byte
}

# less A B: numbers.
less() { jq -en "$1 < $2" >/dev/null || same "less than $2" "$1"; }

# expect_gain GRAPH: fewer hops than with ranks in order.
expect_gain() {
  local now
  now=$(hops "$1")
  tr ' ' '\n' <<<"$in_order" | head -n "$(ranks | wc -w)" >mapping
  less "$now" "$(hops_of_mapping "$1")"
}

# told TEXT: in the one line that topo_tofa_verbose shows.
told() {
  same 1 "$(grep -c 'topo tofa:' err)"
  grep 'topo tofa:' err | grep -qF -- "$1" || same "$1" "$(cat err)"
}

silent() { same 0 "$(grep -cv 'setpgid' err)"; }

expect_in_order() { same "$in_order" "$(ranks)"; }
