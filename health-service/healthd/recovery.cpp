// SPDX-License-Identifier: BSD-3-Clause
// Rows win over the snapshot, but for states of hosts that the snapshot tells later.
#include "healthd/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "tofa/outage_cause.hpp"

namespace tofa::health {
namespace {

constexpr double kSameTime = 1e-3;  // seconds, between a row and what was written as text

using Outages = std::multimap<std::string, StoredOutage*>;

StoredOutage* find_stored(const Outages& outages, const PastOutage& published) {
  const auto [first, last] = outages.equal_range(published.host);
  for (auto it = first; it != last; ++it) {
    if (std::abs(it->second->start - published.start) < kSameTime) return it->second;
  }
  return nullptr;
}

Outages by_host(std::vector<StoredOutage>& outages) {
  Outages index;
  for (StoredOutage& outage : outages) index.emplace(outage.host, &outage);
  return index;
}

bool can_be_true(const PastOutage& outage) {
  return outage.start <= kLatestTime && outage.end <= kLatestTime &&
         (outage.end == 0 || outage.end >= outage.start);
}

void recover_outages(StoreContents& contents, const Snapshot& published) {
  const Outages known = by_host(contents.outages);
  std::vector<StoredOutage> added;
  for (const PastOutage& outage : published.outages) {
    if (!can_be_true(outage)) continue;
    const std::optional<double> end =
        outage.end == 0 ? std::nullopt : std::optional<double>(outage.end);
    if (StoredOutage* stored = find_stored(known, outage)) {
      if (!stored->end) stored->end = end;
    } else {
      added.push_back({outage.host, outage.start, end, true, outage.cause});
    }
  }
  contents.outages.insert(contents.outages.end(), added.begin(), added.end());
  std::stable_sort(contents.outages.begin(), contents.outages.end(),
                   [](const StoredOutage& a, const StoredOutage& b) { return a.start < b.start; });
}

// When the outages of each host began, as the snapshot tells it: all, or those that its rate
// counts.
std::unordered_map<std::string, std::vector<double>> starts_of(const Snapshot& published,
                                                               bool failures_only) {
  std::unordered_map<std::string, std::vector<double>> starts;
  for (const PastOutage& outage : published.outages) {
    if (!can_be_true(outage) || (failures_only && outage.cause == kNetworkCause)) continue;
    starts[outage.host].push_back(outage.start);
  }
  return starts;
}

void recover_hosts(StoreContents& contents, const Snapshot& published) {
  const auto starts = starts_of(published, false);
  std::unordered_map<std::string, HostRecord*> known;
  for (HostRecord& record : contents.hosts) known.emplace(record.name, &record);
  std::vector<HostRecord> added;
  for (const SnapshotHost& host : published.hosts) {
    const auto began = starts.find(host.host);
    const bool later = host.polled > contents.last_round();
    if (const auto found = known.find(host.host); found != known.end()) {
      if (!later || found->second->up == host.up) continue;
      found->second->up = host.up;
      found->second->since = std::clamp(host.polled, 0.0, kLatestTime);
      found->second->misses_in_row = 0;
      continue;
    }
    // Who is down and has no outage has never been seen.
    const bool seen = host.up || began != starts.end();
    added.push_back({.name = host.host,
                     .seen = seen,
                     .up = host.up,
                     .since = std::clamp(host.polled, 0.0, kLatestTime),
                     .misses_in_row = 0,
                     .misses = 0,
                     .method = "ewma",
                     // One that was excluded would have failed for certain, whatever its estimate.
                     .estimate = fmt::format("{}", seen && !host.excluded ? host.probability : 0)});
  }
  std::move(added.begin(), added.end(), std::back_inserter(contents.hosts));
}

// What an admin changed since then is a row, and a row that is lost cannot be told from one that
// never was; so a host whose rows are older than its exclusion in the snapshot is excluded.
void recover_exclusions(StoreContents& contents, const Snapshot& published) {
  std::unordered_map<std::string, double> changed;
  for (const Change& change : contents.changes) {
    if (change.kind == ChangeKind::exclude || change.kind == ChangeKind::include)
      changed[change.host] = change.time;
  }
  for (const SnapshotHost& host : published.hosts) {
    if (!host.excluded || host.excluded->since > kLatestTime) continue;
    const HostExclusion& exclusion = *host.excluded;
    const auto found = changed.find(host.host);
    if (found != changed.end() && found->second > exclusion.since - kSameTime) continue;
    Change lost{.time = exclusion.since,
                .user = exclusion.by,
                .kind = ChangeKind::exclude,
                .host = host.host,
                .reason = exclusion.reason,
                .start = exclusion.since};
    if (exclusion.until >= exclusion.since && exclusion.until <= kLatestTime) {
      lost.end = exclusion.until > 0 ? std::optional(exclusion.until) : std::nullopt;
    }
    contents.changes.push_back(std::move(lost));
  }
}

// rate = k / T: the k outages are known by their days, and T is spread over these.
void recover_days(StoreContents& contents, const Snapshot& published) {
  const auto starts = starts_of(published, true);
  std::set<std::string> known;
  for (const HostDay& day : contents.days) known.insert(day.host);
  for (const SnapshotHost& host : published.hosts) {
    const auto began = starts.find(host.host);
    if (host.rate <= 0 || began == starts.end() || known.contains(host.host)) continue;
    std::map<std::int64_t, std::uint64_t> outages;
    for (const double start : began->second) ++outages[static_cast<std::int64_t>(start / kDay)];
    const double hours = static_cast<double>(began->second.size()) / host.rate;
    const double up = std::min(hours * 3600 / static_cast<double>(outages.size()), 400 * kDay);
    for (const auto& [day, count] : outages) contents.days.push_back({host.host, {day, up, count}});
  }
}

}  // namespace

bool lacks_changes(const StoreContents& contents, const Snapshot& published) {
  const double last_round = contents.last_round();
  if (last_round <= 0) return false;
  std::vector<StoredOutage> copy = contents.outages;
  const Outages known = by_host(copy);
  return std::any_of(published.outages.begin(), published.outages.end(),
                     [&](const PastOutage& outage) {
                       if (!can_be_true(outage)) return false;
                       const StoredOutage* stored = find_stored(known, outage);
                       if (stored == nullptr) return outage.start > last_round;
                       return !stored->end && outage.end > last_round;
                     });
}

StoreContents merge(StoreContents disk, const StoreContents& memory) {
  std::map<std::string, HostRecord> hosts;
  for (const auto* records : {&std::as_const(disk).hosts, &memory.hosts}) {
    for (const HostRecord& record : *records) hosts[record.name] = record;
  }
  std::map<std::pair<std::string, std::int64_t>, HostDay> days;
  for (const auto* rows : {&std::as_const(disk).days, &memory.days}) {
    for (const HostDay& row : *rows) {
      HostDay& merged = days.try_emplace({row.host, row.day.day}, row).first->second;
      merged.day.up_seconds = std::max(merged.day.up_seconds, row.day.up_seconds);
      merged.day.outages = std::max(merged.day.outages, row.day.outages);
    }
  }
  std::map<std::pair<double, std::string>, StoredOutage> outages;
  for (const auto* rows : {&std::as_const(disk).outages, &memory.outages}) {
    for (const StoredOutage& row : *rows) outages[{row.start, row.host}] = row;
  }
  StoreContents merged;
  std::map<std::int64_t, Change> changes;
  for (const auto* rows : {&std::as_const(disk).changes, &memory.changes}) {
    for (const Change& row : *rows) changes.emplace(row.id, row);
  }
  for (auto& [id, row] : changes) merged.changes.push_back(std::move(row));
  for (auto& [name, record] : hosts) merged.hosts.push_back(std::move(record));
  for (auto& [key, row] : days) merged.days.push_back(std::move(row));
  for (auto& [key, row] : outages) merged.outages.push_back(std::move(row));
  merged.clock = memory.last_round() > 0 ? memory.clock : disk.clock;
  return merged;
}

StoreContents recover(StoreContents contents, const Snapshot& published) {
  recover_outages(contents, published);
  recover_hosts(contents, published);
  recover_days(contents, published);
  recover_exclusions(contents, published);
  if (published.time > contents.last_round() && published.time <= kLatestTime) {
    contents.clock.last = {};
    contents.clock.last.wall = published.time;
  }
  contents.clock.even = 0;
  return contents;
}

}  // namespace tofa::health
