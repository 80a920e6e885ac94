// SPDX-License-Identifier: BSD-3-Clause
// The task that unit tests of searches work on: a second's worth of work that no clock cuts short.
#pragma once

#include "mapping/mapper.hpp"

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

}  // namespace tofa::test
