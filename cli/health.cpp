// SPDX-License-Identifier: BSD-3-Clause
// `tofa health list|status|history`: what does the health service say, and does it say anything at
// all?
#include <fmt/chrono.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "subcommands.hpp"
#include "tofa/error.hpp"
#include "tofa/health_query.hpp"
#include "tofa/site.hpp"

namespace tofa::cli {
namespace {

constexpr std::size_t kNamedSuspects = 8;

struct HealthOptions {
  HealthQuery query;
  bool json = false;
  std::string host;  // of the history; empty: all
};

HealthQuery completed(HealthQuery query) {
  if (query.uri.empty()) query.uri = load_site_defaults().health;
  if (query.uri.empty()) {
    throw Error(ErrorKind::bad_input, "no health service; add --health IP:PORT or set TOFA_HEALTH");
  }
  query.program = find_query_program();
  return query;
}

// The list as the service has it, most suspect first. Its age is for the reader to judge.
OutageList ask(const HealthQuery& given) {
  HealthQuery query = completed(given);
  query.max_age_seconds = std::numeric_limits<double>::infinity();
  OutageList outages = query_health(query);
  std::stable_sort(outages.begin(), outages.end(), [](const HostOutage& a, const HostOutage& b) {
    return a.probability > b.probability;
  });
  return outages;
}

void list(const HealthOptions& options) {
  const OutageList outages = ask(options.query);
  if (options.json) {
    fmt::print("{}", format_outages_json(outages));
    return;
  }
  std::size_t width = 4;
  for (const HostOutage& outage : outages) width = std::max(width, outage.host.size());
  fmt::print("{:<{}}  probability  age/s  outages/h\n", "host", width);
  for (const HostOutage& outage : outages) {
    fmt::print("{:<{}}  {:11.6f}  {:5.0f}  {:>9}\n", outage.host, width, outage.probability,
               outage.age_seconds, outage.rate < 0 ? "-" : fmt::format("{:.6f}", outage.rate));
  }
}

bool same_host(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '.');
}

std::string utc(std::int64_t time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(time)));
}

std::string history_json(const std::vector<PastOutage>& outages) {
  auto list = nlohmann::ordered_json::array();
  for (const PastOutage& outage : outages) {
    nlohmann::ordered_json entry{{"host", outage.host}, {"start", outage.start}};
    entry["end"] = outage.end ? nlohmann::ordered_json(*outage.end) : nlohmann::ordered_json();
    entry["cause"] = outage.cause;
    list.push_back(std::move(entry));
  }
  return nlohmann::ordered_json{{"version", 1}, {"outages", std::move(list)}}.dump(2) + "\n";
}

void print_history(const HealthOptions& options) {
  auto outages = query_history(completed(options.query));
  std::erase_if(outages, [&](const PastOutage& outage) {
    return !options.host.empty() && !same_host(outage.host, options.host);
  });
  if (options.json) {
    fmt::print("{}", history_json(outages));
    return;
  }
  if (outages.empty()) {
    fmt::print("no outages{} are known\n", options.host.empty() ? "" : " of " + options.host);
    return;
  }
  std::size_t width = 4;
  for (const PastOutage& outage : outages) width = std::max(width, outage.host.size());
  fmt::print("{:<{}}  {:<20}  {:<20}  cause\n", "host", width, "start", "end");
  for (const PastOutage& outage : outages) {
    fmt::print("{:<{}}  {:<20}  {:<20}  {}\n", outage.host, width, utc(outage.start),
               outage.end ? utc(*outage.end) : "still", outage.cause);
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

void print_status(const HealthOptions& options, int& status) {
  const auto start = std::chrono::steady_clock::now();
  const OutageList outages = ask(options.query);
  const auto elapsed = std::chrono::steady_clock::now() - start;
  const auto suspects = static_cast<std::size_t>(
      std::count_if(outages.begin(), outages.end(),
                    [](const HostOutage& outage) { return outage.probability > 0; }));
  double newest = outages.empty() ? 0 : HUGE_VAL;
  double oldest = 0;
  for (const HostOutage& outage : outages) {
    newest = std::min(newest, outage.age_seconds);
    oldest = std::max(oldest, outage.age_seconds);
  }
  fmt::print(
      "The health service answers, in {} ms: {} hosts, {}; estimates are {:.0f} to {:.0f} s old.\n",
      std::chrono::duration_cast<std::chrono::milliseconds>(elapsed).count(), outages.size(),
      describe_suspects(outages, suspects), newest, oldest);
  if (newest > options.query.max_age_seconds) {
    fmt::print("That is stale, jobs are placed without it; is tofa-healthd running?\n");
    status = 1;
  }
}

void add_query_options(CLI::App& command, HealthQuery& query) {
  command
      .add_option("--health,--uri", query.uri,
                  "The gateway of the health service, IP:PORT (default: $TOFA_HEALTH, then the "
                  "site file)")
      ->type_name("URI");
  command.add_option("--deadline", query.deadline_seconds, "Seconds to wait for it (default 2)")
      ->check(CLI::Range(0.01, 3600.0))
      ->type_name("SECONDS");
}

}  // namespace

void add_health(CLI::App& app, int& status) {
  auto options = std::make_shared<HealthOptions>();
  CLI::App* command = app.add_subcommand("health", "Ask the node-health service");
  command->require_subcommand(1);
  CLI::App* lister = command->add_subcommand("list", "Outage probability of every host");
  add_query_options(*lister, options->query);
  lister->add_flag("--json", options->json, "As JSON, which --outages also reads");
  lister->footer(
      "Examples:\n"
      "  tofa health list --health 10.0.0.1:7412\n"
      "  tofa health list --json > outages.json");
  lister->callback([options] { list(*options); });
  CLI::App* reporter =
      command->add_subcommand("status", "Does the service answer, how fresh is it?");
  add_query_options(*reporter, options->query);
  reporter->footer(
      "Exit status: 0 it answers, 1 it does not or what it says is stale.\n"
      "Example:\n"
      "  tofa health status --health 10.0.0.1:7412");
  reporter->callback([options, &status] { print_status(*options, status); });
  CLI::App* historian = command->add_subcommand(
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
  command->footer(
      "Examples:\n"
      "  tofa health status\n"
      "  tofa health list --json > outages.json");
}

}  // namespace tofa::cli
