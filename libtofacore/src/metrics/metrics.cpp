// SPDX-License-Identifier: BSD-3-Clause
// Metrics of a mapping, straight from their definitions. Everything that searches is checked
// against this.
#include "tofa/metrics.hpp"

#include <fmt/core.h>

#include <algorithm>

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

// Loads of directed links and the vertices that traffic touches, filled route by route.
class Network {
 public:
  explicit Network(const Topology& topology)
      : topology_(topology), load_(topology.links()), touched_(topology.vertices()) {}

  void hold(Node node) { touched_[node] = true; }

  void send(Node from, Node to, double bytes) {
    route_.clear();
    topology_.route(from, to, route_);
    for (const Link link : route_) {
      load_[link] += bytes;
      touched_[topology_.link_source(link)] = true;
    }
  }

  double max_load() const {
    return load_.empty() ? 0 : *std::max_element(load_.begin(), load_.end());
  }

  double abort_probability(const OutageMap& outages) const {
    double survival = 1;
    for (Node node = 0; node < topology_.nodes(); ++node) {
      if (touched_[node]) survival *= 1 - outages.probability(node);
    }
    return 1 - survival;
  }

 private:
  const Topology& topology_;
  std::vector<double> load_;
  std::vector<bool> touched_;
  std::vector<Link> route_;
};

}  // namespace

Metrics evaluate(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                 const Mapping& mapping) {
  check_mapping(graph, topology, mapping);
  Metrics metrics;
  metrics.ranks = graph.ranks();
  metrics.bytes = graph.total_bytes();
  Network network(topology);
  const FaultWeights weights(topology, outages);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const Node here = mapping[rank];
    network.hold(here);
    for (const auto& [partner, bytes] : graph.partners(rank)) {
      const Node there = mapping[partner];
      // Each pair is seen from both ends, each end sending half of the bytes.
      const double half = static_cast<double>(bytes) / 2;
      network.send(here, there, half);
      metrics.fault_weighted_cost += half * weights.weight(here, there);
      const unsigned hops = topology.hops(here, there);
      metrics.dilation = std::max(metrics.dilation, hops);
      metrics.hop_bytes += half * hops;
    }
  }
  if (metrics.bytes > 0) {
    metrics.average_hops_per_byte = metrics.hop_bytes / static_cast<double>(metrics.bytes);
  }
  metrics.max_link_load = network.max_load();
  metrics.abort_probability = network.abort_probability(outages);
  std::vector<Node> used(mapping);
  std::sort(used.begin(), used.end());
  metrics.nodes_used =
      static_cast<std::size_t>(std::unique(used.begin(), used.end()) - used.begin());
  return metrics;
}

}  // namespace tofa
