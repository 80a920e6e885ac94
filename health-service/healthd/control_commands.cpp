// SPDX-License-Identifier: BSD-3-Clause
// Each command makes the rows of the table of changes first. Errors become answers where they are
// caught, so that they can be handed from one thread to the other.
#include "healthd/control_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>
#include <utility>

#include "healthd/earlier_host.hpp"
#include "healthd/host_explanation.hpp"
#include "tofa/error.hpp"
#include "tofa/health_control.hpp"
#include "tofa/host_index.hpp"
#include "tofa/hostlist.hpp"
#include "tofa/text.hpp"

namespace tofa::health {
namespace {

using AnswerJson = nlohmann::ordered_json;

constexpr std::size_t kNamedStrangers = 5;
constexpr std::int64_t kExportedAtOnce = 5'000;
constexpr std::size_t kMostListed = 1'000'000;  // before those that are unknown are refused

[[noreturn]] void decline(const std::string& why) {
  throw Error(ErrorKind::unmet, why);
}

std::string as_line(const AnswerJson& json) {
  return json.dump(-1, ' ', false, AnswerJson::error_handler_t::replace) + "\n";
}

// Positions in the fleet, none twice, in the order of the list.
std::vector<std::size_t> find_hosts(const std::string& list, const HealthdConfig& config) {
  std::vector<std::string> names;
  for (const HostConfig& host : config.hosts) names.push_back(host.name);
  const HostIndex index(std::move(names));
  std::vector<std::size_t> hosts;
  std::vector<std::string> strangers;
  std::set<std::size_t> known;
  for (const std::string& name : expand_hostlist(list, kMostListed)) {
    const auto found = index.find(name);
    if (!found) {
      strangers.push_back(name);
    } else if (known.insert(*found).second) {
      hosts.push_back(*found);
    }
  }
  if (!strangers.empty()) {
    const std::size_t count = strangers.size();
    const std::string meant = did_you_mean(strangers.front(), index.names());
    if (count > kNamedStrangers) strangers.resize(kNamedStrangers);
    for (std::string& name : strangers) name = excerpt(name);
    decline(fmt::format("the health service does not watch {}{}{}; nothing was changed",
                        fmt::join(strangers, ", "), count > kNamedStrangers ? ", ..." : "",
                        count == 1 ? meant : ""));
  }
  if (hosts.empty()) throw Error(ErrorKind::bad_input, "the list has no hosts");
  return hosts;
}

// The answer to what went wrong, if anything did.
template <class Deed>
std::optional<std::string> error_of(const Deed& deed) {
  try {
    deed();
  } catch (const Error& error) {
    return format_control_error(error);
  } catch (const std::exception& error) {  // no command ends the daemon
    return format_control_error(Error(ErrorKind::unavailable, error.what()));
  }
  return std::nullopt;
}

ChangeKind kind_of(ControlCommand command) {
  if (command == ControlCommand::event) return ChangeKind::event;
  return command == ControlCommand::include ? ChangeKind::include : ChangeKind::exclude;
}

std::string export_outages(Store& store, std::int64_t after) {
  auto rows = AnswerJson::array();
  std::int64_t last = after;
  for (const auto& [id, outage] : store.outages_after(after, kExportedAtOnce)) {
    last = id;
    AnswerJson row{{"host", outage.host}, {"start", outage.start}, {"end", nullptr}};
    if (outage.end) row["end"] = *outage.end;
    row["cause"] = outage.cause;
    row["observed"] = outage.observed;
    rows.push_back(std::move(row));
  }
  return as_line({{"version", 1}, {"outages", std::move(rows)}, {"last", last}});
}

std::string export_changes(Store& store, std::int64_t after) {
  auto rows = AnswerJson::array();
  std::int64_t last = after;
  for (const Change& change : store.changes_after(after, kExportedAtOnce)) {
    last = change.id;
    AnswerJson row{{"id", change.id},
                   {"time", change.time},
                   {"uid", change.uid},
                   {"user", change.user},
                   {"action", name_of(change.kind)},
                   {"host", change.host}};
    row[change.kind == ChangeKind::event ? "cause" : "reason"] = change.reason;
    if (change.kind == ChangeKind::event) row["start"] = change.start;
    if (!change.into.empty()) row["into"] = change.into;
    if (change.end) row[change.kind == ChangeKind::event ? "end" : "until"] = *change.end;
    rows.push_back(std::move(row));
  }
  return as_line({{"version", 1}, {"changes", std::move(rows)}, {"last", last}});
}

}  // namespace

ControlTask::ControlTask(const std::string& request, Caller caller, double time,
                         const Controlled& on)
    : caller_(std::move(caller)), time_(time) {
  std::string explanation;
  answer_ = error_of([&] {
    request_ = parse_control_request(request);
    prepare(on);
    if (request_.command == ControlCommand::explain) explanation = explain(on);
    if (request_.command == ControlCommand::drain) explanation = tell_drains(on);
  });
  if (!explanation.empty()) answer_ = std::move(explanation);
}

void ControlTask::prepare(const Controlled& on) {
  switch (request_.command) {
    case ControlCommand::exclude:
      if (request_.end && *request_.end <= time_) {
        decline("the time of --until has passed already");
      }
      return make_changes(find_hosts(request_.hosts, on.config), on);
    case ControlCommand::include:
      return make_changes(excluded(on), on);
    case ControlCommand::event:
      check_event(on.config);
      return make_changes(find_hosts(request_.hosts, on.config), on);
    case ControlCommand::merge:
      return prepare_merge(on);
    case ControlCommand::export_rows:
    case ControlCommand::drain:
    case ControlCommand::explain:
      return;
  }
}

void ControlTask::prepare_merge(const Controlled& on) {
  const std::size_t host = find_hosts(request_.into, on.config).front();
  for (const HostConfig& watched : on.config.hosts) {
    if (watched.name != request_.hosts) continue;
    decline(
        fmt::format("{} is still watched; take it out of the configuration first", watched.name));
  }
  host_ = on.fleet.state(host);
  method_ = on.config.estimator;
  changes_.push_back({.time = time_,
                      .uid = caller_.uid,
                      .user = caller_.user,
                      .kind = ChangeKind::merge,
                      .host = request_.hosts,
                      .reason = request_.reason,
                      .start = time_,
                      .into = host_.record.name});
}

// What is recorded of the old name is in the database only.
void ControlTask::merge(Store& store) {
  earlier_ = earlier_host(store.read(), request_.hosts);
  refuse_two_at_once(earlier_, host_);
  HostState both = merged(host_, earlier_, method_);
  for (const Day& day : both.days) days_.push_back({both.record.name, day});
  records_.push_back(std::move(both.record));
}

void ControlTask::finish_merge(const Controlled& on) const {
  for (std::size_t i = 0; i < on.fleet.size(); ++i) {
    if (on.fleet.name(i) == changes_.front().into) on.fleet.add_earlier(i, earlier_);
  }
  on.history.rename(changes_.front());
  if (on.drained != nullptr) on.drained->apply(changes_.front(), true);
}

std::string ControlTask::explain(const Controlled& on) const {
  const auto hosts = find_hosts(request_.hosts, on.config);
  if (hosts.size() > 1) decline("one host is explained at a time");
  const auto explained = on.fleet.explain(hosts.front(), time_, request_.horizon);
  if (!explained) decline("nothing is known of that host yet");
  return explain_host(*explained, on.exclusions.find(explained->host.host, time_), on.history,
                      request_.horizon);
}

std::string ControlTask::tell_drains(const Controlled& on) const {
  std::vector<std::string> asked;
  if (!request_.hosts.empty()) {
    for (const std::size_t host : find_hosts(request_.hosts, on.config)) {
      asked.push_back(on.fleet.name(host));
    }
  }
  return format_drains(on.drains == nullptr ? DrainBoard() : *on.drains, asked);
}

// Of the hosts that are asked for; the others stay as they are.
std::vector<std::size_t> ControlTask::excluded(const Controlled& on) {
  std::vector<std::size_t> found;
  std::vector<std::string> others;
  for (const std::size_t host : find_hosts(request_.hosts, on.config)) {
    if (on.exclusions.find(on.fleet.name(host), time_) != nullptr) {
      found.push_back(host);
    } else {
      others.push_back(on.fleet.name(host));
    }
  }
  unchanged_ = compress_hostlist(others);
  return found;
}

void ControlTask::check_event(const HealthdConfig& config) const {
  if (request_.start > time_ || end_of_event() > time_) decline("the event is not over yet");
  if (request_.start < time_ - config.history_days * kDay) {
    decline(
        fmt::format("the event began more than {} days ago, for which outages are kept "
                    "(history_days of [state])",
                    config.history_days));
  }
}

void ControlTask::make_changes(const std::vector<std::size_t>& hosts, const Controlled& on) {
  const ChangeKind kind = kind_of(request_.command);
  const bool event = kind == ChangeKind::event;
  for (const std::size_t host : hosts) {
    changes_.push_back({.time = time_,
                        .uid = caller_.uid,
                        .user = caller_.user,
                        .kind = kind,
                        .host = on.fleet.name(host),
                        .reason = request_.reason,
                        .start = event ? request_.start : time_,
                        .end = event ? std::optional(end_of_event()) : request_.end});
    if (!event) continue;
    auto [record, day] = on.fleet.with_outage(host, request_.start, end_of_event());
    records_.push_back(std::move(record));
    days_.push_back(std::move(day));
  }
}

void ControlTask::run(Store& store) {
  if (!needs_store()) return;
  answer_ = error_of([&] {
    if (request_.command == ControlCommand::merge) merge(store);
    if (!is_export()) store.save_changes(changes_, records_, days_);
  });
  if (answer_ || !is_export()) return;
  std::string rows;
  answer_ = error_of([&] {
    rows = request_.changes ? export_changes(store, request_.after)
                            : export_outages(store, request_.after);
  });
  if (!answer_) answer_ = std::move(rows);
}

ControlAnswer ControlTask::finish(const Controlled& on) {
  if (answer_) return {*answer_};
  for (const Change& change : changes_) on.exclusions.apply(change);
  if (request_.command == ControlCommand::event) add_events(on);
  if (request_.command == ControlCommand::merge) finish_merge(on);
  return {acknowledge(), deed()};
}

void ControlTask::add_events(const Controlled& on) const {
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < on.fleet.size(); ++i) places.emplace(on.fleet.name(i), i);
  for (const Change& event : changes_) {
    const auto found = places.find(event.host);
    if (found != places.end()) on.fleet.add_outage(found->second, event.start, *event.end);
    on.history.insert({event.host, event.start, *event.end, event.reason});
  }
}

