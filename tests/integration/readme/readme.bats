#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# README's commands, all of them, in order and as they stand, the way a user would run them: on the head of a Slurm cluster
# of sixteen nodes that have the plugin, with tofa installed in /opt/tofa of a mount namespace of its own. Blocks follow
# each other as in one session: what one exports, and the files it leaves, the next one finds. How a block is marked as
# one to be skipped is said in extract.py.

# shellcheck disable=SC2154  # variables that bats and support.bash set
build=${TOFA_BUILD:?set it to the build folder}
# shellcheck source=tests/cluster/support.bash
source "$BATS_TEST_DIRNAME/../../cluster/support.bash"
root=$(cd "$BATS_TEST_DIRNAME/../../.." && pwd)
readme=$root/README.md

setup_file() {
  # The whole file runs in a mount namespace of its own (unshare --mount bats ...), so that this /opt is nobody else's.
  [[ $(readlink /proc/self/ns/mnt) != $(readlink /proc/1/ns/mnt) ]] || return 1
  mount -t tmpfs tmpfs /opt
  echo "optional /opt/tofa/lib/tofa/spank_tofa.so" >"$BATS_FILE_TMPDIR/plugstack.conf"
  start_cluster --cpus 1 --etc "$BATS_FILE_TMPDIR/plugstack.conf" 16
  export session=$TOFA_CLUSTER_DIR/shared/clone
  mkdir "$session" "$session/blocks"
  ln -s "$root/tests" "$session/tests"
  stand_in >"$session/dev"
  chmod +x "$session/dev"
  "$BATS_TEST_DIRNAME/extract.py" blocks "$readme" "$session/blocks"
}

teardown_file() { end_cluster; }

# For ./dev: what is to be installed and shown is built already.
stand_in() {
  cat <<END
#!/bin/sh
case \$1 in
  install) exec cmake --install "$build" --prefix "\$2" ;;
  demo) exec env -u OMPI_MCA_btl_tcp_if_include "$root/tests/demo/demo.sh" demo-out ;;
  *) echo "./dev \$1 is not to be run by a test of README" >&2; exit 1 ;;
esac
END
}

# What stands for the user's login: on this cluster root is the user, and messages go over the nodes' only network.
login() {
  cat <<'END'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_tcp_if_include=eth0
export TOFA_SITE_FILE=/dev/null
END
}

# run_block FILE: with the environment that the blocks before have left. Job control is what an interactive shell has.
run_block() {
  local how=() script=${1%.sh}.run
  if [[ -e ${1%.sh}.how ]]; then
    read -ra how <"${1%.sh}.how"
    how=("${how[@]:1}")
    if [[ ${how[0]} == salloc ]]; then how=(salloc --quiet "${how[@]:1}"); fi
  fi
  {
    printf 'cd "%s" && source ./environment\nset -euo pipefail -m\n' "$session"
    cat "$1"
    # shellcheck disable=SC2016  # the block expands it
    printf '{ set +x; export -p | grep -vE "^declare -x (SLURM|SALLOC|OLDPWD|PWD|SHLVL)"; } >./environment\n'
  } >"$script"
  timeout -k 5 300 "$cluster_sh" sh "${how[@]}" bash "$script" >"${1%.sh}.out" 2>&1 3>&-
}

@test "every block of commands runs without an error" {
  local block failed=0
  login >"$session/environment"
  for block in "$session"/blocks/*.sh; do
    if grep -qs '^skip' "${block%.sh}.how"; then
      printf 'skipped, %s\n' "$(cut -d' ' -f2- "${block%.sh}.how")"
      continue
    fi
    if ! run_block "$block"; then
      printf '%s\n' "README's commands failed:" "$(cat "$block")" "They printed:" "$(cat "${block%.sh}.out")"
      failed=1
      break
    fi
  done
  ((failed == 0))
}

@test "what README shows as output has the form of what was printed" {
  local words line block printed compared=0
  while IFS=$'\t' read -r words line; do
    printed=
    for block in "$session"/blocks/*.sh; do
      if grep -qF -- "$words" "$block" && [[ -e ${block%.sh}.out ]]; then printed=${block%.sh}.out; fi
    done
    [[ -n $printed ]] || { echo "README:$line: no block with \"$words\" was run" && return 1; }
    "$BATS_TEST_DIRNAME/extract.py" compare "$readme" "$line" "$printed" || { echo "Printed:" && cat "$printed" && return 1; }
    compared=$((compared + 1))
  done < <("$BATS_TEST_DIRNAME/extract.py" shown "$readme")
  ((compared >= 2)) || { echo "$compared outputs were compared" && return 1; }
}

twelve_ranks_in() { [[ $(grep -c '^rank' "$1") == 12 ]]; }

@test "what the commands are said to leave is there" {
  cd "$session"
  [ -s app-12.bytes.mtx ] && [ -s app-12.messages.mtx ] && [ -s app-12.svg ] && [ -s placement.svg ]
  same 12 "$(wc -l <hosts)"
  eventually compgen -G 'slurm-*.out' >/dev/null
  eventually twelve_ranks_in slurm-*.out
}

# This covers the commands that are skipped, too.
@test "what README names in the installation is there" {
  local path missing=0
  while read -r path; do
    compgen -G "$path" >/dev/null || { echo "README names $path, which is not installed" && missing=1; }
  done < <(grep -oE '/opt/tofa/[^ `):]+' "$readme")
  ((missing == 0))
  grep -q tofa-pmix-gateway.socket.d "$readme"
  grep -q ^ListenStream= /opt/tofa/lib/systemd/system/tofa-pmix-gateway.socket
}

@test "pictures and pages that README names are in the tree" {
  local name missing=0
  while read -r name; do
    [[ -e $root/$name ]] || { echo "README names $name, which is not there" && missing=1; }
  done < <(grep -oE '\]\([^)]+\)' "$readme" | tr -d '()]' | grep -v '^http')
  ((missing == 0))
}
