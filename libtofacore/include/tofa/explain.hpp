// SPDX-License-Identifier: BSD-3-Clause
// Why one mapping is better than another, in terms of the job: the pairs that talk most and how far
// apart they are, the links that carry most, and the suspect nodes that are kept out of it.
#pragma once

#include <cstddef>
#include <vector>

#include "tofa/metrics.hpp"

namespace tofa {

struct RankPair {
  Rank low;
  Rank high;
  Bytes bytes;  // both directions together
  friend bool operator==(const RankPair&, const RankPair&) = default;
};

// Where the ends of a pair are.
struct PairPlaces {
  Node low;
  Node high;
  unsigned hops;
};

struct PairChange {
  RankPair pair;
  PairPlaces before;
  PairPlaces after;
};

struct BusyLink {
  std::uint32_t source;  // vertices of the topology
  std::uint32_t target;
  double bytes;
  double weighted;  // times what the link costs, tofa/link_costs.hpp: what links are sorted by
};

// What a mapping needs a node for.
enum class NodeUse { none, forwards_traffic, holds_ranks };

// A node that may fail and is allocated to the job, or needed by one of the mappings.
struct SuspectNode {
  Node node;
  double probability;  // as OutageMap says, a virtual host's is at least its host's
  NodeUse before;
  NodeUse after;
};

struct Explanation {
  Metrics before;
  Metrics after;
  std::vector<PairChange> heaviest_pairs;  // most bytes first
  std::vector<BusyLink> busiest_before;    // most bytes first; only links that carry something
  std::vector<BusyLink> busiest_after;
  std::vector<SuspectNode> suspects;  // most likely to fail first
};

// How many pairs and links an explanation names unless told otherwise.
inline constexpr std::size_t kMostExplained = 10;

// The `most` pairs that exchange most, of equals the one with the lower ranks first.
std::vector<RankPair> heaviest_pairs(const CommGraph& graph, std::size_t most);

// Of pairs and of links, the first `most` are given; `abort_cost` is for evaluate(). Throws Error
// when a mapping is not one of this graph's ranks onto this topology.
Explanation explain(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                    const std::vector<Node>& allocated, const Mapping& before, const Mapping& after,
                    std::size_t most = kMostExplained, double abort_cost = kAbortCost);

}  // namespace tofa
