// SPDX-License-Identifier: BSD-3-Clause
// Pairs by the rings that they close with others: see strangers.hpp.
#include "mapping/tools/strangers.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

// Of so many pairs, drawn at random, the share of which it holds that the second rank is somehow
// related to the first. `is_related` is given both.
template <typename IsRelated>
double share_of_pairs(const CommGraph& graph, unsigned samples, const IsRelated& is_related) {
  RandomSource random(1);
  unsigned asked = 0;
  unsigned related = 0;
  for (unsigned i = 0; i < samples && graph.ranks() > 0; ++i) {
    const Rank rank = random.below(graph.ranks());
    const auto partners = graph.partners(rank);
    if (partners.empty()) continue;
    const auto any = random.below(static_cast<std::uint32_t>(partners.size()));
    ++asked;
    related += is_related(rank, partners[any].partner) ? 1 : 0;
  }
  return static_cast<double>(related) / std::max(asked, 1U);
}

}  // namespace

std::optional<Strangers> Strangers::among(const CommGraph& graph) {
  constexpr unsigned few = 256;  // pairs, that tell what most are
  constexpr unsigned some = 1024;
  constexpr double most = 0.9;
  // Where so many squares are closed by chance, they tell nothing.
  constexpr double by_chance = 0.5;
  const double ranks = std::max<double>(graph.ranks(), 1);
  const double partners = 2 * static_cast<double>(graph.pairs()) / ranks;
  Strangers strangers(graph);
  const double in_triangles = share_of_pairs(graph, few, [&](Rank rank, Rank partner) {
    strangers.choose(rank);
    return strangers.close_triangle(partner);
  });
  if (in_triangles < most && std::pow(partners, 3) > by_chance * ranks) return std::nullopt;
  const double neighbours = share_of_pairs(graph, some, [&](Rank rank, Rank partner) {
    strangers.choose(rank);
    return !strangers.include(partner);
  });
  if (neighbours == 1 || neighbours < most) return std::nullopt;
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
  const auto theirs = graph_->partners(partner);
  return std::any_of(theirs.begin(), theirs.end(),
                     [&](const CommEdge& edge) { return is_shared(edge, partner); });
}

bool Strangers::close_square(Rank partner) const {
  const auto theirs = graph_->partners(partner);
  return std::any_of(theirs.begin(), theirs.end(), [&](const CommEdge& edge) {
    const auto next = graph_->partners(edge.partner);
    return edge.partner != chosen_ &&
           std::any_of(next.begin(), next.end(),
                       [&](const CommEdge& further) { return is_shared(further, partner); });
  });
}

}  // namespace tofa
