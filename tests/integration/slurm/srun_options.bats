#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The table of srun's options, by which the plugin reads srun's command line, against the srun that is installed: its
# option parser says of every name and letter whether it exists and takes a value, its help names what there is.

# shellcheck disable=SC2154  # variables that support.bash sets
load support

setup_file() { start_cluster_with_plugin 1; }
teardown_file() { end_cluster; }

known_options() { "$build/bin/tofa-test-srun-options" "$(release)"; }

# What srun's parser says of the options in the file names: it reads them all, and starts nothing without a program.
ask_srun() {
  # shellcheck disable=SC2016  # the inner shell expands it
  head_run sh -c 'while read -r name; do
    said=$(srun "--$name" 2>&1 </dev/null)
    case $said in
      *"unrecognized option"* | *"is ambiguous"*) echo "$name unknown" ;;
      *"requires an argument"*) echo "$name required" ;;
      *)
        case $(srun "--$name=0" 2>&1 </dev/null) in
          *"allow an argument"*) echo "$name none" ;;
          *) echo "$name optional" ;;
        esac ;;
    esac
  done' <names
}

@test "srun has every option of the table, and takes its value alike" {
  known_options >table
  cut -d ' ' -f 1 table >names
  ask_srun >asked
  cut -d ' ' -f 1,2 table | diff - asked
}

@test "the table has every option that srun lists" {
  known_options >table
  { head_run srun --help && head_run srun --usage; } | grep -oE -- '--[a-z][a-z0-9_-]+' | sed 's/^--//' | sort -u >listed
  cut -d ' ' -f 1 table | sort -u | comm -13 - listed >names
  # Its help also lists some that its parser has not had for years.
  ask_srun >asked
  same "" "$(grep -v unknown asked | paste -sd ' ')"
  [[ $(wc -l <listed) -gt 100 ]]
}

@test "srun has every letter of the table, and no other" {
  known_options | awk '$3 != "-" { print $3, ($2 == "required" ? "required" : "other") }' | sort >letters
  # shellcheck disable=SC2016
  head_run sh -c 'for letter in $(echo a b c d e f g h i j k l m n o p q r s t u v w x y z | sed "s/.*/& \U&/"); do
    case $(srun "-$letter" 2>&1 </dev/null) in
      *"invalid option"*) ;;
      *"requires an argument"*) echo "$letter required" ;;
      *) echo "$letter other" ;;
    esac
  done' | sort >asked
  diff letters asked
}
