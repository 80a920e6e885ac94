// SPDX-License-Identifier: BSD-3-Clause
// What a move changes on the hops, as a ledger says.
#pragma once

#include <vector>

#include "mapping/search/axis_ledger.hpp"

namespace tofa {

// `ranks` are those that are judged.
class LedgerSums {
 public:
  static constexpr bool kJudgesAtOnce = true;  // however many partners a rank has

  LedgerSums(const SearchSpace& space, const Seating& seating, const std::vector<Rank>& ranks)
      : space_(space), ledger_(space, seating, ranks) {}

  std::int64_t change(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) const {
    std::int64_t delta = ledger_.change(rank, source, target);
    if (other != kNoRank) delta += ledger_.change(other, target, source);
    return delta;
  }
  // Either change counts the other rank as if it stayed, and so much nearer than it will be.
  std::int64_t correction(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) const {
    if (other == kNoRank) return 0;
    for (const auto& [partner, weight] : space_.partners(rank)) {
      if (partner == other)
        return 2 * std::int64_t{weight} * space_.axes()->distance(source, target);
    }
    return 0;
  }
  void exchange(Rank rank, Rank other, std::uint32_t source, std::uint32_t target) {
    ledger_.move(rank, source, target);
    if (other != kNoRank) ledger_.move(other, target, source);
  }

 private:
  const SearchSpace& space_;
  AxisLedger ledger_;
};

}  // namespace tofa
