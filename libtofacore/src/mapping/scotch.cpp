// SPDX-License-Identifier: BSD-3-Clause
// scotch: plain SCOTCH with its built-in architecture of the topology, restricted to the allocated
// nodes.
#include "mapping/scotch_map.hpp"

namespace tofa {

Mapping map_scotch(const MappingTask& task) {
  return scotch_onto_topology(task, task.allocation);
}

double scotch_seconds(const MappingTask& task) {
  return 5e-5 * static_cast<double>(task.graph.ranks()) +
         2e-6 * static_cast<double>(task.graph.pairs());
}

// A call cannot be interrupted: it is made when it should take no more than a part of the time.
bool scotch_is_candidate(const MappingTask& task) {
  return scotch_seconds(task) <= 0.5 * task.seconds;
}

}  // namespace tofa
