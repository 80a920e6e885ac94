// SPDX-License-Identifier: BSD-3-Clause
// Each command makes the rows of the table of changes, has them saved, and applies them.
#include "healthd/control_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

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

class Command {
 public:
  Command(const ControlRequest& request, const Caller& caller, double time, const Controlled& on)
      : request_(request), caller_(caller), time_(time), on_(on) {}

  ControlAnswer run() {
    switch (request_.command) {
      case ControlCommand::exclude:
        return exclude();
      case ControlCommand::include:
        return include();
      case ControlCommand::event:
        return add_event();
      case ControlCommand::export_rows:
        return {request_.changes ? export_changes() : export_outages(), ""};
    }
    return {};
  }

 private:
  ControlAnswer exclude() {
    if (request_.end && *request_.end <= time_) decline("the time of --until has passed already");
    const auto hosts = find_hosts(request_.hosts, on_.config);
    AnswerJson answer = save(ChangeKind::exclude, hosts, time_);
    for (const Change& change : changes_) on_.exclusions.apply(change);
    if (request_.end) answer["until"] = *request_.end;
    return {as_line(answer),
            fmt::format("{} excluded {} ({})", caller_.user, list_, request_.reason)};
  }

  ControlAnswer include() {
    std::vector<std::size_t> excluded;
    std::vector<std::string> others;
    for (const std::size_t host : find_hosts(request_.hosts, on_.config)) {
      if (on_.exclusions.find(on_.fleet.name(host), time_) != nullptr) {
        excluded.push_back(host);
      } else {
        others.push_back(on_.fleet.name(host));
      }
    }
    AnswerJson answer = save(ChangeKind::include, excluded, time_);
    for (const Change& change : changes_) on_.exclusions.apply(change);
    answer["unchanged"] = compress_hostlist(others);
    if (excluded.empty()) return {as_line(answer), ""};
    return {as_line(answer),
            fmt::format("{} included {}{}", caller_.user, list_,
                        request_.reason.empty() ? "" : " (" + request_.reason + ")")};
  }

  ControlAnswer add_event() {
    const double end = request_.end.value_or(time_);
    if (request_.start > time_ || end > time_) decline("the event is not over yet");
    if (request_.start < time_ - on_.config.history_days * kDay) {
      decline(
          fmt::format("the event began more than {} days ago, for which outages are kept "
                      "(history_days of [state])",
                      on_.config.history_days));
    }
    const auto hosts = find_hosts(request_.hosts, on_.config);
    AnswerJson answer = save(ChangeKind::event, hosts, request_.start, end);
    for (const std::size_t host : hosts) {
      on_.fleet.add_outage(host, request_.start, end);
      on_.history.insert({on_.fleet.name(host), request_.start, end, request_.reason});
    }
    answer["start"] = request_.start;
    answer["end"] = end;
    return {as_line(answer),
            fmt::format("{} entered an outage of {} ({})", caller_.user, list_, request_.reason)};
  }

  // The beginning of an answer. Throws where nothing can be saved.
  AnswerJson save(ChangeKind kind, const std::vector<std::size_t>& hosts, double start,
                  std::optional<double> end = std::nullopt) {
    std::vector<HostRecord> records;
    std::vector<HostDay> days;
    std::vector<std::string> names;
    for (const std::size_t host : hosts) {
      names.push_back(on_.fleet.name(host));
      changes_.push_back({.time = time_,
                          .uid = caller_.uid,
                          .user = caller_.user,
                          .kind = kind,
                          .host = names.back(),
                          .reason = request_.reason,
                          .start = start,
                          .end = end ? end : request_.end});
      if (kind != ChangeKind::event) continue;
      auto [record, day] = on_.fleet.with_outage(host, start, *end);
      records.push_back(std::move(record));
      days.push_back(std::move(day));
    }
    if (!changes_.empty()) on_.store.save_changes(changes_, records, days);
    list_ = compress_hostlist(names);
    return {{"version", 1}, {"hosts", list_}, {"count", names.size()}};
  }

  std::string export_outages() {
    auto rows = AnswerJson::array();
    std::int64_t last = request_.after;
    for (const auto& [id, outage] : on_.store.outages_after(request_.after, kExportedAtOnce)) {
      last = id;
      AnswerJson row{{"host", outage.host}, {"start", outage.start}, {"end", nullptr}};
      if (outage.end) row["end"] = *outage.end;
      row["cause"] = outage.cause;
      row["observed"] = outage.observed;
      rows.push_back(std::move(row));
    }
    return as_line({{"version", 1}, {"outages", std::move(rows)}, {"last", last}});
  }

  std::string export_changes() {
    auto rows = AnswerJson::array();
    std::int64_t last = request_.after;
    for (const Change& change : on_.store.changes_after(request_.after, kExportedAtOnce)) {
      last = change.id;
      AnswerJson row{{"id", change.id},
                     {"time", change.time},
                     {"uid", change.uid},
                     {"user", change.user},
                     {"action", name_of(change.kind)},
                     {"host", change.host}};
      row[change.kind == ChangeKind::event ? "cause" : "reason"] = change.reason;
      if (change.kind == ChangeKind::event) row["start"] = change.start;
      if (change.end) row[change.kind == ChangeKind::event ? "end" : "until"] = *change.end;
      rows.push_back(std::move(row));
    }
    return as_line({{"version", 1}, {"changes", std::move(rows)}, {"last", last}});
  }

  const ControlRequest& request_;
  const Caller& caller_;
  double time_;
  const Controlled& on_;
  std::vector<Change> changes_;
  std::string list_;  // of the hosts that are changed
};

}  // namespace

ControlAnswer answer_control(const std::string& request, const Caller& caller, double time,
                             const Controlled& controlled) {
  try {
    return Command(parse_control_request(request), caller, time, controlled).run();
  } catch (const Error& error) {
    return {format_control_error(error), ""};
  } catch (const std::exception& error) {  // no command ends the daemon
    return {format_control_error(Error(ErrorKind::unavailable, error.what())), ""};
  }
}

}  // namespace tofa::health
