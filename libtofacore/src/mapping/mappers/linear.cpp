// SPDX-License-Identifier: BSD-3-Clause
// linear: ranks in blocks over the allocated nodes in list order, each node filled before the next.
// What Slurm and Open MPI do by default.
#include "mapping/mapper.hpp"

namespace tofa {

Mapping linear_mapping(const Allocation& allocation, Rank ranks) {
  Mapping mapping;
  mapping.reserve(ranks);
  for (const auto& [node, slots] : allocation) {
    for (unsigned i = 0; i < slots && mapping.size() < ranks; ++i) mapping.push_back(node);
  }
  return mapping;
}

Mapping map_linear(const MappingTask& task) {
  return linear_mapping(task.allocation, task.graph.ranks());
}

extern constexpr Mapper kLinearMapper{"linear", map_linear, always, Turn::first,
                                      false,    nullptr,    true};

}  // namespace tofa