std::string ControlTask::acknowledge() const {
  AnswerJson answer{{"version", 1}, {"hosts", hosts()}, {"count", changes_.size()}};
  if (request_.command == ControlCommand::exclude && request_.end) answer["until"] = *request_.end;
  if (request_.command == ControlCommand::include) answer["unchanged"] = unchanged_;
  if (request_.command == ControlCommand::event) {
    answer["start"] = request_.start;
    answer["end"] = end_of_event();
  }
  if (request_.command == ControlCommand::merge) {
    answer["into"] = changes_.front().into;
    answer["days"] = days_.size();
  }
  return as_line(answer);
}

std::string ControlTask::deed() const {
  if (changes_.empty()) return "";
  const std::string& reason = request_.reason;
  switch (request_.command) {
    case ControlCommand::exclude:
      return fmt::format("{} excluded {} ({})", caller_.user, hosts(), reason);
    case ControlCommand::include:
      return fmt::format("{} included {}{}", caller_.user, hosts(),
                         reason.empty() ? "" : " (" + reason + ")");
    case ControlCommand::event:
      return fmt::format("{} entered an outage of {} ({})", caller_.user, hosts(), reason);
    case ControlCommand::merge:
      return fmt::format("{} merged {} into {} ({})", caller_.user, hosts(), changes_.front().into,
                         reason);
    case ControlCommand::export_rows:
    case ControlCommand::drain:
    case ControlCommand::explain:
      break;
  }
  return "";
}

std::string ControlTask::hosts() const {
  std::vector<std::string> names;
  for (const Change& change : changes_) names.push_back(change.host);
  return compress_hostlist(names);
}

}  // namespace tofa::health
