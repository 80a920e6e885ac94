// SPDX-License-Identifier: BSD-3-Clause
// The one reader of JSON about the health of hosts. An outage list and a snapshot are the same
// document, of which a list has less; what a reader needs of it, it checks itself.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tofa/health_snapshot.hpp"

namespace tofa {

struct HealthDocument {
  struct Host {
    std::string host;  // not empty
    double probability = 0;
    std::optional<double> age;     // seconds
    std::optional<double> polled;  // seconds since 1970
    std::optional<double> rate;    // outages per hour
    std::optional<std::string> state;
    std::optional<HazardsWithin> within;
    std::optional<HostExclusion> excluded;
    std::vector<FormerName> was;
    std::optional<HostDrain> drain;
  };
  std::optional<double> time;
  std::optional<double> period;
  std::vector<Host> hosts;  // no host twice
  std::vector<PastOutage> outages;
  std::vector<std::string> warnings;
};

// Throws Error (bad_input) with file and line; without a file where `name` is empty.
HealthDocument parse_health_document(std::string_view text, const std::string& name);

// How old what was observed at `polled` is at `time`, in whole seconds: an estimate that was made a
// moment ago must not look like one from the future. What is from the future by more than that is
// of a clock that was wrong: nobody knows how old it is, so it is kAgeUnknowable, which is stale.
double age_at(double time, double polled);

}  // namespace tofa
