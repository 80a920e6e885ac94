#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The options of mpirun beside --map-by tofa: bindings, ranking, display, output, spawning.

# shellcheck disable=SC2154  # variables that support.bash sets
load support

# The CPU numbers expected below are those of a machine with two cores or more and one thread each.
need_plain_cores() {
  local cores
  cores=$(lscpu -p=CORE | grep -v '^#' | sort -u | wc -l)
  if ((cores < 2 || cores != $(nproc))); then skip "needs plain cores"; fi
}

@test "--bind-to core binds every rank of every host" {
  need_plain_cores
  job --map-by tofa --bind-to core -n 6 sh -c "$whoami_bound"
  expect_ranks fk00 0 fk00 1 fk01 0 fk01 1 fk02 0 fk02 1
}

@test "--bind-to hwthread, numa, socket and none" {
  job --map-by tofa --bind-to hwthread -n 2 sh -c "$whoami_bound"
  same 2 "$(grep -c '^[0-9]* fk00 [0-9]*$' out)"
  local all
  all=$(taskset -cp $$ | sed 's/.*: //')
  for object in numa socket none; do
    job --map-by tofa --bind-to $object -n 6 sh -c "$whoami_bound"
    same 6 "$(ranks | tr ' ' '\n' | grep -c fk)"
    [[ $(lscpu -p=NODE,SOCKET | grep -v '^#' | sort -u | wc -l) -gt 1 ]] ||
      expect_ranks fk00 "$all" fk00 "$all" fk01 "$all" fk01 "$all" fk02 "$all" fk02 "$all"
  done
}

@test "the default binding is that of --map-by slot" {
  job --map-by slot -n 6 sh -c "$whoami_bound"
  local stock
  stock=$(ranks)
  job --map-by tofa -n 6 sh -c "$whoami_bound"
  same "$stock" "$(ranks)"
}

@test "a binding that does not fit is an error" {
  fails job --map-by tofa --oversubscribe --bind-to core:no-overload -n $((7 * $(nproc) + 12)) true
}

@test "PE=2 and --cpus-per-rank 2 give each rank two processors" {
  need_plain_cores
  hosts 4 2 >hostfile
  job --map-by tofa:PE=2 -n 4 sh -c "$whoami_bound"
  expect_ranks fk00 0,1 fk01 0,1 fk02 0,1 fk03 0,1
  job --map-by tofa --cpus-per-rank 2 -n 4 sh -c "$whoami_bound"
  expect_ranks fk00 0,1 fk01 0,1 fk02 0,1 fk03 0,1
  job --map-by tofa:PE=2 sh -c "$whoami"
  expect_ranks fk00 fk01 fk02 fk03
  printf 'fk00\nfk01\n' >hostfile
  job --map-by tofa:PE=2 sh -c "$whoami"
  same $(($(nproc) / 2 * 2)) "$(ranks | wc -w)"
}

@test "--nolocal, also where nobody says how many slots nodes have" {
  printf 'fk00\nfk01\n' >hostfile
  job --map-by tofa sh -c "$whoami"
  local all
  all=$(ranks | wc -w)
  # shellcheck disable=SC2016  # the inner shell expands it
  unshare --uts bash -c 'hostname fk00; timeout -k 5 60 "$0" mpirun --hostfile hostfile "$@"' "$here/../offline" \
    --map-by tofa --nolocal sh -c "$whoami" >out 2>err
  same $((all / 2)) "$(ranks | wc -w)"
  same fk01 "$(used_hosts)"
}

@test "ranks of a node exchange bindings so that partners share a core" {
  need_plain_cores
  hosts 2 4 >hostfile
  # Four ranks on two cores: the runtime deals them out 0 1 0 1.
  pairs 4 2 >far.bytes.mtx
  job --map-by tofa:graph=far --bind-to core:overload-allowed -n 4 sh -c "$whoami_bound"
  expect_ranks fk00 0 fk00 1 fk00 0 fk00 1
  all_pairs_of_neighbours >near.mtx
  job --map-by tofa:graph=near.mtx --bind-to core:overload-allowed -n 4 sh -c "$whoami_bound"
  expect_ranks fk00 0 fk00 0 fk00 1 fk00 1
}

# 0 talks to 1, 2 to 3.
all_pairs_of_neighbours() {
  printf '%%%%MatrixMarket matrix coordinate integer general\n4 4 2\n1 2 1000\n3 4 1000\n'
}

