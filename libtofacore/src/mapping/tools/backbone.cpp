// SPDX-License-Identifier: BSD-3-Clause
// Pairs by how much they carry: see backbone.hpp.
#include "mapping/tools/backbone.hpp"

#include <algorithm>

namespace tofa {
namespace {

// Half of the ranks have a partner with which they exchange so much. A mean, or what half of the
// bytes are carried by, would go by a few heavy pairs, or by a background that is in all of them.
Bytes typical_of_the_strongest(const CommGraph& graph) {
  std::vector<Bytes> strongest;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    Bytes most = 0;
    for (const CommEdge& edge : graph.partners(rank)) most = std::max(most, Bytes{edge.bytes});
    if (most > 0) strongest.push_back(most);
  }
  if (strongest.empty()) return 0;
  const auto middle = strongest.begin() + static_cast<std::ptrdiff_t>(strongest.size() / 2);
  std::nth_element(strongest.begin(), middle, strongest.end());
  return *middle;
}

}  // namespace

std::optional<CommGraph> backbone(const CommGraph& graph) {
  constexpr Bytes small_part = 64;  // divided by that
  const Bytes typical = typical_of_the_strongest(graph);
  const Bytes enough = typical / small_part + (typical % small_part > 0 ? 1 : 0);
  const auto is_strong = [enough](const CommEdge& edge) { return edge.bytes >= enough; };
  std::size_t kept = 0;
  for (Rank rank = 0; rank < graph.ranks() && enough > 1; ++rank) {
    const auto partners = graph.partners(rank);
    kept += static_cast<std::size_t>(std::count_if(partners.begin(), partners.end(), is_strong));
  }
  if (enough <= 1 || kept == 2 * graph.pairs()) return std::nullopt;
  Traffic strong;
  strong.ranks = graph.ranks();
  strong.entries.reserve(kept);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (is_strong(edge) && edge.sent > 0)
        strong.entries.push_back({rank, edge.partner, edge.sent});
    }
  }
  return CommGraph(strong);
}

std::vector<std::vector<Rank>> components_of(const CommGraph& graph) {
  std::vector<bool> met(graph.ranks());
  std::vector<std::vector<Rank>> components;
  for (Rank start = 0; start < graph.ranks(); ++start) {
    if (met[start]) continue;
    std::vector<Rank>& component = components.emplace_back(1, start);
    met[start] = true;
    for (std::size_t next = 0; next < component.size(); ++next) {
      for (const auto& [partner, bytes, sent] : graph.partners(component[next])) {
        if (met[partner]) continue;
        met[partner] = true;
        component.push_back(partner);
      }
    }
  }
  std::stable_sort(components.begin(), components.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return components;
}

}  // namespace tofa
