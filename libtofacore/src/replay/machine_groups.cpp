// SPDX-License-Identifier: BSD-3-Clause
// Groups are numbered as the tree's leaves are: those of a level from left to right, without those
// that have no nodes.
#include "replay/machine_groups.hpp"

#include <algorithm>
#include <optional>

namespace tofa {
namespace {

// Numbers from 0 in the order of the values.
std::uint32_t renumber(std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> sorted(values);
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (std::uint32_t& value : values) {
    value = static_cast<std::uint32_t>(std::lower_bound(sorted.begin(), sorted.end(), value) -
                                       sorted.begin());
  }
  return static_cast<std::uint32_t>(sorted.size());
}

}  // namespace

MachineGroups::MachineGroups(const Topology& topology) : nodes(topology.nodes()) {
  const std::optional<Hierarchy> tree = topology.hierarchy();
  // One switch for all is no choice.
  if (!tree || tree->fan_out.size() < 2 || topology.grid() != nullptr) return;
  std::vector<std::uint32_t> at = tree->leaf;
  for (std::size_t depth = tree->fan_out.size(); depth-- > 0;) {
    for (std::uint32_t& place : at) place /= tree->fan_out[depth];
    std::vector<std::uint32_t> here = at;
    const std::uint32_t groups = renumber(here);
    if (!count.empty() && count.back() == groups) continue;
    group.push_back(std::move(here));
    count.push_back(groups);
  }
  parent.resize(group.size() - 1);
  for (std::size_t level = 0; level + 1 < group.size(); ++level) {
    parent[level].resize(count[level]);
    for (Node node = 0; node < nodes; ++node)
      parent[level][group[level][node]] = group[level + 1][node];
  }
  leaf_nodes.resize(count[0]);
  for (Node node = 0; node < nodes; ++node)
    if (topology.host(node) == node) leaf_nodes[group[0][node]].push_back(node);
  constexpr std::uint32_t few = 2048;
  if (count[0] > few) return;
  apart_.reserve(std::size_t{count[0]} * count[0]);
  for (std::uint32_t a = 0; a < count[0]; ++a) {
    for (std::uint32_t b = 0; b < count[0]; ++b)
      apart_.push_back(static_cast<std::uint8_t>(count_cables(a, b)));
  }
}

unsigned MachineGroups::count_cables(std::uint32_t leaf_a, std::uint32_t leaf_b) const {
  unsigned cables = 0;
  for (std::size_t level = 0; leaf_a != leaf_b && level < parent.size(); ++level, cables += 2) {
    leaf_a = parent[level][leaf_a];
    leaf_b = parent[level][leaf_b];
  }
  return cables;
}

std::uint32_t MachineGroups::leaves_of(const std::vector<Node>& chosen) const {
  if (!is_tree()) return 0;
  std::vector<std::uint32_t> leaves;
  leaves.reserve(chosen.size());
  for (const Node node : chosen) leaves.push_back(group[0][node]);
  return renumber(leaves);
}

}  // namespace tofa
