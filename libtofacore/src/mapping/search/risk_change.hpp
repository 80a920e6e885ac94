// SPDX-License-Identifier: BSD-3-Clause
// What a move changes about the uses of nodes that are worth avoiding.
#pragma once

#include "mapping/search/search_space.hpp"

namespace tofa {

// In units of risk, when a rank goes from one entry to another, but for what it exchanges with
// `except`, with whom it changes places.
inline std::int64_t risk_change_of_one(const SearchSpace& space, const Seating& seating, Rank rank,
                                       std::uint32_t here, std::uint32_t there, Rank except) {
  const PairCost& cost = space.cost();
  std::int64_t change = std::int64_t{cost.risk_of(there)} - std::int64_t{cost.risk_of(here)};
  for (const auto& [partner, weight] : space.partners(rank)) {
    if (partner == except) continue;
    const std::uint32_t entry = seating.entry(partner);
    change += std::int64_t{cost.risk_between(there, entry)} -
              std::int64_t{cost.risk_between(here, entry)};
  }
  return change;
}

// When two ranks exchange their nodes, the second of which may be kNoRank.
inline std::int64_t risk_change(const SearchSpace& space, const Seating& seating, Rank rank,
                                Rank other, std::uint32_t source, std::uint32_t target) {
  std::int64_t change = risk_change_of_one(space, seating, rank, source, target, other);
  if (other != kNoRank) change += risk_change_of_one(space, seating, other, target, source, rank);
  return change;
}

}  // namespace tofa
