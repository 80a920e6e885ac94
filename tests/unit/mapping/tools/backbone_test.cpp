// SPDX-License-Identifier: BSD-3-Clause
// The backbone: what carries most stays, what collectives add goes, and nothing is taken for that
// where weights are alike or fall off slowly. Components: all ranks, each once, the largest first.
#include "mapping/tools/backbone.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/random_traffic.hpp"

namespace tofa {
namespace {

TEST(Backbone, IsWhatWasThereBeforeCollectives) {
  const CommGraph plane(test::plane(16, 16));
  for (const Traffic& collective : {test::recursive_doubling(256, 1), test::complete(256, 1)}) {
    const auto found = backbone(test::together(plane, collective));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->ranks(), 256);
    EXPECT_EQ(found->pairs(), plane.pairs());
    for (Rank rank = 0; rank < 256; ++rank) {
      for (const auto& [partner, bytes, sent] : found->partners(rank))
        EXPECT_GE(Bytes{bytes}, 100U);
    }
  }
}

TEST(Backbone, IsNotSoughtWhereAllCarryAboutAsMuch) {
  EXPECT_FALSE(backbone(CommGraph(test::plane(16, 16))));
  EXPECT_FALSE(backbone(CommGraph(test::random_traffic(256, 4))));
  EXPECT_FALSE(backbone(CommGraph(test::nobody(4))));
  EXPECT_FALSE(backbone(CommGraph(Traffic{})));
  // A pair that carries an eighth of what others do is no background.
  EXPECT_FALSE(
      backbone(test::together(CommGraph(test::plane(16, 16)), test::recursive_doubling(256, 25))));
}

TEST(ShareOfStrongest, IsLargeWhereWeightsAreSpread) {
  EXPECT_EQ(share_of_strongest(CommGraph(test::nobody(4))), 0);
  EXPECT_EQ(share_of_strongest(CommGraph(Traffic{2, {{0, 1, 5}, {1, 0, 7}}, ""})), 1);
  // A ring: one partner of two.
  EXPECT_EQ(share_of_strongest(CommGraph(Traffic{3, {{0, 1, 4}, {1, 2, 4}, {2, 0, 4}}, ""})), 0.5);
  // Of 20 bytes from both ends the one that rank 1 gets from rank 2 is not.
  EXPECT_EQ(share_of_strongest(CommGraph(Traffic{3, {{0, 1, 9}, {1, 2, 1}}, ""})), 0.95);
}

TEST(Backbone, HasNobodyWhoTalksToAll) {
  const CommGraph plane(test::plane(16, 16));
  for (const Bytes bytes : {1, 500}) {
    const auto found = backbone(test::together(plane, test::gathered(256, bytes)));
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->partners(0).empty());
    EXPECT_EQ(found->pairs(), plane.pairs() - plane.partners(0).size());
  }
}

TEST(Backbone, CountsBytesUpTo64Bits) {
  constexpr Bytes most = ~Bytes{0} / 4;
  Traffic traffic = test::nobody(4);
  traffic.entries = {{0, 1, most}, {1, 2, most}, {2, 3, 1}};
  const CommGraph graph(traffic);
  const auto found = backbone(graph);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->pairs(), 2);
}

TEST(ConnectedComponents, AreAllRanksTheLargestFirst) {
  const CommGraph both =
      test::side_by_side(CommGraph(test::plane(4, 4)), CommGraph(test::plane(8, 4)));
  const CommGraph three = test::side_by_side(both, CommGraph(test::nobody(2)));
  const auto components = components_of(three);
  ASSERT_EQ(components.size(), 4);
  EXPECT_EQ(components[0].size(), 32);
  EXPECT_EQ(components[1].size(), 16);
  EXPECT_EQ(components[2], std::vector<Rank>{48});
  EXPECT_EQ(components[3], std::vector<Rank>{49});
  EXPECT_EQ(*std::min_element(components[0].begin(), components[0].end()), 16);
  EXPECT_TRUE(components_of(CommGraph(Traffic{})).empty());
}

}  // namespace
}  // namespace tofa
