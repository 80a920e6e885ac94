// SPDX-License-Identifier: BSD-3-Clause
// What admins changed, and which hosts they took out of use. Every change is a
// row that stays; who is excluded follows from them, so that an exclusion that
// runs out needs nobody to end it. Pure: no clock, no disk.
//
// Whatever an excluded host does is planned: no failure, and its time does not
// count. Unlike a node that Slurm has drained, which Slurm hands to nobody, it
// is published as certain to fail, since nothing else keeps jobs off it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "healthd/fleet.hpp"
#include "healthd/source.hpp"
#include "tofa/health_snapshot.hpp"

namespace tofa::health {

// The last three are those of healthd/drains.hpp.
enum class ChangeKind { exclude, include, event, merge, drain, resume, release };

// "exclude", "include", ...
const char* name_of(ChangeKind kind);
std::optional<ChangeKind> change_kind(std::string_view name);

struct Change {
  std::int64_t id = 0;  // in the database, in the order in which they were made
  double time = 0;      // in seconds since 1970
  std::int64_t uid = 0;
  std::string user = {};
  ChangeKind kind = ChangeKind::exclude;
  std::string host = {};
  std::string reason = {};         // the cause of an event; that of an include may be empty
  double start = 0;                // of an event; else the time
  std::optional<double> end = {};  // of an event; of an exclusion that runs out by itself
  std::string into = {};           // of a merge: what the host is called from then on
  friend bool operator==(const Change&, const Change&) = default;
};

class Exclusions {
 public:
  // In the order in which they were made.
  void apply(const Change& change);

  // Null where the host is not excluded at that time.
  const HostExclusion* find(const std::string& host, double time) const;
  std::size_t count(double time) const;

  // One round: what is observed of each host of the fleet. That excluded hosts
  // are out of service on purpose is known even where nothing was observed.
  void plan(const Fleet& fleet, std::vector<std::optional<Observation>>& round, double time) const;

  // What is published of excluded hosts.
  void mark(Snapshot& snapshot) const;

 private:
  std::unordered_map<std::string, HostExclusion> excluded_;  // also those that have run out
};

}  // namespace tofa::health
