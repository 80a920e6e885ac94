// SPDX-License-Identifier: BSD-3-Clause
// Observations change a host in record() only; everything else here carries its state over restarts
// and changes of the configuration, or reads it.
#include "healthd/fleet.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "healthd/earlier_host.hpp"
#include "tofa/error.hpp"

namespace tofa::health {
namespace {

// Between two observations that count as one stretch of being up: what the slowest source may need.
constexpr double kLongestGap = 900;

constexpr double kSameBoot = 60;          // seconds by which times of one boot differ at most
constexpr std::size_t kFewestAtOnce = 3;  // that start anew for a common reason

}  // namespace

Fleet::Fleet(const HealthdConfig& config)
    : method_(config.estimator),
      floor_(config.floor),
      down_after_(config.down_after),
      share_(config.network.share),
      period_(config.period) {
  hosts_.reserve(config.hosts.size());
  for (const HostConfig& host : config.hosts) {
    Host& added = hosts_.emplace_back();
    added.record.name = host.name;
    added.host_class = host.host_class;
    added.record.method = config.estimator.method;
    added.exposure = Exposure(config.rate_days);
    added.estimator = make_estimator(config.estimator);
  }
}

std::size_t Fleet::down_hosts() const {
  return static_cast<std::size_t>(std::count_if(hosts_.begin(), hosts_.end(),
                                                [](const Host& host) { return !host.record.up; }));
}

std::optional<Transition> Fleet::record(std::size_t index, const Observation& observation,
                                        double time) {
  Host& host = hosts_[index];
  if (observation.up && observation.tentative && !host.record.up) return std::nullopt;
  const bool was_planned = std::exchange(host.planned, observation.planned);
  host.unreachable = observation.unreachable;
  if (observation.planned) return record_planned(host, observation, time);
  if (host.unreachable && !observation.certain) {
    host.record.misses_in_row = 0;
    return std::nullopt;
  }
  const bool seen_before = host.record.seen;
  host.record.seen = host.record.seen || observation.seen;
  const double gap = time - std::exchange(host.polled, time);
  if (gap > 0 && gap <= kLongestGap) host.period = gap;
  if (!observation.up) return record_miss(host, observation, time);
  if (host.record.seen) host.estimator->record(true);
  if (host.record.up && !was_planned && gap > 0 && gap <= kLongestGap) {
    host.exposure.add_up(time, gap);
    host.estimator->watch(time - gap, time);
  }
  return record_up(host, time, seen_before);
}

// Its answers still tell that it is up; nothing else counts.
std::optional<Transition> Fleet::record_planned(Host& host, const Observation& observation,
                                                double time) const {
  host.polled = time;
  host.record.misses_in_row = 0;
  if (!observation.up || !observation.seen) return std::nullopt;
  const bool seen_before = std::exchange(host.record.seen, true);
  return record_up(host, time, seen_before);
}

std::size_t Fleet::forgive_restarts(const std::vector<std::optional<Observation>>& round) {
  if (!boots_restored_) return 0;
  std::size_t heard = 0;
  std::size_t changed = 0;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i].boot_known_until == 0 || !round[i]) continue;
    const Observation& now = *round[i];
    if (!now.up || now.tentative || now.planned || now.boot == 0) continue;
    ++heard;
    if (now.boot != hosts_[i].record.boot) ++changed;
  }
  // They answer over several rounds, and each is heard for the first time once.
  restarts_heard_ += heard;
  restarts_changed_ += changed;
  if (restarts_changed_ < kFewestAtOnce ||
      static_cast<double>(restarts_changed_) < share_ * static_cast<double>(restarts_heard_)) {
    return 0;
  }
  boots_restored_ = false;
  for (Host& host : hosts_) {
    // Also those that are not back yet.
    if (std::exchange(host.boot_known_until, 0) > 0) host.record.boot = 0;
  }
  return changed;
}

