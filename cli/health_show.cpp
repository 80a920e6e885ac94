// SPDX-License-Identifier: BSD-3-Clause
// `tofa health show HOST`: all that the service says of one host.
#include "health_show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "health_service.hpp"
#include "report.hpp"
#include "tofa/host_index.hpp"
#include "tofa/outage.hpp"

namespace tofa::cli {
namespace {

constexpr std::array<const char*, kHazardHorizons.size()> kHorizonNames{"1h", "24h", "7d"};
constexpr std::size_t kShownOutages = 10;
constexpr double kHoursPerDay = 24;

struct ShowOptions {
  HealthQuery query;
  std::string host;
  bool json = false;
};

struct HostReport {
  HostOutage host;
  std::vector<PastOutage> outages;  // the latest last
};

// Throws Error when the service does not watch the host.
HostReport ask_about(const ShowOptions& options) {
  const Snapshot snapshot = query_snapshot(completed(options.query));
  const OutageList hosts = outages_of(snapshot);
  const auto found = std::find_if(hosts.begin(), hosts.end(), [&](const HostOutage& host) {
    return same_host(host.host, options.host);
  });
  if (found == hosts.end()) {
    std::vector<std::string> watched;
    for (const HostOutage& host : hosts) watched.push_back(host.host);
    throw not_watched(options.host, watched);
  }
  HostReport report{*found, {}};
  for (const PastOutage& outage : snapshot.outages) {
    if (outage.host == found->host) report.outages.push_back(outage);
  }
  return report;
}

nlohmann::ordered_json as_json(const PastOutage& outage) {
  nlohmann::ordered_json entry{{"start", whole_seconds(outage.start)}, {"end", nullptr}};
  if (outage.end > 0) entry["end"] = whole_seconds(outage.end);
  entry["cause"] = outage.cause;
  return entry;
}

void print_json(const HostReport& report) {
  nlohmann::ordered_json json{{"version", 1},
                              {"host", report.host.host},
                              {"state", report.host.state},
                              {"age", report.host.age_seconds},
                              {"probability", report.host.probability}};
  for (std::size_t i = 0; i < kHazardHorizons.size(); ++i) {
    json["probability_within"][kHorizonNames[i]] =
        probability_within(report.host, kHazardHorizons[i]);
  }
  json["rate"] = report.host.rate;
  if (report.host.excluded) json["excluded"] = exclusion_json(*report.host.excluded);
  json["outages"] = nlohmann::ordered_json::array();
  for (const PastOutage& outage : report.outages) json["outages"].push_back(as_json(outage));
  write_output("", json_text(json));
}

void print_text(const HostReport& report) {
  const HostOutage& host = report.host;
  fmt::print("{}: {}, observed {:.0f} s ago\n", host.host, host.state, host.age_seconds);
  if (host.excluded) fmt::print("{}\n", describe(*host.excluded));
  fmt::print("outage probability: {:.3g} now", host.probability);
  for (std::size_t i = 0; i < kHazardHorizons.size(); ++i) {
    fmt::print(", {:.3g} within {}", probability_within(host, kHazardHorizons[i]),
               kHorizonNames[i]);
  }
  fmt::print("\noutages per day that it is up: {:.3g}\n", std::max(0.0, host.rate) * kHoursPerDay);
  if (report.outages.empty()) return fmt::print("no outages are known\n");
  const std::size_t shown = std::min(report.outages.size(), kShownOutages);
  fmt::print("outages, the latest {} of {} that the service tells:\n", shown,
             report.outages.size());
  for (auto outage = report.outages.end() - static_cast<std::ptrdiff_t>(shown);
       outage != report.outages.end(); ++outage) {
    fmt::print("  {}  {:<20}  {}\n", utc(outage->start),
               outage->end > 0 ? utc(outage->end) : "still", outage->cause);
  }
}

}  // namespace

void add_health_show(Command& health) {
  auto options = std::make_shared<ShowOptions>();
  Command* command = health.add_subcommand("show", "All that the service says of one host");
  command->add_option("host", options->host, "The host")->required()->type_name("HOST");
  add_query_options(*command, options->query);
  command->add_flag("--json", options->json, "As JSON, times in seconds since 1970");
  command->footer("Example:\n  tofa health show n007");
  command->callback([options] {
    const HostReport report = ask_about(*options);
    options->json ? print_json(report) : print_text(report);
  });
}

}  // namespace tofa::cli
