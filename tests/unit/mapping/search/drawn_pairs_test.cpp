// SPDX-License-Identifier: BSD-3-Clause
// Moves are drawn from all pairs where these carry about as much, not from those that carry next to
// nothing, and of a rank that talks to everybody from some; nobody who talks is left out.
#include "mapping/search/drawn_pairs.hpp"

#include <gtest/gtest.h>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"

namespace tofa {
namespace {

TEST(DrawnPairs, AreAllWhereTheseCarryAsMuch) {
  const CommGraph plane(test::plane(16, 16));
  const DrawnPairs drawn(plane);
  EXPECT_EQ(drawn.all().size(), 2 * plane.pairs());
  for (Rank rank = 0; rank < 256; ++rank) {
    const auto partners = plane.partners(rank);
    ASSERT_EQ(drawn.of(rank).size(), partners.size());
    for (std::size_t i = 0; i < partners.size(); ++i) {
      EXPECT_EQ(drawn.of(rank)[i].rank, rank);
      EXPECT_EQ(drawn.of(rank)[i].partner, partners[i].partner);
    }
  }
}

TEST(DrawnPairs, AreNoneOfThoseThatCarryNextToNothing) {
  const CommGraph plane(test::plane(16, 16));
  const CommGraph busy = test::together(plane, test::gathered(256, 1));
  EXPECT_EQ(DrawnPairs(busy).all().size(), 2 * plane.pairs());
  // Rank 0 is drawn as often as before, and has 255 partners now.
  const double before = DrawnPairs::partners_of_a_draw(plane);
  EXPECT_NEAR(DrawnPairs::partners_of_a_draw(busy), before + 1 + 2 * 252 / 960.0, 0.3);
}

TEST(DrawnPairs, OfWhoTalksToAllAreSome) {
  const CommGraph star(test::gathered(1000, 7));
  const DrawnPairs drawn(star);
  EXPECT_EQ(drawn.of(0).size(), 64);
  EXPECT_GT(drawn.of(0).back().partner, 900);
  for (Rank rank = 1; rank < 1000; ++rank) EXPECT_EQ(drawn.of(rank).size(), 1);
}

TEST(DrawnPairs, AreNoneWhereNobodyTalks) {
  const CommGraph none(test::nobody(3));
  EXPECT_TRUE(DrawnPairs(none).all().empty());
  EXPECT_TRUE(DrawnPairs(none).of(2).empty());
  EXPECT_EQ(DrawnPairs::partners_of_a_draw(none), 0);
}

}  // namespace
}  // namespace tofa
