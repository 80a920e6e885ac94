// SPDX-License-Identifier: BSD-3-Clause
// Keeping borders: see borders.hpp.
#include "mapping/search/borders.hpp"

#include <algorithm>

namespace tofa {

Borders::Borders(const SearchSpace& space, const Seating& seating, const std::vector<Rank>& ranks)
    : space_(space),
      places_(seating.plan()),
      at_border_(places_.seats() + places_.entries()),
      count_(places_.entries()) {
  const Rank all = space.task().graph.ranks();
  entry_of_.reserve(all);
  for (Rank rank = 0; rank < all; ++rank) entry_of_.push_back(seating.entry(rank));
  away_.resize(all);
  place_.resize(all);
  for (const Rank rank : ranks) {
    for (const auto& [partner, weight] : space.strong_partners(rank))
      away_[rank] += entry_of_[partner] != entry_of_[rank] ? 1 : 0;
    if (away_[rank] > 0) enter(rank);
  }
}

void Borders::move(Rank rank, std::uint32_t to) {
  const std::uint32_t from = entry_of_[rank];
  if (from == to) return;
  if (away_[rank] > 0) leave(rank, from);
  entry_of_[rank] = to;
  away_[rank] = 0;
  for (const auto& [partner, weight] : space_.strong_partners(rank)) {
    const std::uint32_t entry = entry_of_[partner];
    if (entry != to) ++away_[rank];
    if (entry == from && away_[partner]++ == 0) enter(partner);
    if (entry == to && --away_[partner] == 0) leave(partner, entry);
  }
  if (away_[rank] > 0) enter(rank);
}

void Borders::enter(Rank rank) {
  const std::uint32_t entry = entry_of_[rank];
  place_[rank] = static_cast<std::uint32_t>(first_of(entry)) + count_[entry]++;
  at_border_[place_[rank]] = rank;
}

void Borders::leave(Rank rank, std::uint32_t entry) {
  const Rank last = at_border_[first_of(entry) + --count_[entry]];
  at_border_[place_[rank]] = last;
  place_[last] = place_[rank];
}

Closeness closeness(const SearchSpace& space, const Seating& seating) {
  // It is asked in every phase of a search, and so many tell it to a hundredth.
  constexpr std::size_t enough = 2048;
  const std::vector<Rank>& ranks = space.active_ranks();
  const std::size_t looks = std::min(enough, ranks.size());
  RandomSource random(1);
  double away = 0;
  double all = 0;
  double within = 0;
  for (std::size_t i = 0; i < looks; ++i) {
    const Rank rank =
        ranks[looks < enough ? i : random.below(static_cast<std::uint32_t>(ranks.size()))];
    const std::uint32_t here = seating.entry(rank);
    for (const auto& [partner, weight] : space.partners(rank)) {
      all += weight;
      within += seating.entry(partner) == here ? weight : 0;
    }
    for (const auto& [partner, weight] : space.strong_partners(rank))
      away += seating.entry(partner) == here ? 0 : 1;
  }
  return {within / std::max(all, 1.0), away / static_cast<double>(looks)};
}

}  // namespace tofa
