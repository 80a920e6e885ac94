// SPDX-License-Identifier: BSD-3-Clause
// `tofa health list|status|history`: what does the health service say, and does it say anything at
// all? The other subcommands of `tofa health` have files of their own.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "health_backtest.hpp"
#include "health_control.hpp"
#include "health_service.hpp"
#include "health_show.hpp"
#include "health_topology.hpp"
#include "report.hpp"
#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/health_query.hpp"
#include "tofa/host_index.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kNamedSuspects = 8;

struct HealthOptions {
  HealthQuery query;
  bool json = false;
  std::string host;  // of the history; empty: all
};

// The list as the service has it, most suspect first. Its age is for the reader to judge.
OutageList most_suspect_first(const Snapshot& snapshot) {
  OutageList outages = outages_of(snapshot);
  const auto suspicion = [](const HostOutage& host) {
    return std::pair(host.probability, probability_within(host, kHazardHorizons[1]));
  };
  std::stable_sort(outages.begin(), outages.end(), [&](const HostOutage& a, const HostOutage& b) {
    return suspicion(a) > suspicion(b);
  });
  return outages;
}

OutageList ask(const HealthQuery& query) {
  return most_suspect_first(query_snapshot(completed(query)));
}

void list(const HealthOptions& options) {
  const OutageList outages = ask(options.query);
  if (options.json) {
    fmt::print("{}", format_outages_json(outages));
    return;
  }
  std::size_t width = 4;
  for (const HostOutage& outage : outages) width = std::max(width, outage.host.size());
  fmt::print("{:<{}}  probability  age/s  outages/h  within 24h  state\n", "host", width);
  for (const HostOutage& outage : outages) {
    fmt::print("{:<{}}  {:11.6f}  {:5.0f}  {:>9}  {:10.6f}  {}\n", outage.host, width,
               outage.probability, outage.age_seconds,
               outage.rate < 0 ? "-" : fmt::format("{:.6f}", outage.rate),
               probability_within(outage, kHazardHorizons[1]),
               outage.excluded ? describe(*outage.excluded) : outage.state);
  }
}

// Of one host, if it is watched, or of all.
std::string history_json(const std::vector<PastOutage>& outages,
                         const std::optional<SnapshotHost>& host) {
  auto list = nlohmann::ordered_json::array();
  for (const PastOutage& outage : outages) {
    nlohmann::ordered_json entry{{"host", outage.host}, {"start", whole_seconds(outage.start)}};
    entry["end"] = outage.end > 0 ? nlohmann::ordered_json(whole_seconds(outage.end))
                                  : nlohmann::ordered_json();
    entry["cause"] = outage.cause;
    list.push_back(std::move(entry));
  }
  nlohmann::ordered_json json{{"version", 1}, {"outages", std::move(list)}};
  if (host && host->excluded) json["excluded"] = exclusion_json(*host->excluded);
  if (host && !host->was.empty()) json["was"] = names_json(host->was);
  return json_text(json);
}

// What is known of one host now; nothing where only outages of it are.
std::optional<SnapshotHost> find_host(const Snapshot& snapshot, const std::string& name) {
  for (const SnapshotHost& host : snapshot.hosts) {
    if (same_host(host.host, name)) return host;
  }
  return std::nullopt;
}

// A host without outages must be one that the service watches.
void print_history(const HealthOptions& options) {
  const Snapshot snapshot = query_snapshot(completed(options.query));
  auto outages = snapshot.outages;
  std::optional<SnapshotHost> host;
  if (!options.host.empty()) {
    host = find_host(snapshot, options.host);
    std::erase_if(outages,
                  [&](const PastOutage& outage) { return !same_host(outage.host, options.host); });
    if (outages.empty() && !host) {
      std::vector<std::string> watched;
      for (const SnapshotHost& other : snapshot.hosts) watched.push_back(other.host);
      throw not_watched(options.host, watched);
    }
  }
  if (options.json) {
    fmt::print("{}", history_json(outages, host));
    return;
  }
  if (host && host->excluded) fmt::print("{}\n", describe(*host->excluded));
  if (host) fmt::print("{}", describe(host->host, host->was));
  if (outages.empty()) {
    fmt::print("no outages{} are known\n", options.host.empty() ? "" : " of " + options.host);
    return;
  }
  std::size_t width = 4;
  for (const PastOutage& outage : outages) width = std::max(width, outage.host.size());
  fmt::print("{:<{}}  {:<20}  {:<20}  cause\n", "host", width, "start", "end");
  for (const PastOutage& outage : outages) {
    fmt::print("{:<{}}  {:<20}  {:<20}  {}\n", outage.host, width, utc(outage.start),
               outage.end > 0 ? utc(outage.end) : "still", outage.cause);
  }
}

// The first few suspects of a list that is sorted by probability.
std::string describe_suspects(const OutageList& outages, std::size_t suspects) {
  if (suspects == 0) return "none suspect";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(suspects, kNamedSuspects); ++i) {
    names.push_back(fmt::format("{} {:.3g}", outages[i].host, outages[i].probability));
  }
  return fmt::format("{} suspect ({}{})", suspects, fmt::join(names, ", "),
                     suspects > kNamedSuspects ? ", ..." : "");
}