# simulated ARGUMENTS...: bindings of the ranks, in rank order, on a recorded node of 2 packages with 2 caches with 2
# cores each.
#
# The simulator of Open MPI 4.1.4 counts a node's processors in an object that is not meant for it: where the address of
# one of its fields ends in 00, which the sizes of what was allocated before decide, it writes over a pointer that the
# display of the map follows. Another size of the environment makes another address.
simulated() {
  local padding=""
  while ((${#padding} < 400)); do
    # The simulator ends with an error of its own.
    timeout -k 5 60 mpirun -x "TOFA_PADDING=$padding" --mca ras simulator --mca plm isolated \
      --mca ras_simulator_num_nodes 1 \
      --mca ras_simulator_topo_files "$here/../../fixtures/machines/two-packages.xml" --do-not-launch \
      --display-devel-map "$@" true >out 2>err || true
    grep -qs 'Segmentation fault' out err || break
    padding+=0123456789012345678901234567890123456789
  done
  sed -n 's/.*Binding: //p' out | paste -sd ' '
}

@test "partners share caches on a machine with packages and caches" {
  pairs 4 2 >far.bytes.mtx
  same "[B/././.][./././.] [././B/.][./././.] [./B/./.][./././.] [./././B][./././.]" \
    "$(simulated --map-by tofa:graph=far --bind-to core -n 4)"
  all_pairs_of_neighbours >near.mtx
  same "[B/././.][./././.] [./B/./.][./././.] [././B/.][./././.] [./././B][./././.]" \
    "$(simulated --map-by tofa:graph=near.mtx --bind-to core -n 4)"
  same "[B/B/./.][./././.] [./././.][B/B/./.] [././B/B][./././.] [./././.][././B/B]" \
    "$(simulated --map-by tofa:graph=far,PE=2 --bind-to core -n 4)"
  same "[B/B/B/B][./././.] [B/B/B/B][./././.] [./././.][B/B/B/B] [./././.][B/B/B/B]" \
    "$(simulated --map-by tofa:graph=near.mtx --bind-to socket -n 4)"
}

@test "--report-bindings" {
  need_plain_cores
  job --map-by tofa --bind-to core --report-bindings -n 4 true
  for rank in 0 1 2 3; do grep -q "rank $rank bound to" err; done
}

@test "a grid is a graph, too" {
  job --map-by tofa:graph=grid:3x4:periodic,report -n 12 sh -c "$whoami"
  expect_warnings 0
  same 12 "$(ranks | wc -w)"
  grep -q 'grid:3x4:periodic (24 pairs' err
}

@test "--rank-by does not move ranks away from their nodes, and says so" {
  pairs 6 3 >app.bytes.mtx
  job --map-by tofa:graph=app -n 6 sh -c "$whoami"
  local planned
  planned=$(ranks)
  for policy in slot node core socket; do
    job --map-by tofa:graph=app --rank-by $policy -n 6 sh -c "$whoami"
    same "$planned" "$(ranks)"
    [[ $policy == slot ]] || expect_error "--rank-by does not apply"
  done
}

@test "--display-map, --display-devel-map and --do-not-launch agree with the launch" {
  pairs 12 6 >app.bytes.mtx
  job --map-by tofa:graph=app -n 12 sh -c "$whoami"
  local launched
  launched=$(ranks)
  job --map-by tofa:graph=app --display-map --do-not-launch -n 12 true
  same "$launched" "$(map_by_rank)"
  : >"$FAKERSH_LOG"
  job --map-by tofa:graph=app --display-map -n 12 true
  same "$launched" "$(map_by_rank)"
  job --map-by tofa:graph=app --display-devel-map -n 12 true
  grep -q 'Last mapper: tofa' out
}

@test "-x and --output-filename" {
  # shellcheck disable=SC2016  # the ranks expand it
  job --map-by tofa -x GREETING=hello --output-filename logs -n 3 sh -c 'echo "$OMPI_COMM_WORLD_RANK $GREETING"'
  expect_ranks hello hello hello
  same 3 "$(find logs -name stdout | wc -l)"
}

@test "without a virtual machine of daemons" {
  job --map-by tofa --novm -n 5 sh -c "$whoami"
  expect_ranks fk00 fk00 fk01 fk01 fk02
  expect_contacted fk00 fk01 fk02
}

@test "a job spawns onto the free slots of its nodes" {
  job --map-by tofa -n 3 "$build/bin/tofa-test-spawn" 1
  grep -qx 'child 0 fk01' out
  expect_contacted fk00 fk01
}

@test "a job that will spawn keeps the healthy nodes" {
  echo "fk02 1" >outages
  job --map-by tofa:spawn,outages=outages -n 4 "$build/bin/tofa-test-spawn" 3
  same 3 "$(grep -c '^child' out)"
  expect_contacted fk00 fk01 fk03 fk04 fk05
}

@test "a job that cannot spawn for lack of nodes is told how to" {
  fails job --map-by tofa -n 4 "$build/bin/tofa-test-spawn" 3
  expect_error "--map-by tofa:spawn keeps them"
}

@test "a spawning job with tofa as the only mapper" {
  job --mca rmaps tofa -n 3 "$build/bin/tofa-test-spawn" 1
  grep -qx 'child 0 fk01' out
}
