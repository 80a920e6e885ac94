// SPDX-License-Identifier: BSD-3-Clause
// From ranks to clusters: see clusters.hpp.
#include "mapping/tools/clusters.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/lanes.hpp"

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

namespace {

// Fewer are not worth a second thread.
constexpr std::size_t kManyPairs = 20'000;

// Ranks by cluster.
class Members {
 public:
  Members(std::span<const std::uint32_t> cluster, std::size_t clusters)
      : first_(clusters + 1), ranks_(cluster.size()) {
    for (const std::uint32_t mine : cluster) ++first_[mine + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (Rank rank = 0; rank < cluster.size(); ++rank) ranks_[next[cluster[rank]]++] = rank;
  }

  std::uint32_t clusters() const { return static_cast<std::uint32_t>(first_.size() - 1); }
  std::span<const Rank> of(std::uint32_t cluster) const {
    return std::span(ranks_).subspan(first_[cluster], first_[cluster + 1] - first_[cluster]);
  }
  // The first cluster of such a part of them, with about as many ranks each.
  std::uint32_t border(unsigned part, unsigned parts) const {
    const auto at = std::lower_bound(first_.begin(), first_.end(), ranks_.size() * part / parts);
    return static_cast<std::uint32_t>(at - first_.begin());
  }

 private:
  std::vector<std::size_t> first_;  // of each cluster
  std::vector<Rank> ranks_;
};

// What clusters [first, end) send to others, in order.
std::vector<TrafficEntry> sent_by(const CommGraph& graph, const std::vector<std::uint32_t>& cluster,
                                  const Members& members, std::uint32_t first, std::uint32_t end) {
  std::vector<TrafficEntry> entries;
  std::vector<Bytes> sent_to(members.clusters());
  std::vector<std::uint32_t> others;
  for (std::uint32_t mine = first; mine < end; ++mine) {
    others.clear();
    for (const Rank rank : members.of(mine)) {
      for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
        const std::uint32_t other = cluster[partner];
        if (other == mine || sent == 0) continue;
        if (sent_to[other] == 0) others.push_back(other);
        sent_to[other] += sent;
      }
    }
    std::sort(others.begin(), others.end());
    for (const std::uint32_t other : others)
      entries.push_back({mine, other, std::exchange(sent_to[other], 0)});
  }
  return entries;
}

}  // namespace

CommGraph contracted(const CommGraph& graph, const std::vector<std::uint32_t>& cluster,
                     std::size_t clusters) {
  const std::span<const std::uint32_t> of_ranks(cluster.data(), graph.ranks());
  const Members members(of_ranks, clusters);
  std::array<std::vector<TrafficEntry>, kLanes> sent;
  run_lanes_if(graph.pairs() >= kManyPairs, [&](unsigned lane) {
    const auto border = [&](unsigned part) {
      return part == kLanes ? members.clusters() : members.border(part, kLanes);
    };
    sent[lane] = sent_by(graph, cluster, members, border(lane), border(lane + 1));
  });
  Traffic traffic{static_cast<Rank>(clusters), std::move(sent[0]), {}};
  for (unsigned lane = 1; lane < kLanes; ++lane)
    traffic.entries.insert(traffic.entries.end(), sent[lane].begin(), sent[lane].end());
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
