// SPDX-License-Identifier: BSD-3-Clause
// See strong_pairs.hpp.
#include "mapping/search/strong_pairs.hpp"

#include <optional>

namespace tofa {

StrongPairs::StrongPairs(const CommGraph& graph) : strongest_(graph.ranks()) {
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      strongest_[rank] = std::max(strongest_[rank], Bytes{edge.bytes});
  }
}

double partners_of_a_draw(const CommGraph& graph) {
  constexpr Rank many = 100'000;  // to look at their pairs takes longer than it is worth
  std::optional<StrongPairs> strong;
  if (graph.ranks() < many) strong.emplace(graph);
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
