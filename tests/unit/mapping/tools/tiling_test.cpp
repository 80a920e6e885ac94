// SPDX-License-Identifier: BSD-3-Clause
// Tiles have the size that was asked for, in any grid, and the shape that cuts least.
#include "mapping/tools/tiling.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/grid_traffic.hpp"

namespace tofa::tiling_test {
namespace {

std::vector<unsigned> sizes_of(const GuestGrid& tiles) {
  const auto count = std::accumulate(tiles.shape.begin(), tiles.shape.end(), 1U, std::multiplies());
  std::vector<unsigned> sizes(count);
  for (const std::uint32_t position : tiles.positions) ++sizes.at(position);
  return sizes;
}

Bytes cut_of(const CommGraph& graph, const std::vector<std::uint32_t>& group) {
  Bytes cut = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (group[rank] != group[edge.partner]) cut += edge.bytes;
    }
  }
  return cut / 2;
}

Bytes cut_of(const CommGraph& graph, const GuestGrid& tiles) {
  return cut_of(graph, tiles.positions);
}

// In any order of ranks.
CommGraph any_grid() {
  const auto extents = *rc::gen::container<std::vector<unsigned>>(
      *rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(3U, 14U));
  const auto wraps =
      *rc::gen::container<std::vector<bool>>(extents.size(), rc::gen::arbitrary<bool>());
  return CommGraph(test::shuffled_grid(extents, wraps, 10, *rc::gen::arbitrary<unsigned>()));
}

RC_GTEST_PROP(TilingProperty, TilesAreAllAsLargeAsAskedFor, ()) {
  const CommGraph graph = any_grid();
  const auto size = *rc::gen::inRange(1U, 40U);
  const auto guest = recognise_grid(graph);
  RC_ASSERT(guest.has_value());
  for (const GuestGrid& tiles : tilings(graph, *guest, size, 3)) {
    for (const unsigned ranks : sizes_of(tiles)) RC_ASSERT(ranks == size);
    RC_ASSERT(tiles.wraps.size() == tiles.shape.size());
  }
}

// Whatever divides: lengths are turned into factors.
RC_GTEST_PROP(BorderTrafficProperty, CountsWhatLiesInDifferentTiles, ()) {
  const auto extent = *rc::gen::element(97U, 360U, 5040U, 65536U, 1'000'000U);
  const GuestGrid line{{extent}, {false}, {}};
  BorderTraffic borders(line);
  const auto a = *rc::gen::inRange(0U, extent);
  const auto b = *rc::gen::inRange(0U, extent);
  borders.add(a, b, 3);
  for (std::size_t i = 0; i < borders.lengths(0).size(); ++i) {
    const unsigned length = borders.lengths(0)[i];
    RC_ASSERT(borders.crossing(0, i) == (a / length == b / length ? 0 : 3));
  }
  for (std::size_t i = 0; i < borders.lengths(0).size(); ++i) {
    const unsigned length = borders.lengths(0)[i];
    const unsigned at = a / length * length;
    if (at == 0) continue;
    const double before = borders.crossing(0, i);
    borders.add(at - 1, at, 5);
    RC_ASSERT(borders.crossing(0, i) == before + 5);
  }
}

TEST(Tiling, CubesCutLess) {
  const CommGraph graph(test::shuffled_grid({16, 16, 16}, {true, true, true}, 10, 3));
  const auto found = tilings(graph, *recognise_grid(graph), 64, 4);
  ASSERT_EQ(found.size(), 4);
  EXPECT_EQ(found[0].shape, (std::vector<unsigned>{4, 4, 4}));
  EXPECT_EQ(cut_of(graph, found[0]), 3 * 4 * 256 * 10);
  for (const GuestGrid& other : found) EXPECT_GE(cut_of(graph, other), cut_of(graph, found[0]));
}

// A grid in which one direction has most of the traffic, as panels have.
TEST(Tiling, WhereThereIsMoreTrafficTilesAreLonger) {
  Traffic traffic = test::shuffled_grid({12, 12}, {false, false}, 10, 3);
  const auto guest = recognise_grid(CommGraph(traffic));
  for (TrafficEntry& entry : traffic.entries) {
    const unsigned apart = guest->positions[entry.sender] > guest->positions[entry.receiver]
                               ? guest->positions[entry.sender] - guest->positions[entry.receiver]
                               : guest->positions[entry.receiver] - guest->positions[entry.sender];
    if (apart == 1) entry.value = 1000;
  }
  const auto found = tilings(CommGraph(traffic), *guest, 12, 1);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].shape, std::vector<unsigned>{12});
  EXPECT_EQ(cut_of(CommGraph(traffic), found[0]), 11 * 12 * 10);
}