struct ServiceStatus {
  OutageList outages;
  std::int64_t milliseconds = 0;  // the answer took
  std::size_t suspects = 0;
  std::vector<std::string> excluded;
  double newest = 0;  // age of an estimate in seconds
  double oldest = 0;
  bool stale = false;
  bool is_signed = false;  // with a key that was asked for
  std::vector<std::string> warnings;
};

ServiceStatus ask_for_status(const HealthQuery& query) {
  ServiceStatus status;
  const auto start = std::chrono::steady_clock::now();
  const HealthQuery complete = completed(query);
  status.is_signed = !complete.key.empty();
  Snapshot snapshot = query_snapshot(complete);
  status.outages = most_suspect_first(snapshot);
  status.warnings = std::move(snapshot.warnings);
  for (const SnapshotHost& host : snapshot.hosts) {
    if (host.excluded) status.excluded.push_back(host.host);
  }
  const auto elapsed = std::chrono::steady_clock::now() - start;
  status.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count();
  status.newest = status.outages.empty() ? 0 : HUGE_VAL;
  for (const HostOutage& outage : status.outages) {
    status.suspects += outage.probability > 0 ? 1 : 0;
    status.newest = std::min(status.newest, outage.age_seconds);
    status.oldest = std::max(status.oldest, outage.age_seconds);
  }
  status.stale = status.newest > query.max_age_seconds;
  return status;
}

// Also says it where there is no answer. The exit status.
int print_status_json(const HealthOptions& options) {
  int status = 0;
  nlohmann::ordered_json json{{"version", 1}};
  try {
    const ServiceStatus service = ask_for_status(options.query);
    json["answers"] = true;
    json["milliseconds"] = service.milliseconds;
    json["hosts"] = service.outages.size();
    json["suspects"] = service.suspects;
    json["excluded"] = service.excluded;
    json["newest_age"] = service.newest;
    json["oldest_age"] = service.oldest;
    json["stale"] = service.stale;
    json["signed"] = service.is_signed;
    json["warnings"] = service.warnings;
    if (service.stale) status = 1;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::bad_input) throw;
    json["answers"] = false;
    json["error"] = error.what();
    status = 1;
  }
  write_output("", json_text(json));
  return status;
}

int print_status(const HealthOptions& options) {
  if (options.json) return print_status_json(options);
  const ServiceStatus service = ask_for_status(options.query);
  fmt::print(
      "The health service answers, in {} ms: {} hosts, {}; estimates are {:.0f} to {:.0f} s old.\n",
      service.milliseconds, service.outages.size(),
      describe_suspects(service.outages, service.suspects), service.newest, service.oldest);
  if (!service.excluded.empty()) {
    fmt::print("Admins excluded {}.\n", compress_hostlist(service.excluded));
  }
  fmt::print("{}\n", service.is_signed
                         ? "Its answer is signed as health_key demands."
                         : "Whoever answers there is believed: no health_key is set, see tofa(1).");
  for (const std::string& warning : service.warnings) fmt::print("It warns: {}\n", warning);
  if (!service.stale) return 0;
  fmt::print("That is stale, jobs are placed without it; is tofa-healthd running?\n");
  return 1;
}

void add_health(Command& command) {
  auto options = std::make_shared<HealthOptions>();
  command.require_subcommand(1);
  Command* lister = command.add_subcommand("list", "Outage probability of every host");
  add_query_options(*lister, options->query);
  lister->add_flag("--json", options->json, "As JSON, which --outages also reads");
  lister->footer(
      "Examples:\n"
      "  tofa health list --health 10.0.0.1:7412\n"
      "  tofa health list --json > outages.json");
  lister->callback([options] { list(*options); });
  Command* reporter = command.add_subcommand("status", "Does the service answer, how fresh is it?");
  add_query_options(*reporter, options->query);
  reporter->add_flag("--json", options->json, "As JSON, also when it does not answer");
  reporter->footer(
      "Exit status: 0 it answers, 1 it does not or what it says is stale.\n"
      "Example:\n"
      "  tofa health status --health 10.0.0.1:7412");
  reporter->callback([options, reporter] { reporter->set_exit_status(print_status(*options)); });
  Command* historian = command.add_subcommand(
      "history", "The latest outages: when they began and ended, and who noticed");
  historian->add_option("host", options->host, "Outages of this host only")->type_name("HOST");
  add_query_options(*historian, options->query);
  historian->add_flag("--json", options->json, "As JSON, times in seconds since 1970");
  historian->footer(
      "The service tells the last 1000 outages of all hosts; its database has older ones.\n"
      "Examples:\n"
      "  tofa health history\n"
      "  tofa health history n007 --json");
  historian->callback([options] { print_history(*options); });
  add_health_show(command);
  add_health_control(command);
  add_health_topology(command);
  add_health_backtest(command);
  command.footer(
      "Examples:\n"
      "  tofa health status\n"
      "  tofa health list --json > outages.json");
}

}  // namespace

extern constexpr Subcommand kHealthCommand{"health", "Ask the node-health service", add_health};

}  // namespace tofa::cli