// Sources name boots in ways of their own, so each is compared with what it said before. The time
// of a boot is a little different whenever a node reports it; one before the host was seen to come
// back is known already.
bool Fleet::has_restarted(Host& host, const Observation& observation) {
  bool restarted = false;
  if (observation.boot != 0) {
    const std::uint64_t before = std::exchange(host.record.boot, observation.boot);
    restarted = before != 0 && before != observation.boot;
  }
  if (observation.booted > 0) {
    const double before = std::exchange(host.booted, observation.booted);
    restarted = restarted || (before > 0 && observation.booted > before + kSameBoot &&
                              observation.booted > host.record.since);
  }
  return restarted;
}

std::vector<Transition> Fleet::record_restart(std::size_t index, const Observation& observation,
                                              double time) {
  Host& host = hosts_[index];
  // Who might say that it was planned is waited for.
  if (!observation.up || observation.tentative) return {};
  const double known_until = observation.boot == 0 ? 0 : std::exchange(host.boot_known_until, 0);
  if (!has_restarted(host, observation)) return {};
  // An outage that was noticed is counted already, and one that was planned is none.
  if (!host.record.up || host.planned || observation.planned) return {};
  for (unsigned i = 0; i < down_after_; ++i) host.estimator->record(false);
  // Nobody knows when it was back where nobody looked.
  const bool looked = known_until == 0;
  const double start =
      looked ? (host.polled == 0 ? time : host.polled) : std::min(known_until, time);
  const double end = looked ? time : start;
  fail(host, start);
  host.estimator->recover(end);
  host.record.since = time;
  host.record.misses_in_row = 0;
  return {{host.record.name, false, start, true, "reboot"},
          {host.record.name, true, end, true, "heartbeat", looked}};
}

std::optional<Transition> Fleet::record_up(Host& host, double time, bool seen_before) const {
  HostRecord& record = host.record;
  record.misses_in_row = 0;
  host.reported_down = false;
  const double looked_until = std::exchange(host.looked_until, 0);
  if (record.up) return std::nullopt;
  record.up = true;
  record.since = time;
  Transition transition{record.name, true, time, seen_before};
  if (looked_until > 0) {
    transition.time = std::min(looked_until, time);  // a clock may have been ahead then
    transition.observed = false;
  }
  host.estimator->recover(transition.time);
  host.within.reset();
  return transition;
}

std::optional<Transition> Fleet::record_miss(Host& host, const Observation& observation,
                                             double time) const {
  HostRecord& record = host.record;
  host.looked_until = 0;
  ++record.misses;
  if (host.first_miss == 0 || record.misses_in_row == 0) {
    host.first_miss = time;
    host.withheld = 0;
  }
  ++host.withheld;
  // Counting further would only change the record of a dead host with every round.
  record.misses_in_row =
      observation.certain ? down_after_ : std::min(record.misses_in_row + 1, down_after_);
  if (record.misses_in_row < down_after_) return std::nullopt;
  // Down because its network is says nothing about the host.
  const bool failed = !observation.unreachable;
  for (; host.withheld > 0; --host.withheld) {
    if (record.seen && failed) host.estimator->record(false);
  }
  if (host.reported_down) return std::nullopt;
  if (record.up) {
    record.since = host.first_miss;
    // Not again when the outage went on while this daemon was not running.
    if (record.seen && failed) fail(host, host.first_miss);
  }
  record.up = false;
  host.reported_down = true;
  return Transition{record.name, false, host.first_miss, record.seen,
                    std::string(observation.cause)};
}

void Fleet::fail(Host& host, double start) const {
  host.exposure.add_outage(start);
  host.estimator->fail(start);
  host.within.reset();
}

// With Slurm alone, an answer of it is what a heartbeat is elsewhere.
HeartbeatTimes Fleet::observations(const Host& host) const {
  return {host.polled, host.period > 0 ? host.period : period_};
}

