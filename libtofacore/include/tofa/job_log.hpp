// SPDX-License-Identifier: BSD-3-Clause
// Writing the site's log: a line for each job or step that asked, as tofa/site_log.hpp describes
// it, to syslog or a file. Launchers run as the user, so that is who writes. It is never in the way
// of a job: nothing here waits, and what cannot be written is left out.
#pragma once

#include <cstddef>
#include <string>

namespace tofa {

// What became of a job that asked.
struct LogEntry {
  std::string figures;   // of its placement, as fields
  std::string declined;  // why it is the launcher's to place; empty: it was placed
  std::size_t warnings = 0;
};

// `job` is the number of job and step as far as they are known.
std::string format_entry(const LogEntry& entry, const std::string& job);

// Writes a line to `syslog`, or to a file that is there, with a single call. Returns what went
// wrong; empty when nothing did. `socket` is where the system's log listens.
std::string append_to_log(const std::string& log, const std::string& line,
                          const char* socket = "/dev/log");

}  // namespace tofa
