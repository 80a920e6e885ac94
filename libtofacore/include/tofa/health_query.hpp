// SPDX-License-Identifier: BSD-3-Clause
// Asking the node-health service. The launcher must never attach to PMIx itself, so a one-shot
// helper, tofa-query, does it in a process of its own that is killed at the deadline. Its answer is
// lines `host probability age` and a last line END; anything else is refused as a whole.
#pragma once

#include <string>

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

// Parses what tofa-query printed. Throws Error (unavailable) unless every line is well-formed and
// END comes last.
OutageList parse_health_answer(const std::string& text);

}  // namespace tofa
