// SPDX-License-Identifier: BSD-3-Clause
// Grids whose ranks are numbered row by row must be seen whatever else they exchange, and nothing
// else may pass for one.
#include "mapping/tools/rank_order_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <numeric>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/neighbours_in_space.hpp"

namespace tofa {
namespace {

CommGraph in_order(const std::vector<unsigned>& shape, const std::vector<bool>& wraps) {
  Traffic traffic = test::labelled_grid(shape, wraps, 100, test::labels_in_order(shape));
  traffic.normalise();
  return CommGraph(traffic);
}

Traffic ring_through_all(Rank ranks, Bytes bytes) {
  Traffic traffic = test::nobody(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    traffic.entries.push_back({rank, (rank + 1) % ranks, bytes});
  return traffic;
}

// The first of each so many collects from the others.
Traffic servers_of_files(Rank ranks, Rank group, Bytes bytes) {
  Traffic traffic = test::nobody(ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    if (rank % group != 0) traffic.entries.push_back({rank, rank / group * group, bytes});
  return traffic;
}

RC_GTEST_PROP(RankOrderGridProperty, GridsAreSeenBehindRingsAndCollectors, ()) {
  const auto dims = *rc::gen::inRange<std::size_t>(2, 4);
  std::vector<unsigned> shape;
  for (std::size_t d = 0; d < dims; ++d) shape.push_back(*rc::gen::inRange(5U, 13U));
  auto wraps = *rc::gen::container<std::vector<bool>>(dims, rc::gen::arbitrary<bool>());
  // The last to be chosen, the first to vary.
  if (*rc::gen::arbitrary<bool>()) {
    shape.insert(shape.begin(), 2);
    wraps.insert(wraps.begin(), false);
  }
  CommGraph graph = in_order(shape, wraps);
  if (*rc::gen::arbitrary<bool>())
    graph = test::together(graph, ring_through_all(graph.ranks(), 100));
  if (*rc::gen::arbitrary<bool>())
    graph = test::together(graph, test::gathered(graph.ranks(), 1000));
  const auto grid = grid_in_rank_order(graph);
  RC_ASSERT(grid.has_value());
  RC_ASSERT(grid->shape == shape);
  for (std::size_t d = 0; d < shape.size(); ++d) RC_ASSERT((grid->wraps[d] != 0) == wraps[d]);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) RC_ASSERT(grid->positions[rank] == rank);
}

// Of few pairs many are around each other in any order.
RC_GTEST_PROP(RankOrderGridProperty, GridsInNoOrderAreNotSeen, ()) {
  const auto columns = *rc::gen::inRange(5U, 9U);
  const auto rows = *rc::gen::inRange(5U, 9U);
  const CommGraph graph(test::shuffled_grid({columns, rows}, {false, false}, 10,
                                            *rc::gen::arbitrary<std::uint64_t>()));
  RC_ASSERT(!grid_in_rank_order(graph).has_value());
}

TEST(RankOrderGrid, ServersOfFilesHideNoGrid) {
  const CommGraph graph =
      test::together(in_order({16, 8, 8}, {false, false, false}), servers_of_files(1024, 32, 100));
  const auto grid = grid_in_rank_order(graph);
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->shape, (std::vector<unsigned>{16, 8, 8}));
}

TEST(RankOrderGrid, DiagonalsBelongToIt) {
  Traffic traffic = test::nobody(20 * 30);
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    for (Rank other = rank + 1; other < traffic.ranks; ++other) {
      const auto apart = [](Rank a, Rank b) { return a > b ? a - b : b - a; };
      if (apart(rank % 20, other % 20) <= 1 && apart(rank / 20, other / 20) <= 1)
        traffic.entries.push_back({rank, other, 10});
    }
  }
  const auto grid = grid_in_rank_order(CommGraph(traffic));
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->shape, (std::vector<unsigned>{20, 30}));
}

TEST(RankOrderGrid, NothingElseIsOne) {
  const CommGraph shuffled(test::shuffled_grid({16, 16}, {false, false}, 10, 3));
  const CommGraph line(ring_through_all(64, 10));
  const CommGraph star(test::gathered(64, 10));
  Traffic opposite = test::nobody(64);
  for (Rank rank = 0; rank < 32; ++rank) opposite.entries.push_back({rank, rank + 32, 10});
  const CommGraph columns(opposite);
  const CommGraph all(test::complete(64, 10));
  const CommGraph near = test::neighbours_in_space(512, 8);
  for (const CommGraph* graph : {&shuffled, &line, &star, &columns, &all, &near})
    EXPECT_FALSE(grid_in_rank_order(*graph));
  EXPECT_FALSE(grid_in_rank_order(CommGraph(test::nobody(1))));
  EXPECT_FALSE(grid_in_rank_order(CommGraph(test::nobody(8))));
}

}  // namespace
}  // namespace tofa
