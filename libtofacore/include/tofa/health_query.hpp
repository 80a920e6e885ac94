// SPDX-License-Identifier: BSD-3-Clause
// Asking the node-health service. The launcher must never attach to PMIx itself, so a one-shot
// helper, tofa-query, does it in a process of its own that is killed at the deadline. Its answer is
// lines and a last line END; anything else is refused as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tofa/outage.hpp"

namespace tofa {

struct HealthQuery {
  std::string uri;           // nspace.rank;tcp4://IP:port, or IP:port
  std::string program = {};  // path of tofa-query; empty: find_query_program()
  double deadline_seconds = 2;
  double max_age_seconds =
      600;  // when even the newest estimate is older, the answer is refused as stale
};

// Throws Error: bad_input when `uri` is none; unavailable for anything else, be it no such program,
// the deadline, or a malformed, incomplete or stale answer.
OutageList query_health(const HealthQuery& query);

// Where tofa-query is: what the environment variable TOFA_QUERY names; else in `hint_directory`,
// which a component or plugin derives from its own place; else beside the running program; else
// where it was installed; else in PATH. Throws Error (unavailable) when it is nowhere.
std::string find_query_program(const std::string& hint_directory = "");

// Parses what tofa-query printed: lines `host probability age [rate]`. Throws Error (unavailable)
// unless every line is well-formed and END comes last.
OutageList parse_health_answer(const std::string& text);

// An outage that was or is, as the service remembers it.
struct PastOutage {
  std::string host;
  std::int64_t start = 0;           // in seconds since 1970
  std::optional<std::int64_t> end;  // nothing while it lasts
  std::string cause;                // the source that noticed it, e.g. "heartbeat" or "slurm"
  friend bool operator==(const PastOutage&, const PastOutage&) = default;
};

// The latest outages of all hosts, in the order in which they began; as query_health().
std::vector<PastOutage> query_history(const HealthQuery& query);

// Lines `host start end cause`, the end being "-" while it lasts; as parse_health_answer().
std::vector<PastOutage> parse_history_answer(const std::string& text);

}  // namespace tofa
