// SPDX-License-Identifier: BSD-3-Clause
// What other tools write about hosts, in files of a folder. Pure: text in, verdicts out. A file has
// lines
//
//     HOST up|down|planned [REASON]
//
// without HOST where the file is named like one; blank lines and those that begin with # are passed
// over. Of several lines about a host in one file the last counts, since it may be a log that
// grows; of several files, what is worst for the host: down before planned before up. A line that
// makes no sense takes nothing away from the others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "healthd/background_source.hpp"
#include "tofa/host_index.hpp"

namespace tofa::health {

struct HostReport {
  Verdict verdict = Verdict::unknown;
  std::string reason = {};  // as in tofa/outage_cause.hpp; may be empty
  friend bool operator==(const HostReport&, const HostReport&) = default;
};

struct ReportFile {
  std::map<std::uint32_t, HostReport> reports;  // by host
  std::size_t unknown_hosts = 0;
  std::string unknown_host;  // the first
  std::size_t malformed_lines = 0;
  std::size_t malformed_line = 0;  // the first, from 1
  bool finished = true;  // it ends with the end of a line, so nobody is writing it right now
};

// `name` is the file's. What comes after the last end of line counts only when it is `settled`:
// nobody has written to it for a while.
ReportFile parse_reports(std::string_view text, std::string_view name, const HostIndex& hosts,
                         bool settled);

// Of all files, by name.
Opinions judge_reports(const std::map<std::string, ReportFile>& files, std::size_t hosts);

}  // namespace tofa::health
