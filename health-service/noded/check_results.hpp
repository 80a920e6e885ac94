// SPDX-License-Identifier: BSD-3-Clause
// What the checks of a node have said last, and what follows for the node: one that has a check
// that failed has failed. Pure: no processes, no clock.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tofa::health {

struct CheckOutcome {
  enum class End {
    exited,
    killed,     // by a signal that was not ours
    timed_out,  // and killed
    not_run,    // it could not be started, which says nothing about the node
  };
  End end = End::exited;
  int status = 0;  // of exit, or the signal; of `timed_out` the seconds it had
  std::string output;
};

// A file whose name is one of a check: letters, digits, `.`, `-`, `_`, none of them a dot in front.
bool is_check_name(std::string_view name);

class CheckResults {
 public:
  // Forgets all other checks.
  void keep(const std::vector<std::string>& names);

  // What is to be logged: that a check now fails, for another reason than before, or no longer.
  std::optional<std::string> record(const std::string& name, const CheckOutcome& outcome);

  // `NAME: reason` of the first by name that failed, and how many more did; empty: none.
  std::string failure() const;

  // A line for each that failed, `NAME reason`; what is no such line is passed over.
  std::string save() const;
  void restore(std::string_view text);

 private:
  std::map<std::string, std::string> reasons_;  // of those that failed
};

}  // namespace tofa::health
