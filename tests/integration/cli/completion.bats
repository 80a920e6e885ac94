#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# bash completion, sourced and asked as bash asks it. Needs TOFA (the program) and TOFA_SOURCES.
# shellcheck disable=SC2154  # bats sets status and output

setup() {
  cd "$BATS_TEST_TMPDIR" || return 1
  # shellcheck source=/dev/null
  source "$TOFA_SOURCES/cli/completion.bash"
  touch app.bytes.mtx
  mkdir jobs
}

# completions WORDS...: what is offered for the last of them, one a line, sorted.
completions() {
  # shellcheck disable=SC2034  # bash's interface of completions
  COMP_WORDS=(tofa "$@") COMP_CWORD=$#
  COMPREPLY=()
  __tofa "$TOFA"
  printf '%s\n' "${COMPREPLY[@]}" | sort
}

@test "bash knows which function completes tofa" {
  [[ $(complete -p tofa) == "complete -F __tofa tofa" ]]
}

@test "subcommands are completed, on both levels and after help" {
  [ "$(completions '' | paste -sd' ')" = "doctor evaluate explain graph health heatmap map picture remap report select topology whatif" ]
  [ "$(completions gr)" = graph ]
  [ "$(completions graph '' | paste -sd' ')" = "compare convert from-grid info merge recover select sum" ]
  [ "$(completions health e | paste -sd' ')" = "event exclude explain export" ]
  [ "$(completions health '' | paste -sd' ')" = "backtest drain event exclude explain export history include list merge show status topology" ]
  [ "$(completions health event '')" = add ]
  [ "$(completions help to)" = topology ]
}

@test "every option that --help shows is completed" {
  for path in map explain select remap evaluate heatmap report 'graph info' 'graph convert' 'health status' \
    'health history' 'health exclude' 'health include' 'health event add' 'health export'; do
    read -ra words <<<"$path"
    "$TOFA" "${words[@]}" --help | grep -oE '^  -[^ ]*' | tr -s ', ' '\n' | grep -e -- | sort >shown
    [ -s shown ]
    completions "${words[@]}" -- | diff shown -
  done
}

@test "values are completed: sets, files, and nothing where nothing is known" {
  [ "$(completions map --format '' | paste -sd' ')" = "hostfile json rankfile" ]
  [ "$(completions map --format r)" = rankfile ]
  [ "$(completions map --format = j)" = json ]
  [ "$(completions map --objective hop)" = hop-bytes ]
  [ "$(completions map --mapper bi | paste -sd' ')" = "bisect bit-linear" ]
  [ "$(completions map --graph app)" = app.bytes.mtx ]
  [ "$(completions map -o j)" = jobs ]
  [ -z "$(completions map --seed '')" ]
  [ "$(completions graph info app)" = app.bytes.mtx ]
  # After a flag comes a word of its own.
  [ "$(completions graph info --json app)" = app.bytes.mtx ]
  [ "$(completions map -q --slo)" = --slots ]
}

@test "a program that is gone completes nothing and says nothing" {
  TOFA=$PWD/gone
  [ -z "$(completions ma 2>&1)" ]
}
