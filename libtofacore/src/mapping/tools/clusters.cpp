// SPDX-License-Identifier: BSD-3-Clause
// From ranks to clusters: see clusters.hpp.
#include "mapping/tools/clusters.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tofa {

PartitionGraph partition_graph(const CommGraph& traffic, std::uint32_t vertices) {
  const TrafficWeights weight_of(traffic.total_bytes());
  PartitionGraph graph;
  graph.edges.reserve(2 * traffic.pairs());
  graph.offsets.reserve(std::size_t{vertices} + 1);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    if (v < traffic.ranks()) {
      for (const auto& [partner, bytes, sent] : traffic.partners(v)) {
        graph.edges.push_back({partner, weight_of(bytes)});
      }
    }
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
  }
  graph.sizes.assign(vertices, 1);
  graph.bias.assign(vertices, 0);
  return graph;
}

PartitionGraph partition_graph_of(const CommGraph& traffic, std::span<const std::uint32_t> vertices,
                                  std::vector<std::uint32_t>& local) {
  const TrafficWeights weight_of(traffic.total_bytes());
  PartitionGraph graph;
  for (std::uint32_t i = 0; i < vertices.size(); ++i) local[vertices[i]] = i;
  for (const std::uint32_t v : vertices) {
    if (v < traffic.ranks()) {
      for (const auto& [partner, bytes, sent] : traffic.partners(v)) {
        if (local[partner] == kNoRank) continue;
        graph.edges.push_back({local[partner], weight_of(bytes)});
      }
    }
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
  }
  graph.sizes.assign(vertices.size(), 1);
  graph.bias.assign(vertices.size(), 0);
  for (const std::uint32_t v : vertices) local[v] = kNoRank;
  return graph;
}

CommGraph contracted(const CommGraph& graph, const std::vector<std::uint32_t>& cluster,
                     std::size_t clusters) {
  std::vector<Rank> by_cluster(graph.ranks());
  std::iota(by_cluster.begin(), by_cluster.end(), Rank{0});
  std::stable_sort(by_cluster.begin(), by_cluster.end(),
                   [&cluster](Rank a, Rank b) { return cluster[a] < cluster[b]; });
  Traffic traffic;
  traffic.ranks = static_cast<Rank>(clusters);
  std::vector<Bytes> sent_to(clusters);
  std::vector<std::uint32_t> others;
  for (std::size_t first = 0, last = 0; first < by_cluster.size(); first = last) {
    const std::uint32_t mine = cluster[by_cluster[first]];
    others.clear();
    for (last = first; last < by_cluster.size() && cluster[by_cluster[last]] == mine; ++last) {
      for (const auto& [partner, bytes, sent] : graph.partners(by_cluster[last])) {
        const std::uint32_t other = cluster[partner];
        if (other == mine || sent == 0) continue;
        if (sent_to[other] == 0) others.push_back(other);
        sent_to[other] += sent;
      }
    }
    std::sort(others.begin(), others.end());
    for (const std::uint32_t other : others) {
      traffic.entries.push_back({mine, other, std::exchange(sent_to[other], 0)});
    }
  }
  return CommGraph(traffic);
}

double share_between_clusters(const CommGraph& graph, unsigned size) {
  constexpr double hardly_smaller = 0.95;
  const auto crossing = [](const PartitionGraph& cut) {
    return std::accumulate(cut.edges.begin(), cut.edges.end(), 0.0,
                           [](double sum, const auto& edge) { return sum + edge.weight; });
  };
  RandomSource random(1);
  PartitionGraph clusters = partition_graph(graph, graph.ranks());
  const double all = crossing(clusters);
  for (double before = 2.0 * graph.ranks(); clusters.vertices() < hardly_smaller * before;) {
    before = clusters.vertices();
    clusters = coarsen(clusters, random, size).graph;
  }
  return all > 0 ? crossing(clusters) / all : 0;
}

}  // namespace tofa
