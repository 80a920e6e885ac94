// SPDX-License-Identifier: BSD-3-Clause
// What is recognised is what the functions find that look for it, and whoever asks gets the same,
// from whichever lane.
#include "mapping/tools/recognised.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/lanes.hpp"
#include "mapping/tools/clusters.hpp"
#include "mapping/tools/tiling.hpp"
#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/random_traffic.hpp"

namespace tofa::recognised_test {
namespace {

TEST(Recognised, IsAGridWhereRanksFormOne) {
  const CommGraph graph(test::shuffled_grid({8, 6}, {true, false}, 10, 3));
  const Recognised recognised(graph);
  ASSERT_NE(recognised.exact_grid(), nullptr);
  EXPECT_EQ(&recognised.grid(), recognised.exact_grid());
  EXPECT_EQ(recognised.grid().positions, guest_grid(graph).positions);
  EXPECT_EQ(recognised.backbone(), nullptr);
}

TEST(Recognised, IsALineWhereNothingIsLikeAGrid) {
  const CommGraph graph(test::random_traffic(256, 4));
  const Recognised recognised(graph);
  EXPECT_EQ(recognised.exact_grid(), nullptr);
  EXPECT_EQ(recognised.grid().shape, (std::vector<unsigned>{256}));
}

TEST(Recognised, IsTheBackboneBehindCollectives) {
  const CommGraph graph =
      test::together(CommGraph(test::plane(16, 16)), test::recursive_doubling(256, 1));
  const Recognised recognised(graph);
  ASSERT_NE(recognised.backbone(), nullptr);
  EXPECT_EQ(recognised.backbone()->pairs(), backbone(graph)->pairs());
}

TEST(Recognised, IsTheSameForBothLanes) {
  const CommGraph graph =
      test::together(CommGraph(test::plane(16, 16)), test::recursive_doubling(256, 1));
  const Recognised recognised(graph);
  std::array<const CommGraph*, kLanes> backbones{};
  std::array<const GuestGrid*, kLanes> grids{};
  run_lanes([&](unsigned lane) {
    grids[lane] = &recognised.grid();
    backbones[lane] = recognised.backbone();
  });
  EXPECT_EQ(grids[0], grids[1]);
  EXPECT_EQ(backbones[0], backbones[1]);
}

TEST(Recognised, HasTheBestTilesOfEachSize) {
  const CommGraph graph(test::shuffled_grid({8, 6}, {true, false}, 10, 3));
  const Recognised recognised(graph);
  for (const unsigned size : {4U, 6U}) {
    const std::vector<std::uint32_t>* tiles = recognised.tiles(size);
    ASSERT_NE(tiles, nullptr);
    EXPECT_EQ(*tiles, tilings(graph, *recognised.exact_grid(), size, 1).front().positions);
    EXPECT_EQ(recognised.tiles(size), tiles);
  }
  EXPECT_EQ(recognised.tiles(5), nullptr);
}

// Thirteen ranks in a row divide by nothing, so that tiles of eight are columns.
Traffic rows_of_thirteen(Bytes along_rows) {
  Traffic traffic =
      test::labelled_grid({13, 8}, {false, false}, 10, test::labels_in_order({13, 8}));
  for (auto& entry : traffic.entries)
    if (entry.receiver == entry.sender + 1) entry.value = along_rows;
  traffic.normalise();
  return traffic;
}

TEST(Recognised, HasNoTilesThatTearRanksFromTheirStrongestPartners) {
  const CommGraph alike(rows_of_thirteen(10));
  EXPECT_NE(Recognised(alike).tiles(8), nullptr);
  const CommGraph graph(rows_of_thirteen(1000));
  const Recognised recognised(graph);
  ASSERT_NE(recognised.exact_grid(), nullptr);
  EXPECT_FALSE(recognised.tilings(8, 1).empty());
  EXPECT_EQ(recognised.tiles(8), nullptr);
  EXPECT_GT(recognised.share_between_tiles(8), 1);
  EXPECT_NE(recognised.tiles(13), nullptr);
}

TEST(Recognised, KnowsWhatTilesExchange) {
  const CommGraph graph(test::plane(12, 8));
  const Recognised recognised(graph);
  // Three by two tiles of four by four; of 11 x 8 + 12 x 7 pairs, 2 x 8 + 12 part.
  EXPECT_DOUBLE_EQ(recognised.share_between_tiles(16), 28.0 / 172);
  EXPECT_GT(recognised.share_between_tiles(5), 1);
}

TEST(Recognised, HasTilesOfGridsWithGaps) {
  const CommGraph graph(test::recursive_doubling(56, 1));
  const Recognised recognised(graph);
  EXPECT_EQ(recognised.exact_grid(), nullptr);
  ASSERT_NE(recognised.gapped_grid(), nullptr);
  ASSERT_NE(recognised.tiles(8), nullptr);
  EXPECT_EQ(*recognised.tiles(8), recognised.tilings(8, 4).front());
  EXPECT_EQ(recognised.tiles(5), nullptr);
}

TEST(Recognised, HasNoTilesWhereThereIsNoGrid) {
  const CommGraph graph(test::random_traffic(256, 4));
  EXPECT_EQ(Recognised(graph).tiles(4), nullptr);
}

TEST(Recognised, KnowsWhatClustersOfEachSizeExchange) {
  const CommGraph graph(test::random_traffic(256, 4));
  const Recognised recognised(graph);
  for (const unsigned size : {4U, 16U, 4U})
    EXPECT_EQ(recognised.share_between_clusters(size), share_between_clusters(graph, size));
}

TEST(Recognised, IsTheSameIfItWasLookedForAhead) {
  const CommGraph grid(test::shuffled_grid({20, 20, 20}, {false, false, false}, 100, 3));
  const CommGraph runs = test::side_by_side(grid, CommGraph(test::plane(64, 64)));
  for (const CommGraph* graph : {&grid, &runs}) {
    const Recognised ahead(*graph);
    const Recognised asked(*graph);
    ahead.look_ahead();
    EXPECT_EQ(ahead.grid().positions, asked.grid().positions);
    EXPECT_EQ(ahead.partners_of_a_draw(), asked.partners_of_a_draw());
    EXPECT_EQ(ahead.loose_parts(), asked.loose_parts());
  }
}

}  // namespace
}  // namespace tofa::recognised_test
