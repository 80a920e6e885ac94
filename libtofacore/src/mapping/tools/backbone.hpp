// SPDX-License-Identifier: BSD-3-Clause
// What a program's ranks exchange with their neighbours, without what its collectives and control
// messages add, which go to partners all over the job and carry next to nothing, and without ranks
// that collect from everybody. Either makes everybody near to everybody, so that nothing has a
// shape any more, and everything hangs together.
#pragma once

#include <optional>
#include <vector>

#include "mapping/tools/strangers.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

// What half of the ranks have at least, of those that talk.
std::size_t typical_partners(const CommGraph& graph);

// Ranks with more than so many partners, as those that collect from all others. Where there are
// none, nobody has to be looked up, which takes longer than all else to go through a large graph.
class Collectors {
 public:
  // The graph has to live as long.
  Collectors(const CommGraph& graph, std::size_t most_partners);
  bool include(Rank rank) const { return any_ && has_many(rank); }

 private:
  bool has_many(Rank rank) const { return graph_.partners(rank).size() > most_partners_; }

  const CommGraph& graph_;
  std::size_t most_partners_;
  bool any_ = false;
};

// What half of the ranks exchange with their strongest partner, or more; collectors are nobody's.
Bytes typical_strongest(const CommGraph& graph, const Collectors& collectors);

// Of what ranks exchange, the share that each exchanges with its strongest partner; 0 where nobody
// talks. Most of it where weights are spread over magnitudes, little where they are alike.
double share_of_strongest(const CommGraph& graph);

// The pairs that carry at least a small part of what half of the ranks exchange with their
// strongest partner, of ranks that have not many times the partners of others. Nothing where that
// is all, or little of the bytes.
std::optional<CommGraph> backbone(const CommGraph& graph);

// What can be reached from each other, of all ranks, where traffic counts as one: the few others
// may be anywhere.
inline constexpr double kConnected = 0.9;

// Ranks of which each can be reached from each (connected components), the largest first; without
// pairs of strangers, if any are given.
std::vector<std::vector<Rank>> components_of(const CommGraph& graph,
                                             Strangers* strangers = nullptr);

}  // namespace tofa
