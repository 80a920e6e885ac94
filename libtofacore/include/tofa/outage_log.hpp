// SPDX-License-Identifier: BSD-3-Clause
// Past outages of a fleet, as sites write them down. One per line, `host,start,end[,cause]`, with
// or without such a header; or what Slurm prints for
//
//     sacctmgr -nP show event start=2026-01-01 format=nodename,timestart,timeend,state,reason
//
// whose fields are divided by `|`, with a header (without -n) in any order, or in sacctmgr's own
// (cluster first). Only states that are failures count there (DOWN, FAIL, ERROR), not what was
// planned (DRAIN, MAINT, POWERED_DOWN, ...). A host may be a host list, n[1-3].
//
// Times are seconds since 1970 or ISO 8601, 2026-01-31T12:00:00, with Z, an offset, or neither,
// which is taken for UTC: between times of one place only the distance matters. The end of an
// outage that lasts is empty, 0, or Unknown. Blank lines and those that begin with # are passed
// over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tofa {

struct LoggedOutage {
  std::uint32_t host = 0;                                // of the log's hosts
  double start = 0;                                      // seconds since 1970
  double end = std::numeric_limits<double>::infinity();  // while it lasts
  std::string cause;
  friend bool operator==(const LoggedOutage&, const LoggedOutage&) = default;
};

struct TimeSpan {
  double from = 0;
  double to = 0;
  friend bool operator==(const TimeSpan&, const TimeSpan&) = default;
};

struct OutageLog {
  std::vector<std::string> hosts;
  std::vector<std::string> classes;   // of the hosts; empty where there are none
  std::vector<LoggedOutage> outages;  // by start; those of one host do not overlap
  TimeSpan span;                      // in which the hosts were watched
  std::vector<TimeSpan> pauses;       // of it, in which nobody looked, in the order of time
  std::size_t planned = 0;            // lines passed over, since they were no failures
};

// The hosts are those of the text, the span reaches from the first time in it to the last. Throws
// Error (bad_input), with `name` as the file's name and the line.
OutageLog parse_outage_log(std::string_view text, const std::string& name);

// The log of these hosts, in this order; outages of others are dropped. Short names find qualified
// ones. Throws Error (bad_input) when a host appears twice.
OutageLog log_of_hosts(const OutageLog& log, const std::vector<std::string>& hosts);

// Seconds since 1970; nothing where the text is no time.
std::optional<double> parse_time(std::string_view text);

}  // namespace tofa
