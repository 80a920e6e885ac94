// SPDX-License-Identifier: BSD-3-Clause
// What admins may ask of the running daemon (tofa/health_control.hpp), in three steps: a request is
// checked against what is known, the writer's thread does what is to be done in the database, and
// then it is done in memory, so that what is acknowledged survives whatever comes next, and what
// cannot be saved has not happened. A request concerns all hosts of its list or none. Answers:
//
//     exclude  {"version": 1, "hosts": LIST, "count": N, "until": T}
//     include  {"version": 1, "hosts": LIST, "count": N, "unchanged": LIST}
//     event    {"version": 1, "hosts": LIST, "count": N, "start": T, "end": T}
//     export   {"version": 1, "outages" or "changes": [ROW, ...], "last": ID}
//     merge    {"version": 1, "hosts": HOST, "into": HOST, "days": N}
//     merge    {"version": 1, "hosts": HOST, "count": 1, "into": HOST, "days": N}
//     explain  healthd/host_explanation.hpp
//     drain    healthd/drains.hpp
//
// An outage that ended has "end", an exclusion that runs out "until". No socket, no clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "healthd/config.hpp"
#include "healthd/control_session.hpp"
#include "healthd/drains.hpp"
#include "healthd/exclusions.hpp"
#include "healthd/fleet.hpp"
#include "healthd/history.hpp"
#include "healthd/store.hpp"
#include "tofa/health_control.hpp"

namespace tofa::health {

// What commands are about.
struct Controlled {
  const HealthdConfig& config;
  Fleet& fleet;
  Exclusions& exclusions;
  History& history;
  const DrainBoard* drains = nullptr;  // none: nothing is known of any host
  Drains* drained = nullptr;           // none: none is
};

struct ControlAnswer {
  std::string text;
  std::string done = {};  // for the log; empty where nothing was changed
};

// No step throws: mistakes are answers.
class ControlTask {
 public:
  ControlTask(const std::string& request, Caller caller, double time, const Controlled& on);

  // Whether there is anything to be done in the database.
  bool needs_store() const { return !answer_ && (!changes_.empty() || is_export()); }
  // Whether it adds to what is saved there. Until finish(), nothing else about these hosts may be.
  bool changes() const { return !answer_ && !changes_.empty(); }
  // May be called in another thread.
  void run(Store& store);
  // The hosts may be others by now, since the configuration may have been read anew.
  ControlAnswer finish(const Controlled& on);

 private:
  bool is_export() const { return request_.command == ControlCommand::export_rows; }
  void prepare(const Controlled& on);
  void prepare_merge(const Controlled& on);
  void merge(Store& store);
  void finish_merge(const Controlled& on) const;
  std::string explain(const Controlled& on) const;
  std::string tell_drains(const Controlled& on) const;
  std::vector<std::size_t> excluded(const Controlled& on);
  void check_event(const HealthdConfig& config) const;
  double end_of_event() const { return request_.end.value_or(time_); }
  void make_changes(const std::vector<std::size_t>& hosts, const Controlled& on);
  void add_events(const Controlled& on) const;
  std::string hosts() const;  // that are changed
  std::string acknowledge() const;
  std::string deed() const;

  ControlRequest request_;
  Caller caller_;
  double time_;
  std::vector<Change> changes_;
  std::vector<HostRecord> records_;  // of the hosts of events and merges, with them
  std::vector<HostDay> days_;
  std::string unchanged_;  // hosts
  HostState host_;         // of the new name of a merge, before it,
  HostState earlier_;      // and what is recorded of the old one
  EstimatorOptions method_;
  std::optional<std::string> answer_;  // known before finish(): an error, or rows
};

}  // namespace tofa::health
