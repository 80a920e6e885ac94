// SPDX-License-Identifier: BSD-3-Clause
// Pairs by how much they carry: see backbone.hpp.
#include "mapping/tools/backbone.hpp"

#include <algorithm>

namespace tofa {
namespace {

// What half of the ranks reach; 0 is no rank's.
template <typename Number>
Number middle_of(std::vector<Number> numbers) {
  std::erase(numbers, Number{0});
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

// What belongs to the backbone. Means, or what half of the bytes are carried by, would go by a few
// heavy pairs, or by a background that is in all of them; so both limits are by typical ranks.
class Limits {
 public:
  explicit Limits(const CommGraph& graph)
      : collectors_(graph, kManyTimes * typical_partners(graph)) {
    const Bytes typical = typical_strongest(graph, collectors_);
    least_bytes_ = typical / kSmallPart + (typical % kSmallPart > 0 ? 1 : 0);
  }

  bool met_by(Rank rank, const CommEdge& edge) const {
    return edge.bytes >= least_bytes_ && !collectors_.include(rank) &&
           !collectors_.include(edge.partner);
  }

 private:
  static constexpr Bytes kSmallPart = 64;        // divided by that
  static constexpr std::size_t kManyTimes = 16;  // as many partners as others

  const Collectors collectors_;
  Bytes least_bytes_ = 0;
};

}  // namespace

std::size_t typical_partners(const CommGraph& graph) {
  std::vector<std::size_t> partners(graph.ranks());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) partners[rank] = graph.partners(rank).size();
  return middle_of(std::move(partners));
}

Collectors::Collectors(const CommGraph& graph, std::size_t most_partners)
    : graph_(graph), most_partners_(most_partners) {
  for (Rank rank = 0; rank < graph.ranks() && !any_; ++rank) any_ = has_many(rank);
}

Bytes typical_strongest(const CommGraph& graph, const Collectors& collectors) {
  std::vector<Bytes> strongest(graph.ranks());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (!collectors.include(edge.partner))
        strongest[rank] = std::max(strongest[rank], Bytes{edge.bytes});
    }
  }
  return middle_of(std::move(strongest));
}

double share_of_strongest(const CommGraph& graph) {
  double strongest = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    Bytes most = 0;
    for (const CommEdge& edge : graph.partners(rank)) most = std::max(most, Bytes{edge.bytes});
    strongest += static_cast<double>(most);
  }
  return strongest / (2 * std::max(static_cast<double>(graph.total_bytes()), 1.0));
}

std::optional<CommGraph> backbone(const CommGraph& graph) {
  constexpr double least = 0.25;  // of the bytes: many weak pairs may be what counts
  const Limits limits(graph);
  std::size_t kept = 0;
  double bytes = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (!limits.met_by(rank, edge)) continue;
      ++kept;
      bytes += static_cast<double>(edge.bytes) / 2;
    }
  }
  if (kept == 2 * graph.pairs() || bytes < least * static_cast<double>(graph.total_bytes()))
    return std::nullopt;
  Traffic strong;
  strong.ranks = graph.ranks();
  strong.entries.reserve(kept);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (edge.sent > 0 && limits.met_by(rank, edge))
        strong.entries.push_back({rank, edge.partner, edge.sent});
    }
  }
  return CommGraph(strong);
}

std::vector<std::vector<Rank>> components_of(const CommGraph& graph, Strangers* strangers) {
  std::vector<bool> met(graph.ranks());
  std::vector<std::vector<Rank>> components;
  for (Rank start = 0; start < graph.ranks(); ++start) {
    if (met[start]) continue;
    std::vector<Rank>& component = components.emplace_back(1, start);
    met[start] = true;
    for (std::size_t next = 0; next < component.size(); ++next) {
      if (strangers != nullptr) strangers->choose(component[next]);
      for (const auto& [partner, bytes, sent] : graph.partners(component[next])) {
        if (met[partner] || (strangers != nullptr && strangers->include(partner))) continue;
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
