// SPDX-License-Identifier: BSD-3-Clause
// What a command line of srun says about nodes, tasks and their distribution. A SPANK plugin gets
// to see its own options only, and has to decide before srun has looked at the rest; so the command
// line is read here a second time, by srun's rules.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tofa::spank {

struct SrunCommand {
  // Options with a value, by their long name without dashes; the last of several wins.
  std::map<std::string, std::string> options;
  bool overcommit = false;     // -O
  bool hold = false;           // -H
  bool heterogeneous = false;  // several components, separated by ":"
  // The command line with --unbuffered (-u) for --quiet (-Q), which hides srun's answers.
  std::vector<std::string> audible;
  std::string program;  // name of the program to start, without its folder

  std::optional<std::string> find(const std::string& option) const;
};

// `words` is the command line with srun itself in front. Never fails: what srun would refuse, srun
// refuses.
SrunCommand parse_srun_command(const std::vector<std::string>& words);

}  // namespace tofa::spank
