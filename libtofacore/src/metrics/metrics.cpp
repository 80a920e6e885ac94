// SPDX-License-Identifier: BSD-3-Clause
// Metrics of a mapping, straight from their definitions. Everything that searches is checked
// against this.
#include "tofa/metrics.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "metrics/gathered.hpp"
#include "metrics/tally.hpp"
#include "tofa/error.hpp"

namespace tofa {

void check_mapping(const CommGraph& graph, const Topology& topology, const Mapping& mapping) {
  if (mapping.size() != graph.ranks()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the mapping places {} ranks, the graph has {}; they must be as many",
                            mapping.size(), graph.ranks()));
  }
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    if (mapping[rank] >= topology.nodes()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("rank {} is on node {}, but the topology has {} nodes", rank,
                              mapping[rank], topology.nodes()));
    }
  }
}

namespace {

double abort_probability(const OutageMap& outages, const std::vector<bool>& touched, Node nodes) {
  double survival = 1;
  for (Node node = 0; node < nodes; ++node) {
    if (touched[node]) survival *= 1 - outages.own_probability(node);
  }
  return 1 - survival;
}

std::vector<bool> nodes_of(const Mapping& mapping, const Topology& topology) {
  std::vector<bool> used(topology.nodes());
  for (const Node node : mapping) used[node] = true;
  return used;
}

Metrics metrics_of(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                   const std::vector<bool>& nodes, const Tally& tally) {
  Metrics metrics;
  metrics.ranks = graph.ranks();
  metrics.bytes = graph.total_bytes();
  metrics.hop_bytes = tally.hop_bytes;
  metrics.pair_cost = tally.pair_cost;
  metrics.fault_weighted_cost = tally.fault_weighted_cost;
  if (metrics.bytes > 0) {
    metrics.average_hops_per_byte = metrics.hop_bytes / static_cast<double>(metrics.bytes);
  }
  if (!tally.bytes_by_hops.empty()) {
    metrics.dilation = static_cast<unsigned>(tally.bytes_by_hops.size() - 1);
  }
  const LinkCosts* costs = topology.link_costs();
  for (Link link = 0; link < tally.link_loads.size(); ++link) {
    const double load = tally.link_loads[link] * (costs == nullptr ? 1 : costs->cost(link));
    metrics.max_link_load = std::max(metrics.max_link_load, load);
    metrics.squared_load += tally.link_loads[link] * load;
  }
  metrics.abort_probability = abort_probability(outages, tally.touched, topology.nodes());
  metrics.nodes_used = static_cast<std::size_t>(std::count(nodes.begin(), nodes.end(), true));
  return metrics;
}

}  // namespace

Metrics evaluate(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                 const Mapping& mapping, double abort_cost) {
  check_mapping(graph, topology, mapping);
  const Tally tally = count_pairs(graph, topology, outages, mapping, Links::count);
  const std::vector<bool> nodes = nodes_of(mapping, topology);
  Metrics metrics = metrics_of(graph, topology, outages, nodes, tally);
  const Gathered gathered{
      graph, topology, outages, mapping, abort_cost, metrics, tally.bytes_by_hops, tally.link_loads,
      nodes};
  metrics.values.reserve(metric_registry().size());
  for (const Metric* metric : metric_registry()) metrics.values.push_back(metric->value(gathered));
  return metrics;
}

Metrics evaluate_distances(const CommGraph& graph, const Topology& topology,
                           const OutageMap& outages, const Mapping& mapping) {
  check_mapping(graph, topology, mapping);
  return metrics_of(graph, topology, outages, nodes_of(mapping, topology),
                    count_pairs(graph, topology, outages, mapping, Links::ignore));
}

double hop_bytes_of(const CommGraph& graph, const Topology& topology, const Mapping& mapping) {
  double sum = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (partner < rank) continue;
      sum += static_cast<double>(bytes) * topology.hops(mapping[rank], mapping[partner]);
    }
  }
  return sum;
}

}  // namespace tofa
