// SPDX-License-Identifier: BSD-3-Clause
// scotch: plain SCOTCH with its built-in architecture of the topology, restricted to the allocated
// nodes.
#include "mapping/scotch_map.hpp"

namespace tofa {

Mapping map_scotch(const MappingTask& task) {
  return scotch_onto_topology(task, task.allocation);
}

}  // namespace tofa
