// SPDX-License-Identifier: BSD-3-Clause
// What changes something, or reads the whole history, is asked of tofa-healthd itself, over its
// local socket: tofa/health_control.hpp. The gateway, which everybody may ask, changes nothing.
#include "health_control.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "common_options.hpp"
#include "control_client.hpp"
#include "health_drain.hpp"
#include "health_explain.hpp"
#include "health_service.hpp"
#include "report.hpp"
#include "tofa/error.hpp"
#include "tofa/health_control.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/outage_cause.hpp"
#include "tofa/outage_log.hpp"
#include "tofa/text.hpp"
#include "tofa/units.hpp"

namespace tofa::cli {
namespace {

struct ControlOptions : ControlClient {
  std::vector<std::string> hosts;
  std::string reason;
  std::string until;
  std::string start;
  std::string end;
  std::string cause;
  std::string into;
};

double point_in_time(const char* option, const std::string& text) {
  if (const auto time = parse_time(text)) return *time;
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{} {}: seconds since 1970 or a time like 2026-01-31T12:00, in UTC unless "
                  "it ends with an offset like +01:00, is expected",
                  option, excerpt(text)));
}

// Also a duration from now on.
double end_of_exclusion(const std::string& text) {
  if (parse_time(text)) return *parse_time(text);
  const auto seconds = parse_duration(text);
  if (!seconds) return point_in_time("--until", text);
  const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
  return std::floor(now.count() + *seconds);
}

// The request of a command about hosts, without what is special to it.
ControlRequest about_hosts(ControlCommand command, const ControlOptions& options) {
  ControlRequest request;
  request.command = command;
  // As short as it can be written, since a request has a limit.
  request.hosts =
      compress_hostlist(expand_hostlist(fmt::format("{}", fmt::join(options.hosts, ","))));
  request.reason = options.reason;
  return request;
}

void exclude(const ControlOptions& options) {
  ControlRequest request = about_hosts(ControlCommand::exclude, options);
  if (!options.until.empty()) request.end = end_of_exclusion(options.until);
  const OrderedJson answer = ask_daemon(options, request);
  if (options.json) return print_answer(answer);
  const double until = number_in(answer, "until");
  fmt::print("excluded: {}{}; jobs avoid {} until {}\n", text_in(answer, "hosts"),
             number_in(answer, "count") == 1
                 ? ""
                 : fmt::format(" ({:.0f} hosts)", number_in(answer, "count")),
             number_in(answer, "count") == 1 ? "it" : "them",
             until > 0 ? utc(until) : "somebody runs tofa health include");
}

void include(const ControlOptions& options) {
  const OrderedJson answer = ask_daemon(options, about_hosts(ControlCommand::include, options));
  if (options.json) return print_answer(answer);
  const std::string included = text_in(answer, "hosts");
  const std::string unchanged = text_in(answer, "unchanged");
  if (!included.empty()) fmt::print("in use again: {}\n", included);
  if (!unchanged.empty()) fmt::print("had not been excluded: {}\n", unchanged);
}

void add_event(const ControlOptions& options) {
  ControlRequest request = about_hosts(ControlCommand::event, options);
  request.start = point_in_time("--start", options.start);
  if (!options.end.empty()) request.end = point_in_time("--end", options.end);
  request.reason = options.cause;
  const OrderedJson answer = ask_daemon(options, request);
  if (options.json) return print_answer(answer);
  fmt::print("counted as failed: {}, from {} to {}\n", text_in(answer, "hosts"),
             utc(number_in(answer, "start")), utc(number_in(answer, "end")));
}

void merge_hosts(const ControlOptions& options) {
  ControlRequest request;
  request.command = ControlCommand::merge;
  request.hosts = options.hosts.front();
  request.into = options.into;
  request.reason = options.reason;
  const OrderedJson answer = ask_daemon(options, request);
  if (options.json) return print_answer(answer);
  fmt::print("merged: what {} did, on {:.0f} days, counts for {} now\n", text_in(answer, "hosts"),
             number_in(answer, "days"), text_in(answer, "into"));
}

