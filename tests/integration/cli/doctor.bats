#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# `tofa doctor` in set-ups that are really broken: it names what does not work and how to mend it.

# shellcheck disable=SC2154  # status and output, which bats sets
# shellcheck disable=SC2030,SC2031  # each test is a process of its own, and meant to be
bats_require_minimum_version 1.5.0

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  local name
  for name in $(compgen -e); do
    case $name in SLURM* | OMPI_* | TOFA_TOPOLOGY | TOFA_OUTAGES | TOFA_HEALTH | TOFA_QUERY) unset "$name" ;; esac
  done
  export TOFA_SITE_FILE=$PWD/site.toml HOME=$PWD SLURM_CONF=$PWD/etc/slurm.conf
  mkdir etc bin
  # Without a slurm.conf the real one looks for a controller for seconds.
  printf '#!/bin/sh\nexit 1\n' >bin/srun
  chmod +x bin/srun
  export PATH=$PWD/bin:$PATH
  printf '[topology]\nkind = "torus"\nshape = [4]\nnodes = "n[0-3]"\n' >ring.toml
}

# A component path like a site's, with a copy of our folder that can be taken away.
set_up_components() {
  local built
  built=$(dirname "$(dirname "$TOFA")")/lib/tofa
  [[ -e $built/mca_rmaps_tofa.so ]] || skip "the components are not built"
  command -v ompi_info >/dev/null || skip "no Open MPI"
  stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
  cp -r "$built" components
  export OMPI_MCA_mca_base_component_path=$stock:$PWD/components
}

# examine OPTIONS...: leaves the findings in `found`, and the exit status in `status`.
examine() { run --separate-stderr "$TOFA" doctor --json "$@" && printf '%s\n' "$output" >found; }

# verdict SUBJECT VERDICT [TEXT [REMEDY]]
verdict() {
  jq -e --arg subject "$1" --arg verdict "$2" --arg text "${3:-}" --arg remedy "${4:-}" '.findings[] |
    select(.subject == $subject) |
    .verdict == $verdict and (.text | contains($text)) and (.remedy | contains($remedy))' found >/dev/null ||
    { cat found && return 1; }
}

# fails_by SUBJECT TEXT [REMEDY]: it is the only failure.
fails_by() {
  verdict "$1" failed "${@:2}"
  [[ $status == 1 ]]
  jq -e '.ok == false and ([.findings[] | select(.verdict == "failed")] | length) == 1' found
}

@test "where nothing is set up, that is noted, and no failure" {
  examine
  [[ $status == 0 ]]
  jq -e '.ok and ([.findings[] | select(.verdict == "failed")] | length) == 0' found
  verdict "site file" note
  verdict topology note "equally far"
  verdict "health service" note "no node is taken to be suspect"
  run "$TOFA" doctor
  [[ $status == 0 && $output == *"note   topology"* ]]
}

@test "a good set-up" {
  set_up_components
  echo "n1 0.5" >outages
  printf 'topology = "ring.toml"\noutages = "outages"\nhealth = "127.0.0.1:9"\n' >site.toml
  printf '#!/bin/sh\n%s/../health_answer "n0 0 7" "n2 0.25 9"\n' "$BATS_TEST_DIRNAME" >query
  chmod +x query
  export TOFA_QUERY=$PWD/query
  examine --nodes 'n[0-3]'
  [[ $status == 0 ]] || { cat found && false; }
  verdict "Open MPI" ok "$stock"
  verdict "component path" ok
  verdict mapper ok
  verdict monitor ok
  verdict topologies ok
  verdict topology ok "torus 4 ($PWD/ring.toml) from $PWD/site.toml, with all of the 4 nodes"
  verdict "outages file" ok "1 hosts, 1 of them suspect"
  verdict "health service" ok "2 hosts, 1 of them suspect, the newest estimate is 7 s old"
  verdict tofa-query ok "$PWD/query"
}

@test "the folder is missing" {
  set_up_components
  mv components away
  examine
  verdict "component path" failed "$PWD/components is not there" "$stock:"
  verdict mapper failed "mpirun --map-by tofa does not work"
  [[ $status == 1 ]]
}

@test "the folder is first in the path, and there or not" {
  set_up_components
  export OMPI_MCA_mca_base_component_path=$PWD/components:$stock
  examine
  fails_by "component path" "comes before Open MPI's own folder" "mca_base_component_path = $stock:"
  mv components away
  examine
  verdict "component path" failed "Open MPI loads no component at all" "mca_base_component_path = $stock:"
  [[ $status == 1 ]]
  # As Open MPI says, too.
  if timeout 60 mpirun --allow-run-as-root -n 1 true; then return 1; fi
}

@test "Open MPI's own folder is not in the path, which a parameter file sets" {
  set_up_components
  unset OMPI_MCA_mca_base_component_path
  mkdir .openmpi
  echo "mca_base_component_path = $PWD/components" >.openmpi/mca-params.conf
  examine
  fails_by "component path" ".openmpi/mca-params.conf" "mca_base_component_path = $stock:"
}

@test "a line was appended to a parameter file without an end" {
  set_up_components
  mkdir .openmpi
  printf 'osc = ^ucx,pt2pt' >.openmpi/mca-params.conf
  echo "mca_base_component_path = $OMPI_MCA_mca_base_component_path" >>.openmpi/mca-params.conf
  unset OMPI_MCA_mca_base_component_path
  examine
  fails_by "parameter file" ".openmpi/mca-params.conf:1: two settings in one line" "break the line"
}