TEST(Tiling, WhatNoBoxFillsHasNoTiles) {
  const CommGraph graph(test::shuffled_grid({5, 6}, {false, false}, 10, 3));
  const auto guest = recognise_grid(graph);
  for (const unsigned size : {1U, 4U, 7U, 9U, 30U}) {
    EXPECT_TRUE(tilings(graph, *guest, size, 4).empty()) << size;
  }
  EXPECT_FALSE(tilings(graph, *guest, 10, 4).empty());
}

RC_GTEST_PROP(GroupsInBoxesProperty, AllAreFullButTheLast, ()) {
  const CommGraph graph = any_grid();
  const auto size = *rc::gen::inRange(1U, 40U);
  const auto guest = recognise_grid(graph);
  RC_ASSERT(guest.has_value());
  const auto found = groups_in_boxes(graph, *guest, size, 3);
  RC_ASSERT(found.size() <= 3);
  for (const auto& group : found) {
    std::vector<unsigned> sizes((graph.ranks() + size - 1) / size);
    for (const std::uint32_t of_rank : group) ++sizes.at(of_rank);
    sizes.pop_back();
    for (const unsigned ranks : sizes) RC_ASSERT(ranks == size);
  }
}

TEST(GroupsInBoxes, AreTilesWhereTheseAreNearlyCubes) {
  const CommGraph graph(test::shuffled_grid({16, 16, 16}, {true, true, true}, 10, 3));
  const auto guest = recognise_grid(graph);
  const auto found = groups_in_boxes(graph, *guest, 64, 1);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found.front(), tilings(graph, *guest, 64, 1).front().positions);
}

// 31 divides by nothing: tiles of 8 ranks are 1x2x4, which cut 7 of 12 pairs of three ranks, and
// boxes in strips 2x2x2, which cut 6, and a few more at the ends of strips.
TEST(GroupsInBoxes, GoOnFromStripToStripWhereTilesAreLong) {
  const CommGraph graph(test::shuffled_grid({31, 16, 8}, {true, true, true}, 10, 3));
  const auto guest = recognise_grid(graph);
  const auto found = groups_in_boxes(graph, *guest, 8, 1);
  ASSERT_EQ(found.size(), 1);
  const double in_tiles = static_cast<double>(cut_of(graph, tilings(graph, *guest, 8, 1).front()));
  EXPECT_LT(static_cast<double>(cut_of(graph, found.front())), 0.9 * in_tiles);
}

TEST(GroupsInBoxes, TakeAllRanksWhereSomeAreLeftOver) {
  const CommGraph graph(test::shuffled_grid({20, 21}, {false, false}, 10, 3));
  const auto found = groups_in_boxes(graph, *recognise_grid(graph), 16, 1);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(std::count(found.front().begin(), found.front().end(), 26), 420 - 26 * 16);
  // Of 4x4 ranks half of the pairs at their borders are theirs.
  EXPECT_LE(static_cast<double>(cut_of(graph, found.front())), 0.28 * 10 * 2 * 420);
}

TEST(GroupsInBoxes, AreNoneWhereAllAreLong) {
  const CommGraph graph(test::shuffled_grid({17, 19}, {false, false}, 10, 3));
  EXPECT_TRUE(groups_in_boxes(graph, *recognise_grid(graph), 16, 3).empty());
}

// Every half of the dimensions of a cube is a shape: looking at them ends.
TEST(Tiling, HypercubesAreCutInHypercubes) {
  const CommGraph graph(
      test::shuffled_grid(std::vector<unsigned>(12, 2), std::vector<bool>(12), 1, 3));
  const auto found = tilings(graph, *recognise_grid(graph), 64, 4);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].shape, std::vector<unsigned>(6, 2));
  EXPECT_EQ(cut_of(graph, found[0]), graph.pairs() / 2);
}

}  // namespace
}  // namespace tofa::tiling_test
