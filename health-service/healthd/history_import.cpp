// SPDX-License-Identifier: BSD-3-Clause
// Host by host: which of its outages are new, what its estimate learns from the time before its own
// history begins, and the days from which its rate follows.
#include "healthd/history_import.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <limits>
#include <set>
#include <unordered_map>

#include "healthd/exposure.hpp"
#include "healthd/store.hpp"
#include "tofa/error.hpp"
#include "tofa/file_io.hpp"
#include "tofa/outage_cause.hpp"

namespace tofa::health {
namespace {

constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1;  // second, by which logs round

// What the database knows of a host.
struct KnownHost {
  const HostRecord* record = nullptr;
  std::vector<TimeSpan> outages;
  std::set<std::int64_t> days;
};

std::unordered_map<std::string, KnownHost> known_hosts(const StoreContents& saved) {
  std::unordered_map<std::string, KnownHost> known;
  for (const HostRecord& record : saved.hosts) known[record.name].record = &record;
  for (const StoredOutage& outage : saved.outages) {
    known[outage.host].outages.push_back({outage.start, outage.end.value_or(kForever)});
  }
  for (const HostDay& day : saved.days) known[day.host].days.insert(day.day.day);
  return known;
}

bool overlaps(const std::vector<TimeSpan>& outages, const TimeSpan& other) {
  return std::any_of(outages.begin(), outages.end(), [&other](const TimeSpan& outage) {
    return other.from <= outage.to + kSlack && other.to >= outage.from - kSlack;
  });
}

class HostImport {
 public:
  HostImport(const std::string& name, const HealthdConfig& config, KnownHost& known,
             ImportPlan& plan)
      : name_(name), config_(config), known_(known), plan_(plan) {}

  // In the order of time.
  void add(const LoggedOutage& outage, double log_end) {
    const bool lasts = std::isinf(outage.end);
    // One that lasts at the end of the log was over at some time that nobody knows.
    const TimeSpan span{std::max(0.0, outage.start),
                        std::max(0.0, lasts ? std::max(outage.start, log_end) : outage.end)};
    logged_.push_back(span);
    if (overlaps(known_.outages, span)) {
      ++plan_.known;
      return;
    }
    const std::string reason = as_cause("log: " + outage.cause);
    plan_.added.outages.push_back(
        {name_, span.from, span.to, !lasts, reason == "log:" ? "log" : reason});
  }

  // Once all outages are added.
  void learn(TimeSpan span, double now) {
    HostEvidence evidence(config_.estimator.half_life_days);
    if (known_.record != nullptr && known_.record->method == "gamma") {
      evidence.restore(known_.record->estimate);
    }
    const double begins = own_history_begins(evidence);
    span.to = std::min(span.to, begins);
    if (span.to <= span.from || (begins < kForever && covers(begins, span.from))) return;
    add_days(span, now);
    if (config_.estimator.method != "gamma") return;
    HostRecord record;
    record.name = name_;
    record.method = "gamma";
    if (known_.record != nullptr) record = *known_.record;
    if (record.method != "gamma") return;  // the daemon learns from the days
    evidence.add_earlier(evidence_of(span));
    record.estimate = evidence.save();
    plan_.added.hosts.push_back(std::move(record));
  }

 private:
  double own_history_begins(const HostEvidence& evidence) const {
    double begin = evidence.watched_since();
    for (const TimeSpan& outage : known_.outages) begin = std::min(begin, outage.from);
    if (!known_.days.empty()) {
      begin = std::min(begin, kDay * static_cast<double>(*known_.days.begin()));
    }
    return begin;
  }

  // Whether there is nothing between two times but what watched_since() cannot know: the time
  // during which the host was out.
  bool covers(double begins, double from) const {
    double out = 0;
    for (const TimeSpan& outage : logged_) out += outage.to - outage.from;
    return begins - from < kDay + out;
  }

  HostEvidence evidence_of(const TimeSpan& span) const {
    HostEvidence evidence(config_.estimator.half_life_days);
    double from = span.from;
    // By the day, since what is long ago counts less.
    const auto watch_until = [&](double to) {
      for (; from < to; from = std::min(to, from + kDay)) {
        evidence.watch(from, std::min(to, from + kDay));
      }
    };
    for (const TimeSpan& outage : logged_) {
      if (outage.from >= span.to) break;
      watch_until(outage.from);
      evidence.fail(std::max(from, outage.from));
      from = std::clamp(outage.to, from, span.to);
      evidence.recover(from);
    }
    watch_until(span.to);
    return evidence;
  }

