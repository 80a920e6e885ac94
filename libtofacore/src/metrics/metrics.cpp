// SPDX-License-Identifier: BSD-3-Clause
// Metrics of a mapping, straight from their definitions. Everything that searches is checked
// against this.
#include "tofa/metrics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "metrics/gathered.hpp"
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

// What it costs to send bytes over the routes of a network whose links differ.
class RouteCosts {
 public:
  explicit RouteCosts(const Topology& topology)
      : topology_(topology), costs_(topology.link_costs()) {}

  double of(Node from, Node to, unsigned hops) {
    if (costs_ == nullptr) return hops;
    route_.clear();
    topology_.route(from, to, route_);
    return costs_->of_route(route_);
  }

 private:
  const Topology& topology_;
  const LinkCosts* costs_;
  std::vector<Link> route_;
};

std::vector<bool> nodes_of(const Mapping& mapping, const Topology& topology) {
  std::vector<bool> used(topology.nodes());
  for (const Node node : mapping) used[node] = true;
  return used;
}

}  // namespace

Metrics evaluate(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                 const Mapping& mapping, double abort_cost) {
  check_mapping(graph, topology, mapping);
  Metrics metrics;
  metrics.ranks = graph.ranks();
  metrics.bytes = graph.total_bytes();
  const std::unique_ptr<LinkLoads> loads = topology.link_loads();
  Touched touched(topology, outages);
  const FaultWeights weights(topology, outages);
  RouteCosts routes(topology);
  std::vector<double> bytes_by_hops;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const Node here = mapping[rank];
    touched.hold(here);
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      const Node there = mapping[partner];
      // Each pair is seen from both ends.
      const double half = static_cast<double>(bytes) / 2;
      const unsigned hops = topology.hops(here, there);
      const unsigned marked = weights.marked_links(here, there);
      if (sent > 0) {
        loads->send(here, there, static_cast<double>(sent));
        metrics.pair_cost += static_cast<double>(sent) * routes.of(here, there, hops);
      }
      // Messages and acknowledgements go both ways, whatever the direction of the bytes.
      if (marked > 0) touched.forward(here, there);
      metrics.fault_weighted_cost += half * weights.cost_of(hops, marked);
      if (hops >= bytes_by_hops.size()) bytes_by_hops.resize(hops + 1);
      bytes_by_hops[hops] += half;
      metrics.hop_bytes += half * hops;
    }
  }
  if (metrics.bytes > 0) {
    metrics.average_hops_per_byte = metrics.hop_bytes / static_cast<double>(metrics.bytes);
  }
  if (!bytes_by_hops.empty()) metrics.dilation = static_cast<unsigned>(bytes_by_hops.size() - 1);
  const std::vector<double> link_loads = loads->take();
  const LinkCosts* costs = topology.link_costs();
  for (Link link = 0; link < link_loads.size(); ++link) {
    const double load = link_loads[link] * (costs == nullptr ? 1 : costs->cost(link));
    metrics.max_link_load = std::max(metrics.max_link_load, load);
    metrics.squared_load += link_loads[link] * load;
  }
  metrics.abort_probability = touched.abort_probability();
  const std::vector<bool> nodes = nodes_of(mapping, topology);
  metrics.nodes_used = static_cast<std::size_t>(std::count(nodes.begin(), nodes.end(), true));
  const Gathered gathered{graph,   topology,      outages,    mapping, abort_cost,
                          metrics, bytes_by_hops, link_loads, nodes};
  metrics.values.reserve(metric_registry().size());
  for (const Metric* metric : metric_registry()) metrics.values.push_back(metric->value(gathered));
  return metrics;
}

}  // namespace tofa
