// SPDX-License-Identifier: BSD-3-Clause
// What a move changes on the cost that decomposes over pairs, added up over the partners of the
// ranks that move.
#pragma once

#include <vector>

#include "mapping/search/search_space.hpp"

namespace tofa {

// `Costs` is one of those of PairCost::with_costs.
template <typename Costs>
class PartnerSums {
 public:
  static constexpr bool kJudgesAtOnce = false;

  PartnerSums(const SearchSpace& space, const Costs& costs, const Seating& seating)
      : space_(space), costs_(costs) {
    const Rank ranks = space.task().graph.ranks();
    key_of_.reserve(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) key_of_.push_back(costs.key(seating.entry(rank)));
  }

  // Change of cost when two ranks exchange their nodes, the second of which may be kNoRank; the
  // true change is larger by correction().
  std::int64_t change(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) const {
    std::int64_t delta = change_of_one(rank, source, target, other);
    if (other != kNoRank) delta += change_of_one(other, target, source, rank);
    return delta;
  }
  static std::int64_t correction(Rank, Rank, std::uint32_t, std::uint32_t) { return 0; }

  void exchange(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) {
    key_of_[rank] = costs_.key(target);
    if (other != kNoRank) key_of_[other] = costs_.key(source);
  }

 private:
  // `except`, with whom the rank changes nodes and stays equally far, is left out.
  std::int64_t change_of_one(Rank rank, std::uint32_t from, std::uint32_t to, Rank except) const {
    const auto here = costs_.row(costs_.key(from));
    const auto there = costs_.row(costs_.key(to));
    std::int64_t delta = 0;
    for (const auto& [partner, weight] : space_.partners(rank)) {
      if (partner == except) continue;
      const std::int32_t key = key_of_[partner];
      delta += std::int64_t{weight} * (static_cast<std::int32_t>(Costs::at(there, key)) -
                                       static_cast<std::int32_t>(Costs::at(here, key)));
    }
    return delta;
  }

  const SearchSpace& space_;
  const Costs costs_;
  std::vector<std::int32_t> key_of_;  // by rank
};

}  // namespace tofa