// All rows of a table, piece by piece.
OrderedJson rows_of(const ControlOptions& options, bool changes) {
  ControlRequest request;
  request.changes = changes;
  auto rows = OrderedJson::array();
  while (true) {
    OrderedJson answer = ask_daemon(options, request);
    OrderedJson& piece = answer[changes ? "changes" : "outages"];
    const auto last = static_cast<std::int64_t>(number_in(answer, "last"));
    if (!piece.is_array() || piece.empty() || last <= request.after) return rows;
    std::move(piece.begin(), piece.end(), std::back_inserter(rows));
    request.after = last;
  }
}

// 2026-11-22T08:00:00.250Z; nothing where there is none.
std::string csv_time(const OrderedJson& row, const char* key) {
  const double time = number_in(row, key);
  if (time <= 0) return "";
  const double milliseconds = std::floor(time * 1000 + 0.5);
  const double seconds = std::floor(milliseconds / 1000);
  std::string text = utc(seconds);
  text.insert(text.size() - 1, fmt::format(".{:03.0f}", milliseconds - 1000 * seconds));
  return text;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"|") == std::string::npos && trim(text).size() == text.size()) {
    return text;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += c;
    quoted += c;
  }
  return quoted + "\"";
}

// What a change made of the host.
std::string state_after(const std::string& action) {
  constexpr std::array<std::pair<const char*, const char*>, 7> states{{
      {"event", "entered"},
      {"exclude", "excluded"},
      {"include", "included"},
      {"merge", "merged"},
      {"drain", "drained"},
      {"resume", "resumed"},
      {"release", "released"},
  }};
  for (const auto& [known, state] : states) {
    if (action == known) return state;
  }
  return "changed";
}

// The reason of a merge names what the host is called now.
std::string change_reason(const OrderedJson& change) {
  const std::string into = text_in(change, "into");
  return (into.empty() ? "" : into + ": ") + text_in(change, "reason");
}

// Down because its network was is no failure, for the service as for whoever replays the log.
std::string state_in(const std::string& cause) {
  return cause == kNetworkCause ? "network" : "down";
}

// Changes have states that are no failures, so that whoever replays the log passes them over.
std::string as_csv(const OrderedJson& outages, const OrderedJson& changes) {
  std::string text = "host,start,end,cause,state,time,user,uid\n";
  for (const OrderedJson& row : outages) {
    const std::string cause = text_in(row, "cause");
    text +=
        fmt::format("{},{},{},{},{},,,\n", csv_field(text_in(row, "host")), csv_time(row, "start"),
                    csv_time(row, "end"), csv_field(cause), state_in(cause));
  }
  for (const OrderedJson& row : changes) {
    const bool event = text_in(row, "action") == "event";
    text +=
        fmt::format("{},{},{},{},{},{},{},{:.0f}\n", csv_field(text_in(row, "host")),
                    csv_time(row, event ? "start" : "time"), csv_time(row, event ? "end" : "until"),
                    csv_field(event ? text_in(row, "cause") : change_reason(row)),
                    state_after(text_in(row, "action")), csv_time(row, "time"),
                    csv_field(text_in(row, "user")), number_in(row, "uid"));
  }
  return text;
}

void export_all(const ControlOptions& options) {
  OrderedJson outages = rows_of(options, false);
  std::stable_sort(outages.begin(), outages.end(), [](const OrderedJson& a, const OrderedJson& b) {
    return number_in(a, "start") < number_in(b, "start");
  });
  OrderedJson changes = rows_of(options, true);
  if (!options.json) return write_output("", as_csv(outages, changes));
  const OrderedJson all{
      {"version", 1}, {"outages", std::move(outages)}, {"changes", std::move(changes)}};
  write_output("", json_text(all));
}

void add_hosts(Command& command, ControlOptions& options) {
  command.add_option("hosts", options.hosts, "The hosts, also as lists like n[1-3]")
      ->required()
      ->take_all()
      ->type_name("HOST...");
}

