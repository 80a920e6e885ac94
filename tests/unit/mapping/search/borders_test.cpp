// SPDX-License-Identifier: BSD-3-Clause
// What is kept up to date must be what would be found anew, after any moves.
#include "mapping/search/borders.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/any_grid_task.hpp"

namespace tofa {
namespace {

std::uint32_t partners_away(const SearchSpace& space, const Seating& seating, Rank rank) {
  const auto partners = space.partners(rank);
  return static_cast<std::uint32_t>(
      std::count_if(partners.begin(), partners.end(), [&](const WeightedPartner& other) {
        return seating.entry(other.partner) != seating.entry(rank);
      }));
}

RC_GTEST_PROP(BordersProperty, AreWhatTheyWouldBeFoundToBe, ()) {
  const test::AnyGridTask any;
  const SearchSpace& space = any.space();
  Seating seating = any.linear_seating();
  Borders borders(space, seating, space.active_ranks());
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  for (int i = 0; i < 30; ++i) {
    const auto [rank, target] = space.draw(seating, random);
    const std::uint32_t from = seating.entry(rank);
    const Rank other = seating.occupant(target);
    seating.swap_to(rank, target);
    borders.move(rank, seating.entry(rank));
    if (other != kNoRank) borders.move(other, from);
  }
  std::vector<std::size_t> expected(space.plan().entries(), 0);
  for (Rank rank = 0; rank < any.task().graph.ranks(); ++rank) {
    const std::uint32_t entry = seating.entry(rank);
    const std::uint32_t away = partners_away(space, seating, rank);
    RC_ASSERT(borders.entry(rank) == entry);
    RC_ASSERT(borders.away(rank) == away);
    const auto border = borders.of(entry);
    RC_ASSERT(std::count(border.begin(), border.end(), rank) == (away > 0 ? 1 : 0));
    expected[entry] += away > 0 ? 1 : 0;
  }
  for (std::uint32_t entry = 0; entry < space.plan().entries(); ++entry)
    RC_ASSERT(borders.of(entry).size() == expected[entry]);
}

RC_GTEST_PROP(BordersProperty, SayHowCloseAnArrangementIs, ()) {
  const test::AnyGridTask any;
  const SearchSpace& space = any.space();
  const Seating seating = any.linear_seating();
  double away = 0;
  for (const Rank rank : space.active_ranks()) away += partners_away(space, seating, rank);
  const Closeness found = closeness(space, seating);
  RC_ASSERT(found.within >= 0);
  RC_ASSERT(found.within <= 1);
  RC_ASSERT((found.within == 1) == (away == 0) || any.task().graph.pairs() == 0);
  RC_ASSERT(found.partners_away == away / static_cast<double>(space.active_ranks().size()));
}

}  // namespace
}  // namespace tofa
