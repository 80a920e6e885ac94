// SPDX-License-Identifier: BSD-3-Clause
// What an objective is, and the registry of them. A new objective is one file in objectives/ that
// defines an `ObjectiveEntry`, plus its line in objective.cpp.
#pragma once

#include <string_view>

#include "base/registry.hpp"
#include "tofa/place.hpp"

namespace tofa {

struct ObjectiveEntry {
  std::string_view name;
  // Smaller is better.
  double (*value)(const Metrics& metrics, double abort_cost);

  // What searches have to follow. Hop-bytes alone need nothing of this.

  // The load of single links: the last step of a search works on the objective itself.
  bool counts_loads = false;
  // The abort probability: nodes that are likely to fail are worth avoiding, also by a way round.
  bool counts_risks = false;
  // What is left of links, where it is known: the way between two nodes costs what the topology's
  // link costs say, not its hops.
  bool counts_link_costs = false;
  // Equation 1: links at suspect nodes count more than others, so that a pair of nodes is not as
  // far apart as it has hops.
  bool counts_fault_weights = false;
};

// The first is the default.
Registry<ObjectiveEntry> objective_registry();

// What the objective goes by: where it does not count loads, what links carry is not worked out.
Metrics evaluate_for(Objective objective, const CommGraph& graph, const Topology& topology,
                     const OutageMap& outages, const Mapping& mapping, double abort_cost);

}  // namespace tofa
