// SPDX-License-Identifier: BSD-3-Clause
// The task that unit tests of searches work on: a second's worth of work that no clock cuts short.
#pragma once

#include "mapping/mapper.hpp"
#include "mapping/search/search_space.hpp"

namespace tofa::test {

// Refers to all that it is given.
inline MappingTask task_of(const CommGraph& graph, const Topology& topology,
                           const OutageMap& outages, const Allocation& allocation, Trace& trace,
                           Objective objective) {
  return {.graph = graph,
          .topology = topology,
          .outages = outages,
          .allocation = allocation,
          .objective = objective,
          .seed = 1,
          .seconds = 1,
          .deadline = Deadline(600),
          .trace = trace};
}

// What searches lower, in units of weight times cost; each pair counts once.
inline std::int64_t search_cost(const SearchSpace& space, const Seating& seating) {
  std::int64_t sum = 0;
  for (Rank rank = 0; rank < space.task().graph.ranks(); ++rank) {
    for (const auto& [partner, weight] : space.partners(rank)) {
      if (partner < rank) continue;
      sum +=
          std::int64_t{weight} * space.cost().between(seating.entry(rank), seating.entry(partner));
    }
  }
  return sum;
}

}  // namespace tofa::test
