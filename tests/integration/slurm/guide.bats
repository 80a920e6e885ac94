#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# What docs/slurm.md has administrators type to see that it works, typed: each command of its section `See that it works`,
# on the cluster that it speaks of, prints what stands below it. Where there is no Open MPI that tofa has components for,
# as beside Slurm 24.11, commands that need it are left out.

# shellcheck disable=SC2154  # variables that support.bash sets
load support

guide=$BATS_TEST_DIRNAME/../../../docs/slurm.md

setup_file() { start_cluster_with_plugin 8; }
teardown_file() { end_cluster; }

# The cluster of the guide: a torus of 4x2 nodes, of which n001 fails now and then.
site() {
  printf '[topology]\nkind = "torus"\nshape = [4, 2]\nnodes = "n[000-007]"\n' >torus.toml
  echo "n001 0.02" >outages.txt
  printf 'topology = "torus.toml"\noutages = "outages.txt"\n' >tofa.toml
  export TOFA_SITE_FILE=$PWD/tofa.toml PATH=$build/bin:$PATH
  cp "$build/bin/tofa-test-pmix" pmix
  printf '#!/bin/sh\nexec %s/pmix 8\n' "$PWD" >app
  chmod +x app
}

# The lines of the section, without their indentation.
section() { sed -n '/^## See that it works/,/^## What it brings/s/^    //p' "$guide"; }

# What a line of the guide says, whatever the time and the blanks.
plain() { sed -E 's/[0-9.]+ s$/N s/; s/ +/ /g; s/^ //'; }

has_mpi() { [[ -e $build/lib/tofa/mca_rmaps_tofa.so ]]; }

# run_command COMMAND: leaves what it prints in `printed`.
run_command() {
  local command=${1//\/etc\/tofa\//} stock
  if has_mpi; then
    stock=$(ompi_info --path pkglibdir --parsable | cut -d: -f3)
    export OMPI_MCA_mca_base_component_path=$stock:$build/lib/tofa OMPI_MCA_btl_tcp_if_include=eth0
  fi
  head_run timeout 60 bash -c "$command" </dev/null >printed 2>&1 || { echo "failed: $1" && cat printed && return 1; }
}

@test "the guide's commands print what it says" {
  site
  local line skip=yes commands=0 wrapped
  while IFS= read -r line; do
    if [[ $line == '$ '* ]]; then
      skip=no
      line=${line#'$ '}
      line=${line%%  #*}
      # Profiling needs the monitor, and a program of MPI; the profile is there.
      if [[ $line == *pml_monitoring* || $line == *"monitoring_enable"* ]]; then skip=yes; fi
      if ! has_mpi && [[ $line == *mpirun* || $line == ompi_info* ]]; then skip=yes; fi
      [[ $skip == no ]] || continue
      run_command "$line"
      commands=$((commands + 1))
      wrapped=$(plain <printed | tr '\n' ' ')
    elif [[ $skip == no && $line != ... && -n $line ]]; then
      plain <<<"$line" >expected
      [[ $wrapped == *"$(cat expected)"* ]] || { echo "not printed: $line" && cat printed && return 1; }
    fi
  done < <(section)
  ((commands >= 6))
}
