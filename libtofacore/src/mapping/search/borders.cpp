// SPDX-License-Identifier: BSD-3-Clause
// Keeping borders: see borders.hpp.
#include "mapping/search/borders.hpp"

#include <algorithm>

namespace tofa {

Borders::Borders(const SearchSpace& space, const Seating& seating)
    : space_(space), at_border_(space.plan().entries()) {
  const Rank ranks = space.task().graph.ranks();
  for (Rank rank = 0; rank < ranks; ++rank) entry_of_.push_back(seating.entry(rank));
  away_.resize(ranks);
  place_.resize(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (const auto& [partner, weight] : space.partners(rank))
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
  for (const auto& [partner, weight] : space_.partners(rank)) {
    const std::uint32_t entry = entry_of_[partner];
    if (entry != to) ++away_[rank];
    if (entry == from && away_[partner]++ == 0) enter(partner);
    if (entry == to && --away_[partner] == 0) leave(partner, entry);
  }
  if (away_[rank] > 0) enter(rank);
}

void Borders::enter(Rank rank) {
  std::vector<Rank>& ranks = at_border_[entry_of_[rank]];
  place_[rank] = static_cast<std::uint32_t>(ranks.size());
  ranks.push_back(rank);
}

void Borders::leave(Rank rank, std::uint32_t entry) {
  std::vector<Rank>& ranks = at_border_[entry];
  ranks[place_[rank]] = ranks.back();
  place_[ranks.back()] = place_[rank];
  ranks.pop_back();
}

Closeness closeness(const SearchSpace& space, const Seating& seating) {
  double away = 0;
  double all = 0;
  double within = 0;
  for (const Rank rank : space.active_ranks()) {
    const std::uint32_t here = seating.entry(rank);
    for (const auto& [partner, weight] : space.partners(rank)) {
      const bool stays = seating.entry(partner) == here;
      all += weight;
      within += stays ? weight : 0;
      away += stays ? 0 : 1;
    }
  }
  return {within / std::max(all, 1.0), away / static_cast<double>(space.active_ranks().size())};
}

}  // namespace tofa
