// SPDX-License-Identifier: BSD-3-Clause
// What a tally says a move changes is what it changes, and after any moves it says of each rank
// what a new one would.
#include "mapping/search/risk_tally.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/any_task.hpp"

namespace tofa::risk_tally_test {
namespace {

// Each pair once.
std::int64_t all_risk(const SearchSpace& space, const Seating& seating) {
  std::int64_t sum = 0;
  for (Rank rank = 0; rank < space.task().graph.ranks(); ++rank) {
    const std::uint32_t entry = seating.entry(rank);
    sum += space.cost().risk_of(entry);
    for (const auto& [partner, weight] : space.partners(rank))
      if (partner > rank) sum += space.cost().risk_between(entry, seating.entry(partner));
  }
  return sum;
}

RC_GTEST_PROP(RiskTallyProperty, SaysWhatMovesChange, ()) {
  test::AnyTask any;
  const MappingTask task = any.task("completion-time");
  const SearchSpace space(task);
  RC_PRE(space.cost().risky());
  Seating seating(space.plan(), map_linear(task));
  RiskTally tally(space, seating);
  for (int step = 0; step < 30; ++step) {
    const Rank rank = *rc::gen::inRange<Rank>(0, any.graph.ranks());
    const Seat seat = *rc::gen::inRange<Seat>(0, space.plan().seats());
    const std::uint32_t source = seating.entry(rank);
    const std::uint32_t target = space.plan().entry_of(seat);
    if (source == target) continue;
    const Rank other = seating.occupant(seat);
    const std::int64_t before = all_risk(space, seating);
    const std::int64_t change = tally.change(rank, other, source, target);
    RC_ASSERT(change >= -tally.most_saved(rank, other));
    if (*rc::gen::inRange(0, 3) == 0) continue;  // not made
    tally.exchange(rank, other, source, target);
    seating.swap_to(rank, seat);
    RC_ASSERT(all_risk(space, seating) - before == change);
  }
  RiskTally anew(space, seating);
  for (Rank rank = 0; rank < any.graph.ranks(); ++rank)
    RC_ASSERT(tally.used(rank) == anew.used(rank));
}

}  // namespace
}  // namespace tofa::risk_tally_test
