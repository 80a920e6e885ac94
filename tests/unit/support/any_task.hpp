// SPDX-License-Identifier: BSD-3-Clause
// Any traffic on any network of which some nodes may fail, with all that its task refers to.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "support/mapping_task.hpp"
#include "support/random_cases.hpp"

namespace tofa::test {

struct AnyTask {
  // Refers to all of this.
  MappingTask task(const std::string& objective) {
    return task_of(graph, *topology, outages, allocation, trace, parse_objective(objective));
  }

  std::unique_ptr<Topology> topology = any_topology();
  Allocation allocation = any_allocation(*topology);
  CommGraph graph = any_graph(std::min(test::total_slots(allocation), 40U));
  OutageMap outages = any_outages(*topology);
  PlaceOptions options;
  Trace trace{options};
};

}  // namespace tofa::test
