// SPDX-License-Identifier: BSD-3-Clause
// Drawings: grids are as long and as wide as they are, rings close, and what has no shape is not
// drawn.
#include "mapping/tools/drawing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/random_traffic.hpp"

namespace tofa {
namespace {

CommGraph grid(const std::vector<unsigned>& shape, const std::vector<bool>& wraps) {
  return CommGraph(test::shuffled_grid(shape, wraps, 100, 7));
}

// The mean way between partners along a dimension, in parts of its length.
double way_of_partners(const CommGraph& graph, const Drawing::Dimension& dimension) {
  double sum = 0;
  double count = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      const double way = std::fabs(dimension.at[rank] - dimension.at[partner]);
      sum += dimension.ring ? std::min(way, 1 - way) : way / dimension.length;
      ++count;
    }
  }
  return sum / count;
}

void expect_three_rings(Traffic traffic) {
  traffic.normalise();
  const std::vector<Drawing> drawings = draw(CommGraph(traffic), 48);
  ASSERT_FALSE(drawings.empty());
  EXPECT_EQ(drawings.front().dimensions.size(), 3);
  for (const auto& dimension : drawings.front().dimensions) EXPECT_TRUE(dimension.ring);
}

TEST(Drawing, AGridHasItsProportions) {
  const CommGraph graph = grid({32, 16}, {false, false});
  const std::vector<Drawing> drawings = draw(graph, 32);
  ASSERT_EQ(drawings.size(), 1);
  const auto& dimensions = drawings.front().dimensions;
  ASSERT_EQ(dimensions.size(), 3);
  EXPECT_FALSE(drawings.front().has_rings());
  EXPECT_NEAR(dimensions[0].length / dimensions[1].length, 2, 0.8);
  EXPECT_LT(dimensions[2].length, 0.7 * dimensions[1].length);
  // Half of the partners are neighbours along it; the others are as far as each other.
  EXPECT_LT(way_of_partners(graph, dimensions[0]), 0.04);
}

TEST(Drawing, ATorusHasRingsAsLongAsTheyAre) {
  const CommGraph graph = grid({24, 12, 12}, {true, true, true});
  const std::vector<Drawing> drawings = draw(graph, 32);
  ASSERT_FALSE(drawings.empty());
  const auto& dimensions = drawings.front().dimensions;
  ASSERT_EQ(dimensions.size(), 3);
  for (const Drawing::Dimension& dimension : dimensions) {
    EXPECT_TRUE(dimension.ring);
    for (const float at : dimension.at) {
      EXPECT_GE(at, 0);
      EXPECT_LE(at, 1);
    }
    EXPECT_LT(way_of_partners(graph, dimension), 0.06);
  }
  EXPECT_NEAR(dimensions[0].length / dimensions[1].length, 2, 0.8);
}

TEST(Drawing, ATubeIsARingAndALine) {
  const std::vector<Drawing> drawings = draw(grid({24, 16}, {true, false}), 32);
  ASSERT_FALSE(drawings.empty());
  unsigned rings = 0;
  for (const auto& dimension : drawings.front().dimensions) rings += dimension.ring ? 1 : 0;
  EXPECT_EQ(rings, 1);
  EXPECT_EQ(drawings.front().dimensions.size(), 2);
}

TEST(Drawing, ParticlesWithoutWallsAreOnThreeRings) {
  expect_three_rings(test::traffic_of(test::neighbours_in_space(512, 12)));
}

// One rank in fifty has a partner anywhere, as strong as its neighbours.
TEST(Drawing, StrangersHideNoShape) {
  for (const Rank ranks : {1000U, 4000U}) {
    Traffic traffic = test::traffic_of(test::neighbours_in_space(ranks, 12));
    RandomSource random(3);
    for (Rank i = 0; i < ranks / 50; ++i)
      traffic.entries.push_back({random.below(ranks), random.below(ranks), 100});
    expect_three_rings(traffic);
  }
}

TEST(Drawing, WhatHangsTogetherByStrangersIsNotDrawn) {
  const CommGraph cloud = test::neighbours_in_space(500, 12);
  Traffic traffic = test::traffic_of(test::side_by_side(cloud, cloud));
  for (Rank rank = 0; rank < 500; rank += 50)
    traffic.entries.push_back({rank, 1000 - 1 - rank, 100});
  traffic.normalise();
  EXPECT_TRUE(draw(CommGraph(traffic), 48).empty());
}

// As groups of ranks are of which a few lie somewhere else.
TEST(Drawing, AFewInTwoPlacesHideNoRings) {
  constexpr Rank ranks = 2000;
  constexpr Rank in_two = 10;
  Traffic traffic = test::traffic_of(test::neighbours_in_space(ranks, 12));
  std::vector<Rank> becomes(ranks);
  RandomSource random(3);
  for (Rank rank = 0; rank < ranks; ++rank)
    becomes[rank] = rank < in_two ? random.below(ranks - in_two) : rank - in_two;
  traffic.ranks = ranks - in_two;
  for (TrafficEntry& entry : traffic.entries) {
    entry.sender = becomes[entry.sender];
    entry.receiver = becomes[entry.receiver];
  }
  expect_three_rings(traffic);
}

TEST(Drawing, WhatHasNoShapeIsNotDrawn) {
  EXPECT_TRUE(draw(CommGraph(test::random_traffic(300, 4)), 48).empty());
}

// Of millions of ranks some have no partners, and none of them is where hops are counted from.
TEST(Drawing, AFewWithoutPartnersChangeNothing) {
  Traffic traffic = test::shuffled_grid({24, 12, 12}, {true, true, true}, 100, 7);
  traffic.ranks += 20;
  const std::vector<Drawing> drawings = draw(CommGraph(traffic), 32);
  ASSERT_FALSE(drawings.empty());
  EXPECT_EQ(drawings.front().dimensions.size(), 3);
  EXPECT_TRUE(drawings.front().has_rings());
}

TEST(Drawing, WhatFallsApartIsNotDrawn) {
  Traffic chains;
  chains.ranks = 200;
  for (Rank rank = 0; rank + 1 < 200; ++rank) {
    if (rank % 50 != 49) chains.entries.push_back({rank, rank + 1, 1});
  }
  EXPECT_TRUE(draw(CommGraph(chains), 32).empty());
}

TEST(Drawing, OddGraphsDoNoHarm) {
  Traffic nobody;
  nobody.ranks = 5;
  Traffic pair;
  pair.ranks = 2;
  pair.entries = {{0, 1, 1}};
  Traffic parts;  // two chains that know nothing of each other
  parts.ranks = 40;
  for (Rank rank = 0; rank + 1 < 40; ++rank) {
    if (rank != 19) parts.entries.push_back({rank, rank + 1, 1});
  }
  for (const Traffic& traffic : {Traffic{}, nobody, pair, parts}) {
    for (const Drawing& drawing : draw(CommGraph(traffic), 8)) {
      for (const auto& dimension : drawing.dimensions) {
        ASSERT_EQ(dimension.at.size(), traffic.ranks);
        for (const float at : dimension.at) EXPECT_TRUE(std::isfinite(at));
      }
    }
  }
}

}  // namespace
}  // namespace tofa
