// SPDX-License-Identifier: BSD-3-Clause
// Metrics of a mapping, straight from their definitions. Everything that searches is checked
// against this.
#include "tofa/metrics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "tofa/error.hpp"

namespace tofa {
namespace {

void check_mapping(const CommGraph& graph, const Topology& topology, const Mapping& mapping) {
  if (mapping.size() != graph.ranks()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("the mapping has {} ranks, the graph {}; they must be the same",
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

// The vertices that a mapping touches: those that hold a rank or forward traffic. Only suspect ones
// matter, so only routes with a suspect node on them are walked.
class Touched {
 public:
  Touched(const Topology& topology, const OutageMap& outages)
      : topology_(topology), outages_(outages), touched_(topology.vertices()) {}

  void hold(Node node) {
    touched_[node] = true;
    touched_[topology_.host(node)] = true;
  }

  void forward(Node from, Node to) {
    route_.clear();
    topology_.route(from, to, route_);
    for (const Link link : route_) touched_[topology_.link_source(link)] = true;
  }

  double abort_probability() const {
    double survival = 1;
    for (Node node = 0; node < topology_.nodes(); ++node) {
      if (touched_[node]) survival *= 1 - outages_.own_probability(node);
    }
    return 1 - survival;
  }

 private:
  const Topology& topology_;
  const OutageMap& outages_;
  std::vector<bool> touched_;
  std::vector<Link> route_;
};

std::size_t count_nodes(const Mapping& mapping, const Topology& topology) {
  std::vector<bool> used(topology.nodes());
  for (const Node node : mapping) used[node] = true;
  return static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
}

}  // namespace

Metrics evaluate(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                 const Mapping& mapping) {
  check_mapping(graph, topology, mapping);
  Metrics metrics;
  metrics.ranks = graph.ranks();
  metrics.bytes = graph.total_bytes();
  const std::unique_ptr<LinkLoads> loads = topology.link_loads();
  Touched touched(topology, outages);
  const FaultWeights weights(topology, outages);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const Node here = mapping[rank];
    touched.hold(here);
    for (const auto& [partner, bytes] : graph.partners(rank)) {
      const Node there = mapping[partner];
      // Each pair is seen from both ends, each end sending half of the bytes.
      const double half = static_cast<double>(bytes) / 2;
      const unsigned hops = topology.hops(here, there);
      const unsigned marked = weights.marked_links(here, there);
      loads->send(here, there, half);
      if (marked > 0) touched.forward(here, there);
      metrics.fault_weighted_cost += half * weights.cost_of(hops, marked);
      metrics.dilation = std::max(metrics.dilation, hops);
      metrics.hop_bytes += half * hops;
    }
  }
  if (metrics.bytes > 0) {
    metrics.average_hops_per_byte = metrics.hop_bytes / static_cast<double>(metrics.bytes);
  }
  for (const double load : loads->take()) {
    metrics.max_link_load = std::max(metrics.max_link_load, load);
    metrics.squared_load += load * load;
  }
  metrics.abort_probability = touched.abort_probability();
  metrics.nodes_used = count_nodes(mapping, topology);
  return metrics;
}

}  // namespace tofa
