#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# An installation in a temporary folder: what is in it, how large it is, and whether a project of somebody else can be
# built against it, with CMake and with pkg-config, by who knows nothing of what tofa itself is made with.

setup_file() {
  export prefix=$BATS_FILE_TMPDIR/prefix
  "${TOFA_CMAKE:?}" --install "${TOFA_BUILD:?set it to the build folder}" --prefix "$prefix" --strip
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  consumer=$BATS_TEST_DIRNAME/consumer
}

# Eight ranks that talk to their neighbours: on eight nodes of the sixteen, but not on the one likely to fail.
check_consumer() {
  "$1" >hosts
  [ "$(sort -u hosts | grep -cx 'n[01][0-9]')" -eq 8 ]
  ! grep -qx n01 hosts
}

@test "find_package(tofa) is enough to build and run a program" {
  "$TOFA_CMAKE" -S "$consumer" -B . -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="${TOFA_CXX:?}"
  "$TOFA_CMAKE" --build .
  check_consumer ./consumer
}

@test "pkg-config tofa is enough to build and run a program" {
  local flags
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tofa.pc)")
  export PKG_CONFIG_PATH
  read -ra flags <<<"$(pkg-config --cflags --libs tofa)"
  "$TOFA_CXX" -std=c++20 "$consumer/consumer.cpp" -o consumer "${flags[@]}"
  check_consumer ./consumer
}

@test "an installation that was moved still serves" {
  cp -r "$prefix" moved
  local flags
  read -ra flags <<<"$(PKG_CONFIG_PATH=$(dirname "$(find "$PWD/moved" -name tofa.pc)") pkg-config --cflags --libs tofa)"
  [[ "${flags[*]}" != *"$prefix"* ]]
  "$TOFA_CXX" -std=c++20 "$consumer/consumer.cpp" -o consumer "${flags[@]}"
  check_consumer ./consumer
  [ "$(moved/bin/tofa --version)" = "$("$TOFA_BUILD/bin/tofa" --version)" ]
}

@test "README, licence, guides and man pages are installed, and links of the README to them hold" {
  local doc=$prefix/share/doc/tofa link
  [ -s "$doc/LICENSE" ]
  [ "$(find "$prefix/share/man" -type f | wc -l)" -eq "$(find "${TOFA_SOURCE:?}/docs/man" -type f | wc -l)" ]
  for link in "$TOFA_SOURCE"/docs/*.md; do [ -s "$doc/docs/${link##*/}" ]; done
  grep -oE '\]\((docs/[^)#]+|LICENSE)' "$doc/README.md" | cut -d'(' -f2 | sort -u >links
  [ -s links ]
  while read -r link; do
    [[ $link == docs/man/* || -e $doc/$link ]] || { echo "README names $link, which is not installed" && false; }
  done <links
}

@test "programs and components are stripped" {
  local file
  for file in "$prefix"/bin/* "$prefix"/lib/tofa/*.so; do
    [ -z "$(nm "$file" 2>/dev/null)" ] || { echo "$file has symbols" && false; }
  done
  # libtofacore.a keeps its symbols, which linking needs. Four programs and components have the engine, over 1 MB, in them.
  [ "$(du -sm --exclude='*.a' "$prefix" | cut -f1)" -le 17 ]
}

# Every node loads it, also those without tofa's own libraries.
@test "the plugin for srun needs none of the libraries that place" {
  [ -e "$prefix/lib/tofa/spank_tofa.so" ] || skip "the plugin is not built"
  readelf -d "$prefix/lib/tofa/spank_tofa.so" >needed
  grep -q libc.so needed
  run grep -E 'scotch|hwloc' needed
  [ "$status" -eq 1 ]
}

# packages_of FILE: those of Debian that have the libraries it is linked with, but for what every system has, and Open MPI.
packages_of() {
  local library
  readelf -d "$1" 2>/dev/null | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | while read -r library; do
    dpkg -S "*/$library" | cut -d: -f1
  done | sort -u | grep -vxE 'libc6.*|lib(32)?stdc\+\+6|lib(32)?gcc-s1|libopenmpi.*'
}

@test "the guide names the packages of each program on Debian 12" {
  grep -q '^VERSION_ID="12"' /etc/os-release || skip "another system"
  local file names packages
  while IFS='`' read -r _ names _ packages _; do
    tr ' ' '\n' <<<"$names" | tee -a named | while read -r file; do
      find "$prefix/bin" "$prefix/lib/tofa" -name "$file" | while read -r file; do packages_of "$file"; done
    done | sort -u >needed
    [ ! -s needed ] || diff <(tr ' ' '\n' <<<"$packages" | sort) needed || { echo "of $names" && false; }
  done < <(grep -E '^\| .*tofa.*\| .lib' "$TOFA_SOURCE/docs/slurm.md")
  for file in "$prefix"/bin/* "$prefix"/lib/tofa/*.so; do
    [ -z "$(packages_of "$file")" ] || grep -qx "${file##*/}" named || { echo "the guide lacks ${file##*/}" && false; }
  done
}
