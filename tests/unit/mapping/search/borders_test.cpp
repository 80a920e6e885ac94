// SPDX-License-Identifier: BSD-3-Clause
// What is kept up to date must be what would be found anew, after any moves.
#include "mapping/search/borders.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "mapping/search/standing_room.hpp"
#include "support/moves_check.hpp"

namespace tofa {
namespace {

std::uint32_t partners_away(const SearchSpace& space, const Seating& seating, Rank rank) {
  const auto partners = space.strong_partners(rank);
  return static_cast<std::uint32_t>(
      std::count_if(partners.begin(), partners.end(), [&](const WeightedPartner& other) {
        return seating.entry(other.partner) != seating.entry(rank);
      }));
}

// Within a zone, or anywhere, with places to stand on or without.
RC_GTEST_PROP(BordersProperty, AreWhatTheyWouldBeFoundToBe, ()) {
  const test::AnyGridTask any;
  const SearchSpace& space = any.space();
  const SeatPlan roomy = with_standing_room(any.task());
  const SeatPlan& places = *rc::gen::arbitrary<bool>() ? roomy : space.plan();
  Seating seating(places, any.linear_seating().mapping());
  const std::vector<std::uint8_t> zone_of = any.any_zones();
  const Zone zone =
      test::make_zone(space, seating, *rc::gen::arbitrary<bool>() ? &zone_of : nullptr);
  const std::vector<Rank>& ranks = zone.that_move(space);
  RC_PRE(!ranks.empty());
  Borders borders(space, seating, ranks);
  for (int i = 0; i < 30; ++i) {
    const Rank rank = *rc::gen::elementOf(ranks);
    const Seat target = *rc::gen::inRange<Seat>(0, places.seats());
    if (!zone.contains(places.entry_of(target))) continue;
    const std::uint32_t from = seating.entry(rank);
    const Rank other = seating.occupant(target);
    seating.swap_to(rank, target);
    borders.move(rank, seating.entry(rank));
    if (other != kNoRank) borders.move(other, from);
  }
  std::vector<std::size_t> expected(space.plan().entries(), 0);
  for (const Rank rank : ranks) {
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
  double within = 0;
  double all = 0;
  for (const Rank rank : space.active_ranks()) {
    away += partners_away(space, seating, rank);
    for (const auto& [partner, weight] : space.partners(rank)) {
      all += weight;
      if (seating.entry(partner) == seating.entry(rank)) within += weight;
    }
  }
  const Closeness found = closeness(space, seating);
  RC_ASSERT(found.within == within / std::max(all, 1.0));
  RC_ASSERT(found.partners_away == away / static_cast<double>(space.active_ranks().size()));
}

}  // namespace
}  // namespace tofa
