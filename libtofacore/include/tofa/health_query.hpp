// SPDX-License-Identifier: BSD-3-Clause
// Asking the node-health service. The launcher must never attach to PMIx itself, so a one-shot
// helper, tofa-query, does it in a process of its own that is killed at the deadline. Its answer is
// the service's snapshot; anything else is refused as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tofa/health_snapshot.hpp"

namespace tofa {

struct HealthQuery {
  std::string uri;           // nspace.rank;tcp4://IP:port, or IP:port
  std::string program = {};  // path of tofa-query; empty: find_query_program()
  double deadline_seconds = 2;
  // When even the newest estimate is older, the answer is refused as stale.
  double max_age_seconds = 600;
  // File with the public key that the answer must be signed with, or `munge` or `munge:SOCKET`;
  // empty: whoever answers there is believed.
  std::string key = {};
  // With munge, the user who must have signed; empty: the one that tofa-pmix-gateway runs as.
  std::string key_user = {};
  // How far the time of the signature may be from this host's.
  double max_signature_age_seconds = 300;
};

// Throws Error: bad_input when `uri` is none; unavailable for anything else, be it no such program,
// the deadline, or a malformed, incomplete, stale, unsigned or forged answer.
OutageList query_health(const HealthQuery& query);

// Where tofa-query is: what the environment variable TOFA_QUERY names; else in `hint_directory`,
// which a component or plugin derives from its own place; else beside the running program; else
// where it was installed; else in PATH. Throws Error (unavailable) when it is nowhere.
std::string find_query_program(const std::string& hint_directory = "");

// All that the service says, however old it is; otherwise as query_health().
Snapshot query_snapshot(const HealthQuery& query);

// The latest outages of all hosts, in the order in which they began; as query_health().
std::vector<PastOutage> query_history(const HealthQuery& query);

// Parses what tofa-query printed. Throws Error (unavailable) unless all of it is a snapshot.
Snapshot parse_health_answer(std::string_view text);

}  // namespace tofa
