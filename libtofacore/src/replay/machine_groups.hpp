// SPDX-License-Identifier: BSD-3-Clause
// The switches of a machine as its scheduler sees them: leaf switches, and what joins them. Where
// the network is no tree of switches, a scheduler knows the order of the nodes only.
#pragma once

#include <cstdint>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa {

struct MachineGroups {
  explicit MachineGroups(const Topology& topology);

  // By level and node: the group that the node is in. Level 0 are leaf switches, the last level
  // joins all nodes. Empty where there is no tree.
  std::vector<std::vector<std::uint32_t>> group;
  std::vector<std::uint32_t> count;                // of groups, by level
  std::vector<std::vector<std::uint32_t>> parent;  // of a group, by level; not of the last level
  // Of a leaf switch, ascending; without virtual hosts, which are part of other nodes.
  std::vector<std::vector<Node>> leaf_nodes;

  Node nodes = 0;  // virtual hosts included
  bool is_tree() const { return !group.empty(); }
  std::size_t levels() const { return group.size(); }
  // Cables between two leaf switches.
  unsigned apart(std::uint32_t leaf_a, std::uint32_t leaf_b) const {
    return apart_.empty() ? count_cables(leaf_a, leaf_b)
                          : apart_[std::size_t{leaf_a} * count[0] + leaf_b];
  }
  // Leaf switches that the nodes hang on; 0 where there are none.
  std::uint32_t leaves_of(const std::vector<Node>& chosen) const;

 private:
  unsigned count_cables(std::uint32_t leaf_a, std::uint32_t leaf_b) const;

  std::vector<std::uint8_t> apart_;  // of all pairs of leaves, where they are few enough
};

}  // namespace tofa