std::pair<HostRecord, HostDay> Fleet::with_outage(std::size_t index, double start,
                                                  double end) const {
  const Host& host = hosts_[index];
  const auto estimator = make_estimator(method_);
  estimator->restore(host.estimator->save_all());
  estimator->add_past(start, end, observations(host));
  HostRecord record = record_of(host);
  record.estimate = estimator->save();
  Exposure exposure = host.exposure;
  HostDay day{record.name, exposure.add_outage(start)};
  return {std::move(record), std::move(day)};
}

void Fleet::add_outage(std::size_t index, double start, double end) {
  Host& host = hosts_[index];
  host.estimator->add_past(start, end, observations(host));
  host.exposure.add_outage(start);
  host.within.reset();
}

HostState Fleet::state(std::size_t index) const {
  return {record_of(hosts_[index], true), hosts_[index].exposure.days()};
}

void Fleet::add_earlier(std::size_t index, const HostState& earlier) {
  Host& host = hosts_[index];
  add_evidence(*host.estimator, earlier, method_);
  host.record.misses += earlier.record.misses;
  for (const Day& day : earlier.days) host.exposure.add(day);
  host.within.reset();
}

double Fleet::probability(std::size_t index) const {
  const Host& host = hosts_[index];
  if (!host.record.up) return 1;
  const double estimate = host.estimator->probability();
  return estimate < floor_ ? 0 : estimate;
}

HostNote Fleet::note(const Host& host) {
  if (host.planned) return HostNote::planned;
  return host.unreachable ? HostNote::unreachable : HostNote::none;
}

SnapshotHost Fleet::snapshot_of(std::size_t index, double now) const {
  const Host& host = hosts_[index];
  return {host.record.name,
          probability(index),
          host.polled,
          host.record.up,
          rate(index, now),
          note(host),
          host.record.up ? host.within : std::nullopt};
}

Snapshot Fleet::snapshot(double time) const {
  Snapshot snapshot{time, period_, {}, {}};
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    if (hosts_[i].polled == 0) continue;
    snapshot.hosts.push_back(snapshot_of(i, time));
  }
  return snapshot;
}

std::unordered_map<std::string, std::size_t> Fleet::index() const {
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < hosts_.size(); ++i) index.emplace(hosts_[i].record.name, i);
  return index;
}

bool Fleet::restore_host(Host& host, const HostRecord& record) const {
  host.record.seen = record.seen;
  host.record.up = record.up;
  host.record.since = record.since;
  host.record.misses = record.misses;
  host.record.misses_in_row = std::min(record.misses_in_row, down_after_);
  host.record.boot = record.boot;
  if (record.method != host.record.method) return false;
  try {
    host.estimator->restore(record.estimate);
  } catch (const Error&) {
    return false;
  }
  return true;
}

// An outage in the records of the earlier run, of which this one has seen nothing yet.
void Fleet::go_on(Host& host, double last_round) const {
  if (host.record.up || !host.record.seen) return;
  host.reported_down = true;
  host.looked_until = std::max(last_round, host.record.since);
}

std::size_t Fleet::restore(const std::vector<HostRecord>& records, const std::vector<HostDay>& days,
                           const std::vector<std::string>& lasting, double last_round) {
  const auto known = index();
  std::vector<std::size_t> anew;
  for (const HostRecord& record : records) {
    const auto found = known.find(record.name);
    if (found == known.end()) continue;
    Host& host = hosts_[found->second];
    if (!restore_host(host, record)) anew.push_back(found->second);
    if (record.boot == 0) continue;
    host.boot_known_until = last_round;
    boots_restored_ = true;
  }
  for (const HostDay& day : days) {
    const auto found = known.find(day.host);
    if (found != known.end()) hosts_[found->second].exposure.restore(day.day);
  }
  if (last_round > 0) leave_future(last_round);
  std::size_t begun_anew = 0;
  for (const std::size_t host : anew) {
    hosts_[host].estimator->learn(watched_days(hosts_[host].exposure.days()));
    if (hosts_[host].estimator->evidence() == nullptr) ++begun_anew;
  }
  for (const std::string& name : lasting) {
    const auto found = known.find(name);
    if (found != known.end()) go_on(hosts_[found->second], last_round);
  }
  return begun_anew;
}

