// SPDX-License-Identifier: BSD-3-Clause
// What admins may ask of the running daemon (tofa/health_control.hpp), done: first in the database,
// then in memory, so that what is acknowledged survives whatever comes next, and what cannot be
// saved has not happened. A request concerns all hosts of its list or none. Answers:
//
//     exclude  {"version": 1, "hosts": LIST, "count": N, "until": T}
//     include  {"version": 1, "hosts": LIST, "count": N, "unchanged": LIST}
//     event    {"version": 1, "hosts": LIST, "count": N, "start": T, "end": T}
//     export   {"version": 1, "outages" or "changes": [ROW, ...], "last": ID}
//
// An outage that ended has "end", an exclusion that runs out "until". No socket, no clock.
#pragma once

#include <string>

#include "healthd/config.hpp"
#include "healthd/control_session.hpp"
#include "healthd/exclusions.hpp"
#include "healthd/fleet.hpp"
#include "healthd/history.hpp"
#include "healthd/store.hpp"

namespace tofa::health {

// What commands are about.
struct Controlled {
  const HealthdConfig& config;
  Store& store;
  Fleet& fleet;
  Exclusions& exclusions;
  History& history;
};

struct ControlAnswer {
  std::string text;
  std::string done;  // for the log; empty where nothing was changed
};

// Never throws tofa::Error: mistakes are answers.
ControlAnswer answer_control(const std::string& request, const Caller& caller, double time,
                             const Controlled& controlled);

}  // namespace tofa::health
