// SPDX-License-Identifier: BSD-3-Clause
// See drawn_pairs.hpp.
#include "mapping/search/drawn_pairs.hpp"

#include <algorithm>

namespace tofa {
namespace {

constexpr std::size_t kMostOfARank = 64;
constexpr Bytes kMuch = 32;  // what the strongest partner gets, divided by that

// Calls `use` with each partner that gets much.
template <typename Use>
void for_each_strong(std::span<const CommEdge> partners, Use&& use) {
  Bytes strongest = 0;
  for (const CommEdge& edge : partners) strongest = std::max(strongest, Bytes{edge.bytes});
  for (const auto& [partner, bytes, sent] : partners) {
    if (bytes >= strongest / kMuch) use(partner);
  }
}

}  // namespace

DrawnPairs::DrawnPairs(const CommGraph& graph) {
  pairs_.reserve(2 * graph.pairs());
  start_.reserve(std::size_t{graph.ranks()} + 1);
  start_.push_back(0);
  std::vector<Rank> strong;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    strong.clear();
    for_each_strong(graph.partners(rank), [&](Rank partner) { strong.push_back(partner); });
    const std::size_t count = std::min(strong.size(), kMostOfARank);
    for (std::size_t i = 0; i < count; ++i) {
      pairs_.push_back({rank, strong[i * strong.size() / count]});
    }
    start_.push_back(pairs_.size());
  }
}

double DrawnPairs::partners_of_a_draw(const CommGraph& graph) {
  constexpr Rank enough = 16'384;
  const Rank step = 1 + graph.ranks() / enough;
  double draws = 0;
  double partners = 0;
  for (Rank rank = 0; rank < graph.ranks(); rank += step) {
    std::size_t strong = 0;
    for_each_strong(graph.partners(rank), [&](Rank /*partner*/) { ++strong; });
    const auto drawn = static_cast<double>(std::min(strong, kMostOfARank));
    draws += drawn;
    partners += drawn * static_cast<double>(graph.partners(rank).size());
  }
  return draws > 0 ? partners / draws : 0;
}

}  // namespace tofa
