// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `tofa`. A new one is one file that defines a `Subcommand`, plus its line in
// registry.cpp.
#pragma once

#include <string>
#include <vector>

#include "command_line.hpp"

namespace tofa::cli {

struct Subcommand {
  const char* name;
  const char* help;
  // Describes options and sets a callback that does the work; it throws tofa::Error for whatever
  // the user can put right, and sets the exit status when it ends otherwise than well.
  void (*describe)(Command& command);
};

// Describes those that the command line has a word for; of the others --help shows the names, and
// all their options take longer to describe than a small job to place.
void add_all_subcommands(Command& app, const std::vector<std::string>& words);

}  // namespace tofa::cli
