// SPDX-License-Identifier: BSD-3-Clause
// A host has one exclusion at a time: a new one replaces it, with its reason and its end.
#include "healthd/exclusions.hpp"

#include <algorithm>
#include <array>

namespace tofa::health {
namespace {

constexpr std::array<std::pair<ChangeKind, const char*>, 7> kChangeKinds{{
    {ChangeKind::exclude, "exclude"},
    {ChangeKind::include, "include"},
    {ChangeKind::event, "event"},
    {ChangeKind::merge, "merge"},
    {ChangeKind::drain, "drain"},
    {ChangeKind::resume, "resume"},
    {ChangeKind::release, "release"},
}};

bool holds(const HostExclusion& exclusion, double time) {
  return exclusion.until == 0 || time < exclusion.until;
}

}  // namespace

const char* name_of(ChangeKind kind) {
  return std::find_if(kChangeKinds.begin(), kChangeKinds.end(),
                      [kind](const auto& entry) { return entry.first == kind; })
      ->second;
}

std::optional<ChangeKind> change_kind(std::string_view name) {
  for (const auto& [kind, known] : kChangeKinds) {
    if (name == known) return kind;
  }
  return std::nullopt;
}

void Exclusions::apply(const Change& change) {
  if (change.kind == ChangeKind::include) excluded_.erase(change.host);
  if (change.kind != ChangeKind::exclude) return;
  excluded_[change.host] = {change.reason, change.user, change.time, change.end.value_or(0)};
}

const HostExclusion* Exclusions::find(const std::string& host, double time) const {
  const auto found = excluded_.find(host);
  return found != excluded_.end() && holds(found->second, time) ? &found->second : nullptr;
}

std::size_t Exclusions::count(double time) const {
  return static_cast<std::size_t>(
      std::count_if(excluded_.begin(), excluded_.end(),
                    [time](const auto& entry) { return holds(entry.second, time); }));
}

void Exclusions::plan(const Fleet& fleet, std::vector<std::optional<Observation>>& round,
                      double time) const {
  if (excluded_.empty()) return;
  for (std::size_t host = 0; host < round.size(); ++host) {
    if (find(fleet.name(host), time) == nullptr) continue;
    if (!round[host]) round[host] = Observation{.seen = false};
    round[host]->planned = true;
  }
}

void Exclusions::mark(Snapshot& snapshot) const {
  if (excluded_.empty()) return;
  for (SnapshotHost& host : snapshot.hosts) {
    const HostExclusion* exclusion = find(host.host, snapshot.time);
    if (exclusion == nullptr) continue;
    host.probability = 1;
    host.within.reset();
    host.note = HostNote::planned;
    host.excluded = *exclusion;
  }
}

}  // namespace tofa::health
