// SPDX-License-Identifier: BSD-3-Clause
// How `tofa health` finds the service, and what it says of times and of hosts nobody knows.
#include "health_service.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>

#include "tofa/site.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {

void add_query_options(Command& command, HealthQuery& query) {
  command
      .add_option("--health,--uri", query.uri,
                  "The gateway of the health service, IP:PORT (default: $TOFA_HEALTH, then the "
                  "site file)")
      ->type_name("URI");
  command.add_option("--deadline", query.deadline_seconds, "Seconds to wait for it (default 2)")
      ->check(range(0.01, 3600.0))
      ->type_name("SECONDS");
}

HealthQuery completed(HealthQuery query) {
  const SiteDefaults defaults = load_site_defaults();
  if (query.uri.empty()) query.uri = defaults.health;
  if (query.uri.empty()) {
    throw Error(ErrorKind::bad_input, "no health service; add --health IP:PORT or set TOFA_HEALTH");
  }
  query.program = find_query_program();
  return trusted_by(defaults, query);
}

Error not_watched(const std::string& host, const std::vector<std::string>& watched) {
  return Error(
      ErrorKind::unmet,
      fmt::format("the health service does not watch {}{}\ntofa health list names the hosts "
                  "it watches",
                  excerpt(host), did_you_mean(host, watched)));
}

std::string describe(const HostExclusion& exclusion) {
  return fmt::format("excluded by {} since {}{}: {}", exclusion.by, utc(exclusion.since),
                     exclusion.until > 0 ? " until " + utc(exclusion.until) : "", exclusion.reason);
}

nlohmann::ordered_json exclusion_json(const HostExclusion& exclusion) {
  nlohmann::ordered_json json{{"reason", exclusion.reason},
                              {"by", exclusion.by},
                              {"since", whole_seconds(exclusion.since)},
                              {"until", nullptr}};
  if (exclusion.until > 0) json["until"] = whole_seconds(exclusion.until);
  return json;
}

std::string describe(const std::string& host, const std::vector<FormerName>& names) {
  std::string text;
  for (const FormerName& former : names) {
    text += fmt::format("{} was called {} until {}, says {}: {}\n", host, former.name,
                        utc(former.until), former.by, former.reason);
  }
  return text;
}

nlohmann::ordered_json names_json(const std::vector<FormerName>& names) {
  auto list = nlohmann::ordered_json::array();
  for (const FormerName& former : names) {
    list.push_back({{"name", former.name},
                    {"until", whole_seconds(former.until)},
                    {"by", former.by},
                    {"reason", former.reason}});
  }
  return list;
}

std::time_t whole_seconds(double time) {
  return static_cast<std::time_t>(std::floor(time));
}

std::string utc(double time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(whole_seconds(time)));
}

}  // namespace tofa::cli
