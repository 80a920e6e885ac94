// SPDX-License-Identifier: BSD-3-Clause
// Strong pairs: all where these carry about as much, not those that carry next to nothing to both;
// a search draws moves from them, keeps nobody out who talks, and is told what a draw takes.
#include "mapping/tools/strong_pairs.hpp"

#include <gtest/gtest.h>

#include <map>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/mapping_task.hpp"
#include "support/placed_on_torus.hpp"

namespace tofa {
namespace {

// A search space on a ring of as many nodes as ranks.
struct Space {
  explicit Space(const CommGraph& traffic)
      : graph(traffic),
        ring(test::torus_of({std::to_string(graph.ranks()), graph.ranks()})),
        allocation(test::all_but_every(*ring, 0, 1)),
        task(test::task_of(graph, *ring, none, allocation, trace, parse_objective("hop-bytes"))),
        space(task) {}

  const CommGraph& graph;
  std::unique_ptr<Topology> ring;
  Allocation allocation;
  OutageMap none;
  PlaceOptions options;
  Trace trace{options};
  MappingTask task;
  SearchSpace space;
};

std::map<Rank, unsigned> draws_by_rank(const Space& space, unsigned draws) {
  RandomSource random(1);
  const Seating seating(space.space.plan(), map_linear(space.task));
  std::map<Rank, unsigned> count;
  for (unsigned i = 0; i < draws; ++i) ++count[space.space.draw(seating, random).rank];
  return count;
}

TEST(StrongPairs, AreAllWhereTheseCarryAsMuch) {
  const CommGraph plane(test::plane(16, 16));
  const Space space(plane);
  for (Rank rank = 0; rank < 256; ++rank)
    EXPECT_EQ(space.space.strong_partners(rank).size(), plane.partners(rank).size());
  EXPECT_EQ(space.space.partners_of_a_draw(), partners_of_a_draw(plane));
}

TEST(StrongPairs, AreNoneOfThoseThatCarryNextToNothing) {
  const CommGraph plane(test::plane(16, 16));
  for (const Traffic& collective : {test::recursive_doubling(256, 1), test::gathered(256, 1)}) {
    const CommGraph busy = test::together(plane, collective);
    const Space space(busy);
    for (Rank rank = 0; rank < 256; ++rank) {
      EXPECT_EQ(space.space.partners(rank).size(), busy.partners(rank).size());
      ASSERT_EQ(space.space.strong_partners(rank).size(), plane.partners(rank).size());
      for (const auto& [partner, weight] : space.space.strong_partners(rank))
        EXPECT_GE(weight, 100);
    }
    EXPECT_EQ(space.space.partners_of_a_draw(), partners_of_a_draw(busy));
  }
}

// The root of a gather has two neighbours in the plane like other corners, and is drawn as often.
TEST(StrongPairs, AreWhatIsDrawn) {
  const CommGraph busy = test::together(CommGraph(test::plane(16, 16)), test::gathered(256, 1));
  const Space space(busy);
  EXPECT_LT(draws_by_rank(space, 96'000)[0], 300);  // of 200
  EXPECT_LT(partners_of_a_draw(busy), 6);
}

TEST(StrongPairs, OfWhoTalksToAllAreDrawnInPart) {
  const CommGraph star(test::gathered(1000, 7));
  const Space space(star);
  EXPECT_EQ(space.space.strong_partners(0).size(), 999);
  const std::map<Rank, unsigned> count = draws_by_rank(space, 100'000);
  EXPECT_EQ(count.size(), 1000);
  EXPECT_NEAR(count.at(0), 100'000 * 256.0 / (999 + 256), 2000);
  EXPECT_NEAR(partners_of_a_draw(star), (256 * 999.0 + 999) / (256 + 999), 1e-9);
}

// Who gets much of one of the two is near to it, whatever that is to the other.
TEST(StrongPairs, AreSoForBoth) {
  Traffic traffic = test::nobody(4);
  traffic.entries = {{0, 1, 1000}, {0, 2, 10}, {2, 3, 5}};
  const StrongPairs strong{CommGraph(traffic)};
  EXPECT_TRUE(strong.contains(0, 2, 10));
  EXPECT_TRUE(strong.contains(2, 0, 10));
  EXPECT_FALSE(strong.contains(0, 1, 10));
}

TEST(StrongPairs, AreNoneWhereNobodyTalks) {
  const CommGraph silent(test::nobody(3));
  const Space space(silent);
  EXPECT_TRUE(space.space.strong_partners(2).empty());
  EXPECT_EQ(partners_of_a_draw(silent), 0);
  EXPECT_FALSE(draws_by_rank(space, 10).empty());
}

}  // namespace
}  // namespace tofa