  void add_days(const TimeSpan& span, double now) {
    const auto oldest = static_cast<std::int64_t>(now / kDay) - config_.rate_days + 1;
    const auto first = std::max(oldest, static_cast<std::int64_t>(span.from / kDay));
    for (std::int64_t day = first; kDay * static_cast<double>(day) < span.to; ++day) {
      if (known_.days.contains(day)) continue;
      const double begin = std::max(span.from, kDay * static_cast<double>(day));
      const double end = std::min(span.to, kDay * static_cast<double>(day + 1));
      Day row{day, end - begin, 0};
      for (const TimeSpan& outage : logged_) {
        if (outage.from >= begin && outage.from < end) ++row.outages;
        row.up_seconds -= std::max(0.0, std::min(end, outage.to) - std::max(begin, outage.from));
      }
      row.up_seconds = std::max(0.0, row.up_seconds);
      plan_.added.days.push_back({name_, row});
    }
  }

  const std::string& name_;
  const HealthdConfig& config_;
  KnownHost& known_;
  ImportPlan& plan_;
  std::vector<TimeSpan> logged_;
};

std::string date_of(double time) {
  return fmt::format("{:%F}", fmt::gmtime(static_cast<std::time_t>(time)));
}

// A database that another user made, or that is made for another user, the daemon could not open.
void refuse_wrong_user(const std::string& database) {
  struct stat info {};
  const std::filesystem::path folder = std::filesystem::absolute(database).parent_path();
  if (::stat(folder.c_str(), &info) != 0 || info.st_uid == ::geteuid()) return;
  throw Error(ErrorKind::unavailable, database, 0,
              fmt::format("its folder belongs to the user with number {}: import as that user, for "
                          "instance with runuser -u tofa --",
                          info.st_uid));
}

std::string summary_of(const std::string& file, const OutageLog& log, const ImportPlan& plan) {
  std::string text = fmt::format("{}: {} outages from {} to {}\nadded: {}\nknown already: {}\n",
                                 file, log.outages.size(), date_of(log.span.from),
                                 date_of(log.span.to), plan.added.outages.size(), plan.known);
  if (plan.of_others > 0) {
    text += fmt::format("of hosts that are not configured, such as {}: {}\n", plan.other,
                        plan.of_others);
  }
  if (log.planned > 0) text += fmt::format("lines of planned work, no failures: {}\n", log.planned);
  text +=
      fmt::format("hosts whose estimates reach further back now: {}\n", plan.added.hosts.size());
  return text;
}

}  // namespace

ImportPlan plan_import(const OutageLog& log, const HealthdConfig& config,
                       const StoreContents& saved, double now) {
  const std::vector<std::string> names = names_of(config.hosts);
  const OutageLog ours = log_of_hosts(log, names);
  ImportPlan plan;
  plan.of_others = log.outages.size() - ours.outages.size();
  const HostIndex index(names);
  const auto other = std::find_if(log.hosts.begin(), log.hosts.end(),
                                  [&index](const std::string& host) { return !index.find(host); });
  if (other != log.hosts.end()) plan.other = *other;
  auto known = known_hosts(saved);
  std::vector<HostImport> imports;
  imports.reserve(names.size());
  for (const std::string& name : names) imports.emplace_back(name, config, known[name], plan);
  for (const LoggedOutage& outage : ours.outages) imports[outage.host].add(outage, log.span.to);
  const TimeSpan span{std::max(0.0, log.span.from), log.span.to};
  for (HostImport& import : imports) import.learn(span, now);
  return plan;
}

std::string import_history(const std::string& file, const HealthdConfig& config, double now) {
  const std::string name = file == "-" ? "standard input" : file;
  const OutageLog log = parse_outage_log(read_file(file == "-" ? "/dev/stdin" : file), name);
  if (log.span.to > now + kDay) {
    throw Error(ErrorKind::bad_input, name, 0,
                fmt::format("tells of {}, which is in the future", date_of(log.span.to)));
  }
  refuse_wrong_user(config.database);
  Store store(config.database);
  if (!store.only_in_memory().empty()) {
    throw Error(ErrorKind::unavailable, "nothing is imported: " + store.only_in_memory());
  }
  const ImportPlan plan = plan_import(log, config, store.read(), now);
  store.add(plan.added);
  return (store.damage().empty() ? "" : store.damage() + "\n") + summary_of(name, log, plan);
}

}  // namespace tofa::health
