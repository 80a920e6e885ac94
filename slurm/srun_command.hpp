// SPDX-License-Identifier: BSD-3-Clause
// What a command line of srun says about nodes, tasks and their distribution. A SPANK plugin gets
// to see its own options only, and has to decide before srun has looked at the rest; so the command
// line is read here a second time, by srun's rules.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "srun_options.hpp"

namespace tofa::spank {

struct SrunCommand {
  // Options with a value, by their long name without dashes; the last of several wins.
  std::map<std::string, std::string> options;
  bool overcommit = false;     // -O
  bool exact = false;          // --exact
  bool overlap = false;        // --overlap
  bool hold = false;           // -H
  unsigned quiet = 0;          // how often there is -Q: once hides notes, twice errors
  bool interactive = false;    // the shell that salloc starts in a step
  bool heterogeneous = false;  // several components, separated by ":"
  // The command line without --nodes (-N), which srun refuses beside a hostfile since 23.11.
  std::vector<std::string> without_nodes;
  std::string program;  // name of the program to start, without its folder
  // An option that the release is not known to have, dashes included, and that is followed by what
  // may be its value, or another option, or the program.
  std::string unclear;

  std::optional<std::string> find(const std::string& option) const;
};

// `words` is the command line with srun itself in front, read as the srun of that release reads it.
// Never fails: what srun would refuse, srun refuses.
SrunCommand parse_srun_command(const std::vector<std::string>& words,
                               Release release = kNewestRelease);

}  // namespace tofa::spank