// A clock that was ahead for a while has left times that are yet to come.
void Fleet::leave_future(double last_round) {
  for (Host& host : hosts_) {
    host.record.since = std::min(host.record.since, last_round);
    const HostEvidence* evidence = host.estimator->evidence();
    if (evidence == nullptr || evidence->as_of() <= last_round) continue;
    host.estimator->mend(last_round, watched_days(host.exposure.days()));
  }
}

void Fleet::set_clock(double seconds, double now) {
  for (Host& host : hosts_) {
    host.estimator->set_clock(seconds);
    // 0 says that there was none.
    for (double* time : {&host.polled, &host.first_miss}) {
      if (*time > 0) *time = std::max(*time + seconds, 1.0);
    }
    host.record.since = std::min(host.record.since, now);
  }
}

std::vector<std::string> Fleet::lasting_outages() const {
  std::vector<std::string> names;
  for (const Host& host : hosts_) {
    if (host.reported_down && host.record.seen) names.push_back(host.record.name);
  }
  return names;
}

std::vector<Transition> Fleet::take_over(const Fleet& previous, double time) {
  boots_restored_ = previous.boots_restored_;
  restarts_heard_ = previous.restarts_heard_;
  restarts_changed_ = previous.restarts_changed_;
  rates_ = previous.rates_;  // until they are fitted to these hosts
  const auto known = index();
  std::vector<Transition> ended;
  for (const Host& old : previous.hosts_) {
    const auto found = known.find(old.record.name);
    if (found == known.end()) {
      if (old.reported_down && old.record.seen) {
        ended.push_back({old.record.name, true, time});
        if (old.looked_until > 0) ended.back().time = old.looked_until;
        ended.back().observed = old.looked_until == 0;
      }
      continue;
    }
    Host& host = hosts_[found->second];
    if (!restore_host(host, record_of(old, true)))
      host.estimator->learn(watched_days(old.exposure.days()));
    host.polled = old.polled;
    host.period = old.period;
    host.first_miss = old.first_miss;
    host.reported_down = old.reported_down;
    host.planned = old.planned;
    host.unreachable = old.unreachable;
    host.withheld = old.withheld;
    host.record.boot = old.record.boot;
    host.boot_known_until = old.boot_known_until;
    host.booted = old.booted;
    host.looked_until = old.looked_until;
    host.saved = old.saved;
    host.exposure.take_over(old.exposure);
  }
  return ended;
}

HostRecord Fleet::record_of(const Host& host, bool all) {
  HostRecord record = host.record;
  record.estimate = all ? host.estimator->save_all() : host.estimator->save();
  // It may start anew while nobody looks, and be in service again by then.
  if (host.planned) record.boot = 0;
  return record;
}

bool Fleet::state_unsaved() const {
  return std::any_of(hosts_.begin(), hosts_.end(), [](const Host& host) {
    return host.record.seen != host.saved.seen || host.record.up != host.saved.up ||
           (host.planned && host.saved.boot != 0);
  });
}

std::vector<HostRecord> Fleet::unsaved(bool all) const {
  std::vector<HostRecord> changed;
  for (const Host& host : hosts_) {
    HostRecord record = record_of(host, all);
    if (record != host.saved) changed.push_back(std::move(record));
  }
  return changed;
}

std::vector<HostDay> Fleet::unsaved_days(bool all) const {
  std::vector<HostDay> changed;
  for (const Host& host : hosts_) {
    for (const Day& day : host.exposure.unsaved(all)) changed.push_back({host.record.name, day});
  }
  return changed;
}

void Fleet::mark_saved() {
  for (Host& host : hosts_) {
    host.saved = record_of(host);
    host.exposure.mark_saved();
  }
}

}  // namespace tofa::health
