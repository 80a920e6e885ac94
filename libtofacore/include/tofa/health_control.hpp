// SPDX-License-Identifier: BSD-3-Clause
// What admins ask of a running tofa-healthd over its local socket. A connection carries one
// request, a line of JSON, and its answer, another one; then it is closed:
//
//     {"version": 1, "command": "exclude", "hosts": LIST, "reason": TEXT, "until": T}
//     {"version": 1, "command": "include", "hosts": LIST, "reason": TEXT}
//     {"version": 1, "command": "event", "hosts": LIST, "start": T, "end": T, "cause": WORD}
//     {"version": 1, "command": "export", "table": "outages" or "changes", "after": ID}
//     {"version": 1, "command": "merge", "hosts": HOST, "into": HOST, "reason": TEXT}
//     {"version": 1, "command": "explain", "hosts": HOST, "horizon": SECONDS}
//     {"version": 1, "command": "drain", "hosts": LIST}
//
// Hosts are a host list, times in seconds since 1970. The hosts of a drain, "until", the reason of
// an include, "end" and "cause" may be absent. A table comes in pieces of some thousand rows, each
// asked for with the last ID of the one before. The answer depends on the command
// (healthd/control_commands.hpp); one with "error", a text, and "kind", "bad-input", "unmet" or
// "unavailable", says why nothing was done, or that the disk has not told yet whether it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tofa/error.hpp"

namespace tofa {

inline constexpr const char* kDefaultControlSocket = "/run/tofa-health/control.sock";
// With the end of its line. A list of all hosts of a large fleet fits.
inline constexpr std::size_t kLongestControlRequest = 16'384;
inline constexpr std::size_t kLongestReason = 200;  // bytes

inline constexpr double kLongestHorizon = 10 * 366 * 86'400.0;  // seconds

enum class ControlCommand { exclude, include, event, export_rows, explain, merge, drain };

struct ControlRequest {
  ControlCommand command = ControlCommand::export_rows;
  std::string hosts = {};          // a host list; empty for an export, or a drain of all
  std::string into = {};           // what the host of a merge is called now
  std::string reason = {};         // or the cause of an event
  double start = 0;                // of an event
  std::optional<double> end = {};  // of an event or an exclusion
  bool changes = false;            // export them rather than outages
  std::int64_t after = 0;          // export rows with higher IDs
  double horizon = 0;              // of an explanation, in seconds
  friend bool operator==(const ControlRequest&, const ControlRequest&) = default;
};

// One line, with its end.
std::string format_control_request(const ControlRequest& request);

// Throws Error (bad_input) for anything else, also for keys that the command does not have. The
// host list is not looked at.
ControlRequest parse_control_request(std::string_view line);

std::string format_control_error(const Error& error);

// The answer's text. Throws Error: what the daemon says where it does nothing, and unavailable when
// nobody listens there, the asker may not, or there is no answer in time.
std::string ask_health_daemon(const std::string& socket, const ControlRequest& request,
                              double deadline_seconds);

}  // namespace tofa
