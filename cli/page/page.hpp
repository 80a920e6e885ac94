// SPDX-License-Identifier: BSD-3-Clause
// `tofa report` as a page: one HTML file that needs nothing but a browser. All figures are worked
// out here; the script in it draws them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/message_sizes.hpp"
#include "tofa/other_jobs.hpp"
#include "tofa/outage.hpp"
#include "tofa/place.hpp"
#include "tofa/run_times.hpp"
#include "tofa/topology.hpp"

namespace tofa::cli {

// A part of the traffic, "all", a class as "user", or what was sent in a phase of the program, as
// one file counts it.
struct TrafficPart {
  std::string name;
  Traffic traffic;
  unsigned phase = 0;  // its number; 0: of the whole run
};

// A machine, and two ways to put the ranks on it. All outlive the page's making.
struct PageMachine {
  const Topology& topology;
  const OutageMap& outages;
  std::vector<Node> allocated;
  Mapping before;
  Mapping after;
  std::string before_title;
  std::string after_title;
  Objective objective;
  double abort_cost = kAbortCost;
};

// What else is known of the run that was profiled; whatever is not known is empty.
struct PageRun {
  RunFacts facts;
  std::vector<std::string> hosts;  // by rank
  std::vector<OtherJobTraffic> other_jobs;
};

struct PageContents {
  std::string title;
  std::vector<TrafficPart> parts;  // the first is what everything but the matrices is about
  std::optional<PageMachine> machine;
  std::optional<MessageSizes> sizes;  // of all traffic of the same run
  PageRun run;
  std::vector<std::string> notes;  // sentences, such as what is missing and why
};

std::string report_page(const PageContents& contents);

}  // namespace tofa::cli
