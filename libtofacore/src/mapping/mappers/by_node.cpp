// SPDX-License-Identifier: BSD-3-Clause
// by-node: ranks dealt out one per node, round after round, like cards. The other common default.
#include <algorithm>

#include "mapping/mapper.hpp"

namespace tofa {
namespace {

Mapping map_by_node(const MappingTask& task) {
  Mapping mapping;
  mapping.reserve(task.graph.ranks());
  for (unsigned round = 0; mapping.size() < task.graph.ranks(); ++round) {
    for (const auto& [node, slots] : task.allocation) {
      if (round < slots && mapping.size() < task.graph.ranks()) mapping.push_back(node);
    }
  }
  return mapping;
}

// With a slot a node it is the list order.
bool by_node_is_candidate(const MappingTask& task) {
  return std::any_of(task.allocation.begin(), task.allocation.end(),
                     [](const AllocationEntry& entry) { return entry.slots > 1; });
}

}  // namespace

extern constexpr Mapper kByNodeMapper{
    "by-node", map_by_node, by_node_is_candidate, Turn::any_lane, false, nullptr, true};

}  // namespace tofa
