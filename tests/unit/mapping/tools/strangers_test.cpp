// SPDX-License-Identifier: BSD-3-Clause
// Strangers: few far pairs of meshes and particles are told from neighbours, and nothing is where
// most pairs are alike.
#include "mapping/tools/strangers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/random_traffic.hpp"

namespace tofa {
namespace {

using Pairs = std::set<std::pair<Rank, Rank>>;

Pairs pairs_of_strangers(const CommGraph& graph) {
  Pairs pairs;
  std::optional<Strangers> strangers = Strangers::among(graph);
  for (Rank rank = 0; strangers && rank < graph.ranks(); ++rank) {
    strangers->choose(rank);
    for (const CommEdge& edge : graph.partners(rank))
      if (strangers->include(edge.partner)) pairs.insert({rank, edge.partner});
  }
  return pairs;
}

// One rank in twenty gets a partner across the job; answers with these pairs, both ways.
Pairs add_far_pairs(Traffic& traffic) {
  Pairs pairs;
  for (Rank rank = 0; rank < traffic.ranks / 2; rank += 20) {
    const Rank partner = rank + traffic.ranks / 2;
    traffic.entries.push_back({rank, partner, 100});
    pairs.insert({rank, partner});
    pairs.insert({partner, rank});
  }
  traffic.normalise();
  return pairs;
}

// A grid is made of squares.
TEST(Strangers, AreFoundAmongSquares) {
  Traffic traffic = test::shuffled_grid({32, 32}, {false, false}, 100, 7);
  const Pairs far = add_far_pairs(traffic);
  EXPECT_EQ(pairs_of_strangers(CommGraph(traffic)), far);
}

TEST(Strangers, AreFoundAmongTriangles) {
  Traffic traffic = test::traffic_of(test::neighbours_in_space(1000, 16));
  const Pairs far = add_far_pairs(traffic);
  const Pairs found = pairs_of_strangers(CommGraph(traffic));
  // Some of the far ones are near each other in space, and where particles are rare, neighbours
  // have nobody in common.
  const auto all = static_cast<double>(far.size());
  EXPECT_GT(std::count_if(far.begin(), far.end(), [&](const auto& p) { return found.contains(p); }),
            0.75 * all);
  EXPECT_LT(found.size(), 1.25 * all);
}

TEST(Strangers, AreNowhereInAGrid) {
  EXPECT_FALSE(Strangers::among(CommGraph(test::shuffled_grid({16, 16}, {true, true}, 100, 7))));
}

TEST(Strangers, AreNoExceptionWhereNobodyIsNear) {
  EXPECT_FALSE(Strangers::among(CommGraph(test::random_traffic(1000, 4))));
  Traffic star;
  star.ranks = 100;
  for (Rank rank = 1; rank < star.ranks; ++rank) star.entries.push_back({0, rank, 1});
  EXPECT_FALSE(Strangers::among(CommGraph(star)));
}

// A rank that collects from one in a hundred makes these no neighbours.
TEST(Strangers, AreCollectorsPartners) {
  Traffic traffic = test::shuffled_grid({300, 300}, {false, false}, 100, 7);
  for (Rank rank = 100; rank < traffic.ranks; rank += 100)
    traffic.entries.push_back({rank, 0, 100});
  traffic.normalise();
  const CommGraph graph(traffic);
  std::optional<Strangers> strangers = Strangers::among(graph);
  ASSERT_TRUE(strangers);
  unsigned neighbours = 0;
  for (Rank rank = 100; rank < traffic.ranks; rank += 100) {
    strangers->choose(rank);
    neighbours += strangers->include(0) ? 0 : 1;
  }
  EXPECT_LT(neighbours, 90);
}

TEST(Strangers, NeedPairs) {
  Traffic nobody;
  nobody.ranks = 5;
  EXPECT_FALSE(Strangers::among(CommGraph(nobody)));
  EXPECT_FALSE(Strangers::among(CommGraph(Traffic{})));
}

}  // namespace
}  // namespace tofa
