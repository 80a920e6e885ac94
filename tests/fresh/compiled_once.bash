# SPDX-License-Identifier: BSD-3-Clause
# compiled_once FOLDER COMMAND...: what a bare root has compiled is not compiled again beside it, where the compiler is the
# same. Objects are kept in the FOLDER, whatever the folder of the sources and the language of the user; warnings are
# errors for all who share them. The log tells how much was there.
# shellcheck shell=bash

compiled_once() {
  mkdir -p "$1"
  CCACHE_DIR=$(cd "$1" && pwd)
  shift
  export CCACHE_DIR CCACHE_BASEDIR=$PWD CCACHE_COMPILERCHECK=content CCACHE_SLOPPINESS=locale TOFA_WERROR=ON
  export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
  "$@" && ccache --show-stats
}
