# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# bash completion for tofa. Subcommands, options and values are read from the command's own --help, so they are those of
# the tofa that is installed.

# __tofa_section TITLE: the lines of that section of a help text.
__tofa_section() { sed -n "/^$1:/,/^\$/{/^  [^ ]/p}"; }

__tofa() {
  local tofa=$1 current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local help options subcommands word path=() i
  COMPREPLY=()
  help=$("$tofa" --help 2>/dev/null) || return 0
  subcommands=$(__tofa_section Subcommands <<<"$help" | awk '{ print $1 }')
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    [[ $word == help && ${#path[@]} -eq 0 ]] && continue
    [[ $'\n'$subcommands$'\n' == *$'\n'"$word"$'\n'* ]] || continue
    path+=("$word")
    help=$("$tofa" "${path[@]}" --help 2>/dev/null) || return 0
    subcommands=$(__tofa_section Subcommands <<<"$help" | awk '{ print $1 }')
  done
  options=$(__tofa_section Options <<<"$help")

  # With `--option=value`, the sign is a word of its own.
  [[ $current == = ]] && current=''
  [[ $previous == = ]] && previous=${COMP_WORDS[COMP_CWORD - 2]}
  if [[ $previous == -* ]]; then
    word=$(__tofa_kind "$previous" <<<"$help")
    case $word in
      '') ;; # a flag: what follows is a word of its own
      '{'*)
        word=${word#\{}
        word=${word%\}}
        mapfile -t COMPREPLY < <(compgen -W "${word//,/ }" -- "$current")
        return 0
        ;;
      FILE*)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return 0
        ;;
      *) return 0 ;;
    esac
  fi
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '^  -[^ ]*' <<<"$options" | tr ',' ' ')" -- "$current")
  elif [[ -n $subcommands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$subcommands" -- "$current")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

# __tofa_kind OPTION: what follows it, from a help text: {a,b} or FILE, HOSTLIST, ...; nothing for a flag.
__tofa_kind() {
  awk -v option="$1" '
    /^  -[^ ]* [^ ]/ {
      count = split($1, names, ",")
      for (i = 1; i <= count; ++i) {
        if (names[i] != option) continue
        if (match($2, /\{[^}]*\}/)) print substr($2, RSTART, RLENGTH)
        else if ($2 ~ /^[A-Z]+([.:=|]|$)/ && $2 !~ /^(Excludes|REQUIRED)/) print $2
        exit
      }
    }'
}

complete -F __tofa tofa