void add_reason(Command& command, ControlOptions& options) {
  command.add_option("--reason", options.reason, "Why, for others to read")
      ->required()
      ->check(kNotEmpty)
      ->type_name("TEXT");
}

void add_exclude(Command& health) {
  auto options = std::make_shared<ControlOptions>();
  Command* command = health.add_subcommand("exclude", "Take hosts out of use: jobs avoid them");
  add_hosts(*command, *options);
  add_reason(*command, *options);
  command
      ->add_option("--until", options->until,
                   "When it ends by itself: a time, or from now on, like 2h (default: never)")
      ->check(kNotEmpty)
      ->type_name("TIME");
  add_control_options(*command, *options);
  command->footer(
      "What an excluded host does is no failure, and its time does not count.\n"
      "Examples:\n"
      "  tofa health exclude n007 --reason 'fan replaced' --until 2h\n"
      "  tofa health exclude n[100-131] --reason 'new switch' --until 2026-12-01T18:00+01:00");
  command->callback([options] { exclude(*options); });
}

void add_include(Command& health) {
  auto options = std::make_shared<ControlOptions>();
  Command* command =
      health.add_subcommand("include", "Put hosts that were excluded into use again");
  add_hosts(*command, *options);
  command->add_option("--reason", options->reason, "Why, for the record")->type_name("TEXT");
  add_control_options(*command, *options);
  command->footer("Example:\n  tofa health include n007");
  command->callback([options] { include(*options); });
}

void add_events(Command& health) {
  auto options = std::make_shared<ControlOptions>();
  Command* command = health.add_subcommand("event", "Enter what the service did not notice");
  command->require_subcommand(1);
  command->footer("What can be entered: tofa health event add --help");
  Command* adder = command->add_subcommand("add", "An outage, which counts like any other");
  add_hosts(*adder, *options);
  adder->add_option("--start", options->start, "When it began")
      ->required()
      ->check(kNotEmpty)
      ->type_name("TIME");
  adder->add_option("--end", options->end, "When it was over (default: now)")
      ->check(kNotEmpty)
      ->type_name("TIME");
  options->cause = "manual";
  adder->add_option("--cause", options->cause, "One word")
      ->capture_default_str()
      ->check(kNotEmpty)
      ->type_name("WORD");
  add_control_options(*adder, *options);
  adder->footer(
      "Times are in UTC unless they end with an offset.\n"
      "Example:\n"
      "  tofa health event add n007 --start 2026-11-20T08:00 --end 2026-11-20T09:30 --cause gpu");
  adder->callback([options] { add_event(*options); });
}

void add_merge(Command& health) {
  auto options = std::make_shared<ControlOptions>();
  options->hosts.resize(1);
  Command* command = health.add_subcommand(
      "merge", "A host has another name: what it did under the old one counts for the new one");
  command->add_option("old", options->hosts.front(), "Its name before")
      ->required()
      ->type_name("OLD");
  command->add_option("new", options->into, "Its name now")->required()->type_name("NEW");
  add_reason(*command, *options);
  add_control_options(*command, *options);
  command->footer(
      "The old name must not be watched any more. This cannot be undone.\n"
      "Example:\n"
      "  tofa health merge n007 gpu07 --reason 'renamed with the new rack'");
  command->callback([options] { merge_hosts(*options); });
}

void add_export(Command& health) {
  auto options = std::make_shared<ControlOptions>();
  Command* command =
      health.add_subcommand("export", "All outages and changes that the service remembers, as CSV");
  add_control_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  tofa health export > history.csv\n"
      "  tofa health backtest --log history.csv --hosts n[000-511]");
  command->callback([options] { export_all(*options); });
}

}  // namespace

void add_health_control(Command& health) {
  add_exclude(health);
  add_include(health);
  add_events(health);
  add_merge(health);
  add_export(health);
  add_health_explain(health);
  add_health_drain(health);
}

}  // namespace tofa::cli
