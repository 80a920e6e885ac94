#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# docs/troubleshooting.md quotes messages: here each of them is produced, and must be as quoted there.

# shellcheck disable=SC2154  # variables that support.bash sets
load support

page=$here/../../../docs/troubleshooting.md
tofa=$build/bin/tofa

# quoted TEXT COMMAND...: the command says this, and a heading of the page quotes it.
quoted() {
  local text=$1
  shift
  "$@" >>said 2>&1 || true
  grep -qF -- "$text" said out err 2>/dev/null || same "$text" "$(cat said out err)"
  grep -qxF -- "### \`$text\`" "$page"
  echo "$text" >>"$BATS_FILE_TMPDIR/seen"
}

@test "mpirun does not know tofa" {
  unset OMPI_MCA_mca_base_component_path
  quoted 'The specified mapping policy is not recognized' job --map-by tofa -n 2 true
  quoted 'The mapping request contains an unrecognized modifier' job --map-by tofa:graph=app -n 2 true
}

@test "a misspelt key" {
  quoted 'unknown key "grpah"; known keys are' job --map-by tofa:grpah=app -n 2 true
  quoted 'did you mean' true
}

@test "our folder first, and gone" {
  export OMPI_MCA_mca_base_component_path=$PWD/gone:$stock_components
  quoted 'mpirun: Error: unknown option' job -n 2 true
  quoted 'opal_shmem_base_select failed' timeout 20 "$build/bin/tofa-test-allreduce"
}

@test "no profile where another pml is asked for" {
  quoted 'leaves the monitor out' \
    job --mca pml ob1 --mca pml_monitoring_enable 1 --mca pml_monitoring_filename app -n 2 "$build/bin/tofa-test-allreduce"
  same "" "$(find . -name 'app.*')"
  job --mca pml ob1,tofa --mca pml_monitoring_enable 1 --mca pml_monitoring_filename app -n 2 "$build/bin/tofa-test-allreduce"
  [ -s app.bytes.mtx ]
  quoted 'The communication graph of this job is lost' job --mca pml_monitoring_enable 1 \
    --mca pml_monitoring_filename "$PWD/gone/app" -n 2 "$build/bin/tofa-test-allreduce"
}

@test "placements" {
  ring 3 >small.toml
  pairs 6 3 >six.mtx
  quoted 'of the allocation; add' job --map-by tofa:topology=small.toml -n 12 true
  quoted 'is not in the topology' "$tofa" map --graph six.mtx --topology small.toml --nodes fk09
  quoted 'no topology' "$tofa" map --graph six.mtx
  quoted 'ranks, the job has' job --map-by tofa:graph=six.mtx -n 4 true
  printf 'elsewhere 0.5\n' >outages
  quoted 'hosts with an outage probability are not in the topology' \
    "$tofa" map --graph six.mtx --topology small.toml --slots 2 --outages outages
  quoted 'ranks need as many slots' "$tofa" map --graph six.mtx --topology small.toml
  printf '0 1\n1 0\n' >dense.txt
  quoted 'counted once; --directed counts both directions' "$tofa" graph info dense.txt
}

@test "the health service" {
  quoted 'nobody answers there' "$tofa" health status --health 127.0.0.1:1
  printf '#!/bin/sh\n%s/../health_answer "n1 0 5000"\n' "$BATS_TEST_DIRNAME" >query
  chmod +x query
  export TOFA_QUERY=$PWD/query
  quoted 'is tofa-healthd running?' "$tofa" health status --health 127.0.0.1:1
  quoted 'does not watch' "$tofa" health history n9 --health 127.0.0.1:1
}

@test "srun without the plugin" {
  command -v srun >/dev/null || skip "no srun here"
  printf 'ClusterName=c\nSlurmctldHost=localhost\nNodeName=localhost\nPartitionName=p Nodes=ALL\n' >slurm.conf
  SLURM_CONF=$PWD/slurm.conf quoted "srun: unrecognized option '--tofa=app'" timeout 20 srun --tofa=app true
}

@test "every message that the page quotes was produced" {
  command -v srun >/dev/null || skip "no srun here"
  # shellcheck disable=SC2016  # the page's own quotes
  diff <(sed -n 's/^### `\(.*\)`$/\1/p' "$page" | sort) <(sort -u "$BATS_FILE_TMPDIR/seen")
}
