// SPDX-License-Identifier: BSD-3-Clause
// What a site or a user has set once for all programs: the environment (TOFA_TOPOLOGY,
// TOFA_OUTAGES, TOFA_HEALTH, TOFA_HEALTH_KEY, TOFA_HEALTH_KEY_USER, TOFA_HEALTH_MAX_AGE,
// TOFA_MACHINE, TOFA_LINK_LOAD), then the site file /etc/tofa/tofa.toml (keys topology, outages,
// health, health_key, health_key_user, health_max_age, machine, link_load; another path in
// TOFA_SITE_FILE).
#pragma once

#include <map>
#include <string>

namespace tofa {

struct HealthQuery;

struct SiteDefaults {
  std::string topology;  // file; empty when not set
  std::string outages;   // file
  std::string health;    // URI
  // Whom to believe there, see trusted_by(): a file or munge, a user, and seconds as text.
  std::string health_key;
  std::string health_key_user;
  std::string health_max_age;
  std::string machine;    // what read_machine() takes
  std::string link_load;  // file or URL
  // Who set them, by key: the name of a variable, or of the site file.
  std::map<std::string, std::string> named_by = {};
};

// A missing site file is fine; a malformed one throws Error with file and line.
SiteDefaults load_site_defaults();

// What the environment alone says.
SiteDefaults load_environment_defaults();

// Sets one of the keys, to what `named_by` says.
void set_default(SiteDefaults& defaults, const std::string& key, const std::string& value,
                 const std::string& named_by);

// Those of `preferred`, and, where it has none, those of `others`.
SiteDefaults merge_defaults(const SiteDefaults& preferred, SiteDefaults others);

// The query with the key that an answer must be signed with and how old it may be, where they are
// set; `none` stands for no key. Throws Error (bad_input) for an age that is no number.
HealthQuery trusted_by(const SiteDefaults& defaults, HealthQuery query);

// The site file that is read, whether it is there or not.
std::string site_file_path();

}  // namespace tofa
