// SPDX-License-Identifier: BSD-3-Clause
// Squares are seen from their corners, and classes of pairs hold together.
#include "mapping/tools/squares.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"

namespace tofa::squares_test {
namespace {

NumberedPairs pairs_of(const CommGraph& graph) {
  return NumberedPairs(*HeavyPairs::of(graph, 1, 18));
}

TEST(NumberedPairs, AreTheSameFromBothEnds) {
  const NumberedPairs pairs = pairs_of(CommGraph(test::plane(4, 3)));
  EXPECT_EQ(pairs.pairs(), 3 * 3 + 4 * 2);
  std::set<Pair> seen;
  for (Rank rank = 0; rank < pairs.ranks(); ++rank) {
    for (unsigned i = 0; i < pairs.degree(rank); ++i) {
      seen.insert(pairs.pair(rank, i));
      const Rank partner = pairs.partner(rank, i);
      EXPECT_EQ(pairs.partner(partner, pairs.first_from(partner, rank)), rank);
      EXPECT_EQ(pairs.pair(partner, pairs.first_from(partner, rank)), pairs.pair(rank, i));
    }
  }
  EXPECT_EQ(seen.size(), pairs.pairs());
}

TEST(Surroundings, ShowSquaresAroundARank) {
  const NumberedPairs pairs = pairs_of(CommGraph(test::plane(3, 3)));
  Surroundings around(pairs);
  for (int again = 0; again < 2; ++again) {
    ASSERT_TRUE(around.look(4, 0));
    EXPECT_EQ(around.squares().size(), 4) << "the one in the middle";
    ASSERT_TRUE(around.look(0, 0));
    EXPECT_EQ(around.squares().size(), 1);
    ASSERT_TRUE(around.look(4, 4));
    EXPECT_EQ(around.squares().size(), 1) << "of which it is the lowest corner";
  }
}

TEST(Surroundings, TellWhatIsNoPartOfAGrid) {
  const NumberedPairs all = pairs_of(CommGraph(test::complete(3, 1)));
  EXPECT_FALSE(Surroundings(all).look(0, 0)) << "a triangle";
  Traffic three_ways = test::nobody(5);
  for (const Rank between : {1, 2, 3}) {
    three_ways.entries.push_back({0, between, 1});
    three_ways.entries.push_back({between, 4, 1});
  }
  three_ways.normalise();
  const NumberedPairs pairs = pairs_of(CommGraph(three_ways));
  EXPECT_FALSE(Surroundings(pairs).look(0, 0));
  EXPECT_TRUE(Surroundings(pairs).look(2, 2)) << "one of two is below it";
}

TEST(PairClasses, HoldTogether) {
  PairClasses classes(6);
  classes.join(5, 3);
  classes.join(4, 1);
  EXPECT_NE(classes.find(3), classes.find(4));
  classes.join(1, 5);
  for (const Pair pair : {3U, 4U, 5U}) EXPECT_EQ(classes.find(pair), 1) << "the least of them";
  EXPECT_EQ(classes.find(0), 0);
  EXPECT_EQ(classes.find(2), 2);
}

}  // namespace
}  // namespace tofa::squares_test
