// SPDX-License-Identifier: BSD-3-Clause
// The log in which a site sees what tofa did for its jobs: a line for each step that asked, written
// by the launcher, and what many of them add up to. A line is fields `key=value` with blanks
// between them, a value with anything but letters, digits and -_.:,/@%+[] in quotation marks:
//
//     time=2026-11-22T02:20:42Z user=ann job=17.0 outcome=placed ranks=8 nodes=4 avoided=1
//       hops_default=2 hops_chosen=0 abort_default=0.02 abort_chosen=0 seconds=0.012 warnings=0
//     time=2026-11-22T02:21:03Z user=ann job=18.0 outcome=declined reason="too few idle nodes"
//
// Users' own programs write such lines, to files and to syslog, so that whatever a line says is
// hearsay, and a reader must be ready for anything.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tofa {

using LogFields = std::vector<std::pair<std::string, std::string>>;

// One line, without its end. Control characters in values become blanks, and long values are cut.
std::string format_log_line(const LogFields& fields);

// The fields from `time=` on, whatever stands before them, as in the output of journalctl. Nothing
// for a line that is none of these.
std::optional<std::map<std::string, std::string>> parse_log_line(std::string_view line);

struct SiteSummary {
  std::uint64_t placed = 0;
  std::uint64_t declined = 0;
  std::map<std::string, std::uint64_t> reasons;  // why declined; numbers in them are left out
  std::map<std::string, std::uint64_t> users;    // steps that asked
  std::uint64_t ranks = 0;                       // placed
  std::uint64_t warned = 0;                      // placed with what was left
  double hops_default = 0;                       // sums over the placed, of hops per byte,
  double hops_chosen = 0;
  double aborts_default = 0;  // and of abort probabilities: aborts to be expected
  double aborts_chosen = 0;
  std::uint64_t avoided = 0;  // suspect nodes, each time that one was left out
  std::string first, last;    // time
  std::uint64_t others = 0;   // lines that are none of ours, or say what cannot be
};

void add_log_line(SiteSummary& summary, std::string_view line);

}  // namespace tofa
