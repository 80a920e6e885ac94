// SPDX-License-Identifier: BSD-3-Clause
// Telling suspect nodes from ordinary ones: see suspects.hpp.
#include "mapping/search/suspects.hpp"

#include <algorithm>
#include <cmath>

namespace tofa {
namespace {

// Shares of the completion time: below the first a node is no worse than others, above the second
// it makes no difference how bad it is.
constexpr double kWorthADetour = 1e-3;
constexpr double kCertain = 1e6;

double exponent(const OutageMap& outages, Node node) {
  return -std::log1p(-std::min(outages.probability(node), 1 - 1e-12));
}

// What half of all nodes do not exceed.
double usual_exponent(const Topology& topology, const OutageMap& outages) {
  std::vector<double> all;
  all.reserve(topology.nodes());
  for (Node node = 0; node < topology.nodes(); ++node) all.push_back(exponent(outages, node));
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

// What the best nodes with slots for all ranks do not exceed.
double attainable_exponent(const MappingTask& task) {
  std::vector<std::pair<double, unsigned>> nodes;
  for (const auto& [node, slots] : task.allocation) {
    nodes.emplace_back(exponent(task.outages, node), slots);
  }
  std::sort(nodes.begin(), nodes.end());
  std::uint64_t slots = 0;
  for (const auto& [worst, more] : nodes) {
    slots += more;
    if (slots >= task.graph.ranks()) return worst;
  }
  return nodes.empty() ? 0 : nodes.back().first;
}

}  // namespace

std::vector<double> costs_of_suspects(const MappingTask& task) {
  if (task.outages.suspects() == 0) return {};
  const double ordinary =
      std::min(usual_exponent(task.topology, task.outages), attainable_exponent(task));
  std::vector<double> costs(task.topology.nodes());
  for (Node node = 0; node < task.topology.nodes(); ++node) {
    const double beyond = exponent(task.outages, node) - ordinary;
    const double cost = task.abort_cost * std::expm1(std::max(beyond, 0.0));
    if (cost > kWorthADetour) costs[node] = std::min(cost, kCertain);
  }
  const std::uint64_t slots = total_slots(task.allocation);
  for (const AllocationEntry& entry : task.allocation) {
    if (slots - entry.slots < task.graph.ranks()) costs[entry.node] = 0;
  }
  const bool any = std::any_of(costs.begin(), costs.end(), [](double cost) { return cost > 0; });
  return any ? costs : std::vector<double>{};
}

}  // namespace tofa
