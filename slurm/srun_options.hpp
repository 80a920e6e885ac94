// SPDX-License-Identifier: BSD-3-Clause
// The options of srun, release by release, as data: without it nobody can tell which word of a
// command line is the program.
#pragma once

#include <span>
#include <string_view>

namespace tofa::spank {

// A release of Slurm as a number: 22.05 is 2205.
using Release = unsigned;

// The last one of which the table knows something.
inline constexpr Release kNewestRelease = 2605;

enum class Value {
  none,
  optional,  // attached only: --exclusive=user, -K0
  required,  // attached, or the next word
};

struct SrunOption {
  std::string_view name;  // without dashes
  Value value = Value::none;
  char letter = 0;    // of the short form
  Release since = 0;  // the first release that has it; 0: 22.05 and before
  Release until = 0;  // the last one; 0: it is still there

  bool is_in(Release release) const { return since <= release && (until == 0 || release <= until); }
};

// All of them, by name.
std::span<const SrunOption> srun_options();

// The option that `name` is, or is the beginning of, to the srun of that release. None where it is
// the beginning of several, or where the release does not have it.
const SrunOption* find_srun_option(std::string_view name, Release release);
const SrunOption* find_srun_option(char letter, Release release);

}  // namespace tofa::spank
