// SPDX-License-Identifier: BSD-3-Clause
// greedy: the heuristic the TOFA paper compares with (section 5.1). Pairs of ranks are taken from
// the heaviest down and each pair is placed as close together as the free slots allow.
#include <algorithm>

#include "mapping/mapper.hpp"
#include "mapping/rates.hpp"

namespace tofa {
namespace {

struct Pair {
  Bytes bytes;
  Rank a;
  Rank b;
};

std::vector<Pair> heaviest_first(const CommGraph& graph) {
  std::vector<Pair> pairs;
  pairs.reserve(graph.pairs());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (rank < partner) pairs.push_back({bytes, rank, partner});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& x, const Pair& y) { return x.bytes > y.bytes; });
  return pairs;
}

// Free slots by entry in the allocation.
class FreeSlots {
 public:
  explicit FreeSlots(const MappingTask& task) : task_(task) {
    for (const auto& [node, slots] : task.allocation) free_.push_back(slots);
  }

  // The first node in list order with a free slot.
  Node take_first() {
    while (free_[first_] == 0) ++first_;
    return take(first_);
  }

  // The node nearest to `wish` with a free slot; the earliest in list order among equals.
  Node take_nearest(Node wish) {
    std::size_t best = free_.size();
    unsigned best_hops = 0;
    for (std::size_t entry = first_; entry < free_.size(); ++entry) {
      if (free_[entry] == 0) continue;
      const unsigned hops = task_.topology.hops(wish, task_.allocation[entry].node);
      if (best == free_.size() || hops < best_hops) {
        best = entry;
        best_hops = hops;
      }
      if (best_hops == 0) break;
    }
    return take(best);
  }

 private:
  Node take(std::size_t entry) {
    --free_[entry];
    return task_.allocation[entry].node;
  }

  const MappingTask& task_;
  std::vector<unsigned> free_;
  std::size_t first_ = 0;
};

// Looking for the nearest free slot costs a scan of the nodes per rank: on large machines the scans
// would eat the time that refinement makes better use of.
bool greedy_is_candidate(const MappingTask& task) {
  const double scans =
      static_cast<double>(task.graph.ranks()) * static_cast<double>(task.allocation.size());
  return scans / rates::kGreedyNodesPerSecond <= 0.5 * task.seconds;
}

Mapping map_greedy(const MappingTask& task) {
  Mapping mapping(task.graph.ranks(), kNoNode);
  FreeSlots free(task);
  for (const auto& [bytes, a, b] : heaviest_first(task.graph)) {
    if (mapping[a] == kNoNode && mapping[b] == kNoNode) mapping[a] = free.take_first();
    if (mapping[a] == kNoNode) mapping[a] = free.take_nearest(mapping[b]);
    if (mapping[b] == kNoNode) mapping[b] = free.take_nearest(mapping[a]);
  }
  for (Node& node : mapping) {
    if (node == kNoNode) node = free.take_first();
  }
  return mapping;
}

}  // namespace

extern constexpr Mapper kGreedyMapper{
    "greedy", map_greedy, greedy_is_candidate, Turn::any_lane, false, nullptr, true};

}  // namespace tofa
