// SPDX-License-Identifier: BSD-3-Clause
// How much each rank has to do with nodes that are worth avoiding, and what a move changes about
// that. On large machines ways have to be looked at for it, which takes longer than all else about
// a move. But a move can save no more than the ranks that move use, and most use none: so that is
// kept, and most moves that lengthen ways are turned down by it alone.
#pragma once

#include <vector>

#include "mapping/search/search_space.hpp"

namespace tofa {

class RiskTally {
 public:
  // Follows the moves that are made of an arrangement; ranks that are never asked about cost
  // nothing.
  RiskTally(const SearchSpace& space, const Seating& seating)
      : space_(space), seating_(seating), used_(space.task().graph.ranks(), kUnknown) {}

  // What a rank uses, by itself and on its ways to all partners, in units of risk.
  std::int64_t used(Rank rank) {
    std::int64_t& used = used_[rank];
    if (used == kUnknown) used = count(rank, seating_.entry(rank));
    return used;
  }

  // Nothing that two ranks do saves more; the second may be kNoRank.
  std::int64_t most_saved(Rank rank, Rank other) {
    return used(rank) + (other == kNoRank ? 0 : used(other));
  }

  // When they exchange their entries. What they exchange with each other goes the same way.
  std::int64_t change(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) {
    std::int64_t change = change_of_one(rank, target, other);
    if (other != kNoRank) change += change_of_one(other, source, rank);
    return change;
  }

  // They do; to be told before the seating is.
  void exchange(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) {
    move_one(rank, source, target, other);
    if (other != kNoRank) move_one(other, target, source, rank);
  }

 private:
  static constexpr std::int64_t kUnknown = -1;

  std::int64_t between(std::uint32_t a, std::uint32_t b) const {
    return std::int64_t{space_.cost().risk_between(a, b)};
  }

  std::int64_t count(Rank rank, std::uint32_t entry) const {
    std::int64_t sum{space_.cost().risk_of(entry)};
    for (const auto& [partner, weight] : space_.partners(rank))
      sum += between(entry, seating_.entry(partner));
    return sum;
  }

  std::int64_t change_of_one(Rank rank, std::uint32_t there, Rank except) {
    std::int64_t change = std::int64_t{space_.cost().risk_of(there)} - used(rank);
    for (const auto& [partner, weight] : space_.partners(rank)) {
      const std::uint32_t entry = seating_.entry(partner);
      change += partner == except ? between(seating_.entry(rank), entry) : between(there, entry);
    }
    return change;
  }

  void move_one(Rank rank, std::uint32_t here, std::uint32_t there, Rank except) {
    used_[rank] = used(rank) + change_of_one(rank, there, except);
    for (const auto& [partner, weight] : space_.partners(rank)) {
      if (partner == except || used_[partner] == kUnknown) continue;
      const std::uint32_t entry = seating_.entry(partner);
      used_[partner] += between(there, entry) - between(here, entry);
    }
  }

  const SearchSpace& space_;
  const Seating& seating_;
  std::vector<std::int64_t> used_;  // by rank
};

}  // namespace tofa
