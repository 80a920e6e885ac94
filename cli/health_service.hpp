// SPDX-License-Identifier: BSD-3-Clause
// What the subcommands of `tofa health` that ask the service share.
#pragma once

#include <ctime>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "tofa/error.hpp"
#include "tofa/health_query.hpp"

namespace tofa::cli {

// --health and --deadline.
void add_query_options(Command& command, HealthQuery& query);

// With what the environment and the site file say. Throws Error where nobody names a service.
HealthQuery completed(HealthQuery query);

// That the service does not watch `host`, with a name that may have been meant.
Error not_watched(const std::string& host, const std::vector<std::string>& watched);

// Who excluded a host, until when, and why.
std::string describe(const HostExclusion& exclusion);
// Under which names a host was known before; a line for each.
std::string describe(const std::string& host, const std::vector<FormerName>& names);
nlohmann::ordered_json names_json(const std::vector<FormerName>& names);
nlohmann::ordered_json exclusion_json(const HostExclusion& exclusion);

std::time_t whole_seconds(double time);
// 2026-11-22T08:00:00Z
std::string utc(double time);

}  // namespace tofa::cli
