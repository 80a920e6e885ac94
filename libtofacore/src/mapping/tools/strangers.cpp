// SPDX-License-Identifier: BSD-3-Clause
// Pairs by the rings that they close with others: see strangers.hpp.
#include "mapping/tools/strangers.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

// Of a rank with more partners, so many are looked at: it may have them anywhere.
constexpr std::size_t kMostInTriangles = 1024;
constexpr std::size_t kMostInSquares = 128;

std::span<const CommEdge> some_of(std::span<const CommEdge> partners, std::size_t most) {
  return partners.first(std::min(partners.size(), most));
}

// Of so many pairs, drawn at random, how many are not what is asked for; of more than `most`, which
// may take long to look at, one more. `is_one` is given both ranks.
template <typename IsOne>
unsigned count_others(const CommGraph& graph, unsigned samples, unsigned most,
                      const IsOne& is_one) {
  RandomSource random(1);
  unsigned others = 0;
  for (unsigned i = 0; i < samples && others <= most && graph.ranks() > 0; ++i) {
    const Rank rank = random.below(graph.ranks());
    const auto partners = graph.partners(rank);
    if (partners.empty()) continue;
    const auto any = random.below(static_cast<std::uint32_t>(partners.size()));
    others += is_one(rank, partners[any].partner) ? 0 : 1;
  }
  return others;
}

}  // namespace

std::optional<Strangers> Strangers::among(const CommGraph& graph) {
  constexpr unsigned few = 250;  // pairs, that tell what most are
  constexpr unsigned some = 1000;
  constexpr unsigned one_of = 10;  // may be a stranger
  // Where so many squares are closed by chance, they tell nothing.
  constexpr double by_chance = 0.5;
  const double ranks = std::max<double>(graph.ranks(), 1);
  const double partners = 2 * static_cast<double>(graph.pairs()) / ranks;
  Strangers strangers(graph);
  const unsigned no_triangles =
      count_others(graph, few, few / one_of, [&](Rank rank, Rank partner) {
        strangers.choose(rank);
        return strangers.close_triangle(partner);
      });
  if (no_triangles > few / one_of && std::pow(partners, 3) > by_chance * ranks) return std::nullopt;
  const unsigned found = count_others(graph, some, some / one_of, [&](Rank rank, Rank partner) {
    strangers.choose(rank);
    return !strangers.include(partner);
  });
  if (found == 0 || found > some / one_of) return std::nullopt;
  return strangers;
}

void Strangers::choose(Rank rank) {
  chosen_ = rank;
  for (const CommEdge& edge : graph_->partners(rank)) partner_of_[edge.partner] = rank;
}

bool Strangers::include(Rank partner) const {
  return !close_triangle(partner) && !close_square(partner);
}

bool Strangers::close_triangle(Rank partner) const {
  const auto theirs = some_of(graph_->partners(partner), kMostInTriangles);
  return std::any_of(theirs.begin(), theirs.end(),
                     [&](const CommEdge& edge) { return is_shared(edge, partner); });
}

bool Strangers::close_square(Rank partner) const {
  const auto theirs = some_of(graph_->partners(partner), kMostInSquares);
  return std::any_of(theirs.begin(), theirs.end(), [&](const CommEdge& edge) {
    const auto next = some_of(graph_->partners(edge.partner), kMostInSquares);
    return edge.partner != chosen_ &&
           std::any_of(next.begin(), next.end(),
                       [&](const CommEdge& further) { return is_shared(further, partner); });
  });
}

}  // namespace tofa
