// SPDX-License-Identifier: BSD-3-Clause
// On a tree of switches one pass of multisection, elsewhere one of bisection: see
// mapping/mappers/. More work would gain little here, where nodes are whole and parts are few.
#include "replay/quick_mapping.hpp"

#include <algorithm>

#include "tofa/place.hpp"

namespace tofa {
namespace {

// Of the groups of a level that have enough free nodes the one with the fewest.
std::vector<Node> best_group(const std::vector<Node>& free,
                             const std::vector<std::uint32_t>& group_of, std::uint32_t groups,
                             unsigned wanted) {
  std::vector<unsigned> count(groups, 0);
  for (const Node node : free) ++count[group_of[node]];
  std::uint32_t best = groups;
  for (std::uint32_t group = 0; group < groups; ++group) {
    if (count[group] >= wanted && (best == groups || count[group] < count[best])) best = group;
  }
  std::vector<Node> nodes;
  for (const Node node : free)
    if (group_of[node] == best) nodes.push_back(node);
  return nodes;
}

// The nodes nearest to one of them.
std::vector<Node> ball_around(Node centre, const Topology& topology, std::vector<Node> free,
                              unsigned wanted) {
  std::vector<std::pair<unsigned, Node>> by_distance;
  by_distance.reserve(free.size());
  for (const Node node : free) by_distance.emplace_back(topology.hops(centre, node), node);
  std::nth_element(by_distance.begin(), by_distance.begin() + (wanted - 1), by_distance.end());
  by_distance.resize(wanted);
  free.clear();
  for (const auto& [hops, node] : by_distance) free.push_back(node);
  std::sort(free.begin(), free.end());
  return free;
}

}  // namespace

std::vector<Node> first_part_of_tree(const PolicyTask& task) {
  std::vector<Node> free = task.candidates();
  for (std::size_t level = 0; level < task.groups.levels(); ++level) {
    std::vector<std::vector<Node>> parts(task.groups.count[level]);
    for (const Node node : free) parts[task.groups.group[level][node]].push_back(node);
    for (std::vector<Node>& part : parts)
      if (part.size() >= task.request.nodes) return std::move(part);
  }
  return free;
}

NodeChoice map_quickly(const CommGraph& traffic, const Topology& topology,
                       const MachineGroups& groups, const std::vector<Node>& nodes) {
  Allocation allocation;
  allocation.reserve(nodes.size());
  for (const Node node : nodes) allocation.push_back({node, 1});
  PlaceOptions options;
  options.objective = parse_objective("hop-bytes");
  options.mapper = groups.is_tree() ? "multisect" : "bisect";
  options.work = PlannedWork{0};
  constexpr double never = 3600;  // no clock decides
  options.time_limit_seconds = never;
  Placement placement = place(traffic, topology, {}, allocation, options);
  return {std::move(placement.mapping), placement.chosen.hop_bytes};
}

std::vector<std::vector<Node>> compact_candidates(const PolicyTask& task) {
  const std::vector<Node> free = task.candidates();
  const unsigned wanted = task.request.nodes;
  std::vector<std::vector<Node>> candidates{task.by_default.nodes};
  const auto add = [&](std::vector<Node> nodes) {
    if (nodes.size() >= wanted &&
        std::find(candidates.begin(), candidates.end(), nodes) == candidates.end())
      candidates.push_back(std::move(nodes));
  };
  if (task.groups.is_tree()) {
    // The groups with the fewest free nodes that suffice, of the two lowest levels that have one;
    // and all nodes, of which the mapper takes the largest groups.
    std::size_t found = 0;
    for (std::size_t level = 0; level < task.groups.levels() && found < 2; ++level) {
      auto nodes = best_group(free, task.groups.group[level], task.groups.count[level], wanted);
      found += nodes.empty() ? 0 : 1;
      add(std::move(nodes));
    }
    add(first_part_of_tree(task));
    add(free);
    return candidates;
  }
  constexpr std::size_t centres = 6;
  for (std::size_t i = 0; i < centres; ++i)
    add(ball_around(free[free.size() * i / centres], task.topology, free, wanted));
  return candidates;
}

NodeChoice choose_compact(const PolicyTask& task) {
  NodeChoice best = task.by_default;
  if (task.traffic == nullptr) return best;
  for (const std::vector<Node>& nodes : compact_candidates(task)) {
    NodeChoice choice = map_quickly(task.traffic->groups, task.topology, task.groups, nodes);
    if (choice.hop_bytes < best.hop_bytes) best = std::move(choice);
  }
  return best;
}

}  // namespace tofa
