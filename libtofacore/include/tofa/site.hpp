// SPDX-License-Identifier: BSD-3-Clause
// What a site or a user has set once for all programs: the environment (TOFA_TOPOLOGY,
// TOFA_OUTAGES, TOFA_HEALTH, TOFA_MACHINE), then the site file /etc/tofa/tofa.toml (keys topology,
// outages, health, machine; another path in TOFA_SITE_FILE).
#pragma once

#include <string>

namespace tofa {

struct SiteDefaults {
  std::string topology;  // file; empty when not set
  std::string outages;   // file
  std::string health;    // URI
  std::string machine;   // what read_machine() takes
};

// A missing site file is fine; a malformed one throws Error with file and line.
SiteDefaults load_site_defaults();

}  // namespace tofa
