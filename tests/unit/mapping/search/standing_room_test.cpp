// SPDX-License-Identifier: BSD-3-Clause
// Who stands must be what counting anew says, and the price must drive out whoever is too many.
#include "mapping/search/standing_room.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/any_grid_task.hpp"

namespace tofa {
namespace {

std::int64_t standing_at(const SearchSpace& space, const Seating& seating, std::uint32_t entry) {
  std::int64_t there = 0;
  for (Rank rank = 0; rank < space.task().graph.ranks(); ++rank)
    there += seating.entry(rank) == entry ? 1 : 0;
  return std::max<std::int64_t>(0, there - space.plan().seats_of(entry));
}

RC_GTEST_PROP(StandingRoomProperty, CountsWhoStands, ()) {
  const test::AnyGridTask any;
  const SearchSpace& space = any.space();
  const SeatPlan places = with_standing_room(any.task());
  Seating seating(places, any.linear_seating().mapping());
  StandingRoom room(space.plan(), seating);
  const auto entries = static_cast<std::uint32_t>(space.plan().entries());
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  for (int i = 0; i < 50; ++i) {
    const Rank rank = random.below(any.task().graph.ranks());
    const std::uint32_t source = seating.entry(rank);
    const std::uint32_t target = random.below(entries);
    if (target == source || !room.has_place(target)) continue;
    const std::int64_t before =
        standing_at(space, seating, source) + standing_at(space, seating, target);
    const std::int64_t said = room.change(source, target);
    const Seat left = seating.seat(rank);
    RC_ASSERT(seating.occupant(room.place(target)) == kNoRank);
    RC_ASSERT(places.entry_of(room.place(target)) == target);
    seating.swap_to(rank, room.place(target));
    room.move(source, left, target);
    RC_ASSERT(before + said ==
              standing_at(space, seating, source) + standing_at(space, seating, target));
  }
  for (std::uint32_t entry = 0; entry < entries; ++entry) {
    RC_ASSERT(places.seats_of(entry) >= space.plan().seats_of(entry));
    RC_ASSERT(room.standing(entry) == standing_at(space, seating, entry));
  }
}

TEST(StandingPrice, RisesWhileTooManyStandAndFallsWhileTooFewDo) {
  constexpr double hot = 100;
  constexpr double cold = 10;
  StandingPrice price(hot, cold);
  const std::int64_t first = price.price();
  price.adapt(hot, 1000, 1000, 1000);
  EXPECT_GT(price.price(), first);
  StandingPrice lower(hot, cold);
  lower.adapt(hot, 1000, 0, 1000);
  EXPECT_LT(lower.price(), first);
  EXPECT_GT(lower.price(), 0);
}

// However cold it is or many there are, it stays between bounds.
TEST(StandingPrice, LetsNobodyStandAtTheEnd) {
  StandingPrice price(100, 10);
  for (int i = 0; i < 10'000; ++i) price.adapt(10, 1000, 1, 1000);
  EXPECT_GT(price.price(), 10 * 100);
  EXPECT_LT(price.price(), 100 * 100);
  StandingPrice steady(100, 100);
  for (int i = 0; i < 10; ++i) steady.adapt(100, 100, 1, 1000);
  EXPECT_GT(steady.price(), 100);
}

}  // namespace
}  // namespace tofa