@test "a component that lacks a library" {
  set_up_components
  # Its name is as long as that of a library that there is not.
  sed -i 's/libscotch-7\.0\.so/libscotch-7.x.so/' components/mca_rmaps_tofa.so
  examine
  fails_by mapper "lacks libscotch-7.x.so" "install"
}

@test "all jobs are mapped by tofa, and it is not found" {
  set_up_components
  mv components away
  export OMPI_MCA_rmaps_base_mapping_policy=tofa:PE=2
  examine
  verdict "mapping policy" failed "every mpirun fails"
}

@test "Open MPI is not there" {
  run --separate-stderr env "PATH=$PWD/etc" "$TOFA" doctor --json
  printf '%s\n' "$output" >found
  verdict "Open MPI" note "not found" "openmpi-bin"
  verdict Slurm note "not found"
  [[ $status == 0 ]]
}

@test "a site file that names a missing topology, and a malformed one" {
  echo 'topology = "nowhere.toml"' >site.toml
  examine
  fails_by topology "$PWD/nowhere.toml: cannot open: No such file or directory"
  examine --nodes 'n[0-3]'
  fails_by topology "(named by $PWD/site.toml); all nodes are taken to be equally far"
  echo 'topolgy = "ring.toml"' >site.toml
  examine
  fails_by "site file" 'site.toml:1: unknown key "topolgy"'
}

@test "a topology that lacks nodes of the job" {
  export TOFA_TOPOLOGY=$PWD/ring.toml
  examine --nodes 'n[2-5]'
  fails_by topology 'lacks nodes "n4", "n5"'
  SLURM_JOB_NODELIST='n[3-4]' examine
  fails_by topology 'lacks node "n4"'
  SLURM_JOB_NODELIST='n[0-1]' examine
  verdict topology ok "with all of the 2 nodes"
}

@test "a dead health service, a stale one, and one about other hosts" {
  export TOFA_TOPOLOGY=$PWD/ring.toml TOFA_HEALTH=127.0.0.1:9
  examine
  fails_by "health service" "health service at 127.0.0.1:9"
  printf '#!/bin/sh\ncat answer\n' >query
  chmod +x query
  export TOFA_QUERY=$PWD/query
  "$BATS_TEST_DIRNAME/../health_answer" 'n0 0 700' >answer
  examine
  fails_by "health service" "700 s old, which is stale"
  "$BATS_TEST_DIRNAME/../health_answer" 'x0 0 1' >answer
  examine
  fails_by "health service" "about other hosts"
  "$BATS_TEST_DIRNAME/../health_answer" >answer
  examine
  fails_by "health service" "knows no hosts"
}

@test "no tofa-query" {
  export TOFA_QUERY=/nowhere/tofa-query
  examine
  verdict tofa-query note
  [[ $status == 0 ]]
  TOFA_HEALTH=127.0.0.1:9 examine
  verdict tofa-query failed "/nowhere/tofa-query"
  [[ $status == 1 ]]
}

@test "an outages file that cannot be read, and one with a misspelt host" {
  export TOFA_TOPOLOGY=$PWD/ring.toml TOFA_OUTAGES=$PWD/outages
  examine
  fails_by "outages file" "outages: cannot open"
  printf 'n0 0.5\nm1 0.5\n' >outages
  examine
  verdict "outages file" note "1 of them are not in the topology: m1"
  [[ $status == 0 ]]
}

@test "the plugin in plugstack.conf: not there, no plugin, of another release, good" {
  printf '#!/bin/sh\necho slurm-wlm 22.05.8\n' >bin/srun
  examine
  verdict Slurm ok 22.05.8
  echo "include plugstack.d/*" >etc/plugstack.conf
  mkdir etc/plugstack.d
  examine
  verdict "srun --tofa" note "does not name spank_tofa.so"
  echo "optional /nowhere/spank_tofa.so strict" >etc/plugstack.d/tofa.conf
  examine
  fails_by "srun --tofa" "there is no such file"
  echo "no library" >spank_tofa.so
  echo "optional $PWD/spank_tofa.so" >etc/plugstack.d/tofa.conf
  examine
  fails_by "srun --tofa" "cannot be loaded"
  # Slurm's number for 24.11.5 is 0x180b05.
  printf 'const unsigned plugin_version = 0x180b05;\n' >plugin.c
  cc -shared -o spank_tofa.so plugin.c
  examine
  fails_by "srun --tofa" "built for Slurm 24.11.5, this is 22.05.8" "libslurm-dev"
  printf 'const unsigned plugin_version = 0x160501; int slurm_info(void); int f(void) { return slurm_info(); }\n' >plugin.c
  cc -shared -fPIC -o spank_tofa.so plugin.c
  examine
  verdict "srun --tofa" ok "built for Slurm 22.05.1"
  printf '#!/bin/sh\necho "SchedulerParameters     = bf_interval=30,defer"\n' >bin/scontrol
  chmod +x bin/scontrol
  examine
  verdict scheduler note "always Slurm's to place" "defer_batch"
  [[ $status == 0 ]]
}
