// SPDX-License-Identifier: BSD-3-Clause
// See strong_pairs.hpp.
#include "mapping/tools/strong_pairs.hpp"

#include <optional>

namespace tofa {

StrongPairs::StrongPairs(const CommGraph& graph) : strongest_(graph.ranks()) {
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      strongest_[rank] = std::max(strongest_[rank], Bytes{edge.bytes});
  }
  constexpr double least = 0.25;  // of the bytes, or they say little
  double strong = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank))
      strong += contains(rank, partner, bytes) ? static_cast<double>(bytes) / 2 : 0;
  }
  all_ = strong < least * static_cast<double>(graph.total_bytes());
}

double partners_of_a_draw(const CommGraph& graph) {
  constexpr std::size_t many = 4'000'000;  // to look at them takes longer than it is worth
  std::optional<StrongPairs> strong;
  if (graph.pairs() < many) strong.emplace(graph);
  double draws = 0;
  double partners = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const auto all = graph.partners(rank);
    std::size_t drawn = all.size();
    if (strong) {
      drawn = static_cast<std::size_t>(
          std::count_if(all.begin(), all.end(), [&strong, rank](const CommEdge& edge) {
            return strong->contains(rank, edge.partner, edge.bytes);
          }));
    }
    drawn = std::min(drawn, StrongPairs::kMostDrawn);
    draws += static_cast<double>(drawn);
    partners += static_cast<double>(drawn) * static_cast<double>(all.size());
  }
  return draws > 0 ? partners / draws : 0;
}

}  // namespace tofa
