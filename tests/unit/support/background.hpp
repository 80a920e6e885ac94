// SPDX-License-Identifier: BSD-3-Clause
// Traffic of programs that do more than exchange with their neighbours: collectives, and several
// runs side by side in one job.
#pragma once

#include "tofa/comm_graph.hpp"

namespace tofa::test {

// Ranks that do not talk.
inline Traffic nobody(Rank ranks) {
  Traffic traffic;
  traffic.ranks = ranks;
  return traffic;
}

// As an allreduce sends.
inline Traffic recursive_doubling(Rank ranks, Bytes bytes) {
  Traffic traffic = nobody(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank step = 1; step < ranks; step *= 2) {
      const Rank other = rank ^ step;
      if (rank < other && other < ranks) traffic.entries.push_back({rank, other, bytes});
    }
  }
  return traffic;
}

inline Traffic gathered(Rank ranks, Bytes bytes) {
  Traffic traffic = nobody(ranks);
  for (Rank rank = 1; rank < ranks; ++rank) traffic.entries.push_back({rank, 0, bytes});
  return traffic;
}

inline Traffic complete(Rank ranks, Bytes bytes) {
  Traffic traffic = nobody(ranks);
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = a + 1; b < ranks; ++b) traffic.entries.push_back({a, b, bytes});
  }
  return traffic;
}

inline Traffic traffic_of(const CommGraph& graph) {
  Traffic traffic = nobody(graph.ranks());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (sent > 0) traffic.entries.push_back({rank, partner, sent});
    }
  }
  return traffic;
}

// Both at once, of as many ranks.
inline CommGraph together(const CommGraph& graph, const Traffic& other) {
  Traffic traffic = traffic_of(graph);
  traffic.entries.insert(traffic.entries.end(), other.entries.begin(), other.entries.end());
  traffic.normalise();
  return CommGraph(traffic);
}

// Each with ranks of its own; the second's come after the first's.
inline CommGraph side_by_side(const CommGraph& first, const CommGraph& second) {
  Traffic traffic = traffic_of(first);
  for (const auto& [sender, receiver, value] : traffic_of(second).entries) {
    traffic.entries.push_back({first.ranks() + sender, first.ranks() + receiver, value});
  }
  traffic.ranks += second.ranks();
  traffic.normalise();
  return CommGraph(traffic);
}

}  // namespace tofa::test
