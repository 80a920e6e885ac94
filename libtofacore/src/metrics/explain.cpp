// SPDX-License-Identifier: BSD-3-Clause
// Comparing two mappings: see explain.hpp.
#include "tofa/explain.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

namespace tofa {
namespace {

// The first `most` of `items` in the given order.
template <typename Item, typename Order>
void keep_first(std::vector<Item>& items, std::size_t most, Order order) {
  const std::size_t count = std::min(most, items.size());
  std::partial_sort(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(count), items.end(),
                    order);
  items.resize(count);
}

PairPlaces places_of(const RankPair& pair, const Topology& topology, const Mapping& mapping) {
  const Node low = mapping[pair.low];
  const Node high = mapping[pair.high];
  return {low, high, topology.hops(low, high)};
}

std::vector<BusyLink> busiest_links(const CommGraph& graph, const Topology& topology,
                                    const Mapping& mapping, std::size_t most) {
  const std::unique_ptr<LinkLoads> loads = topology.link_loads();
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (sent > 0) loads->send(mapping[rank], mapping[partner], static_cast<double>(sent));
    }
  }
  const LinkCosts* costs = topology.link_costs();
  std::vector<BusyLink> links;
  Link link = 0;
  for (const double load : loads->take()) {
    if (load > 0) {
      const double cost = costs == nullptr ? 1 : costs->cost(link);
      links.push_back({topology.link_source(link), topology.link_target(link), load, load * cost});
    }
    ++link;
  }
  keep_first(links, most, [](const BusyLink& a, const BusyLink& b) {
    return std::tie(b.weighted, a.source, a.target) < std::tie(a.weighted, b.source, b.target);
  });
  return links;
}

// By node; nodes that are not suspect may be left at `none` where only routes touch them.
std::vector<NodeUse> uses_of(const CommGraph& graph, const Topology& topology,
                             const FaultWeights& weights, const Mapping& mapping) {
  std::vector<NodeUse> uses(topology.nodes(), NodeUse::none);
  std::vector<Link> route;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      const Node here = mapping[rank];
      const Node there = mapping[edge.partner];
      if (weights.marked_links(here, there) == 0) continue;
      route.clear();
      topology.route(here, there, route);
      for (const Link link : route) {
        const std::uint32_t vertex = topology.link_source(link);
        if (vertex < uses.size()) uses[vertex] = NodeUse::forwards_traffic;
      }
    }
  }
  for (const Node node : mapping) {
    uses[node] = NodeUse::holds_ranks;
    uses[topology.host(node)] = NodeUse::holds_ranks;
  }
  return uses;
}

std::vector<SuspectNode> suspects_of(const CommGraph& graph, const Topology& topology,
                                     const OutageMap& outages, const std::vector<Node>& allocated,
                                     const Mapping& before, const Mapping& after) {
  if (outages.suspects() == 0) return {};
  const FaultWeights weights(topology, outages);
  const std::vector<NodeUse> used_before = uses_of(graph, topology, weights, before);
  const std::vector<NodeUse> used_after = uses_of(graph, topology, weights, after);
  std::vector<bool> concerned(topology.nodes());
  for (const Node node : allocated) concerned[node] = true;
  std::vector<SuspectNode> suspects;
  for (Node node = 0; node < topology.nodes(); ++node) {
    const bool used = used_before[node] != NodeUse::none || used_after[node] != NodeUse::none;
    if (!outages.suspect(node) || !(used || concerned[node])) continue;
    suspects.push_back({node, outages.probability(node), used_before[node], used_after[node]});
  }
  std::stable_sort(
      suspects.begin(), suspects.end(),
      [](const SuspectNode& a, const SuspectNode& b) { return a.probability > b.probability; });
  return suspects;
}

}  // namespace

std::vector<RankPair> heaviest_pairs(const CommGraph& graph, std::size_t most) {
  std::vector<RankPair> pairs;
  pairs.reserve(graph.pairs());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (edge.partner > rank) pairs.push_back({rank, edge.partner, edge.bytes});
    }
  }
  keep_first(pairs, most, [](const RankPair& a, const RankPair& b) {
    return std::tie(b.bytes, a.low, a.high) < std::tie(a.bytes, b.low, b.high);
  });
  return pairs;
}

Explanation explain(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                    const std::vector<Node>& allocated, const Mapping& before, const Mapping& after,
                    std::size_t most, double abort_cost) {
  Explanation explanation;
  explanation.before = evaluate(graph, topology, outages, before, abort_cost);
  explanation.after = evaluate(graph, topology, outages, after, abort_cost);
  for (const RankPair& pair : heaviest_pairs(graph, most)) {
    explanation.heaviest_pairs.push_back(
        {pair, places_of(pair, topology, before), places_of(pair, topology, after)});
  }
  explanation.busiest_before = busiest_links(graph, topology, before, most);
  explanation.busiest_after = busiest_links(graph, topology, after, most);
  explanation.suspects = suspects_of(graph, topology, outages, allocated, before, after);
  return explanation;
}

}  // namespace tofa
