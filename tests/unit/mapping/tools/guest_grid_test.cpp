// SPDX-License-Identifier: BSD-3-Clause
// Grids must be recognised whatever the order of their ranks, and nothing else may pass for one.
#include "tofa/guest_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/neighbours_in_space.hpp"

namespace tofa {
namespace {

std::vector<unsigned> sorted(std::vector<unsigned> shape) {
  std::sort(shape.begin(), shape.end());
  return shape;
}

// How many pairs are a step apart.
std::size_t are_steps(const GuestGrid& grid, const CommGraph& graph) {
  std::size_t count = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (edge.partner < rank) continue;
      unsigned steps = 0;
      std::uint32_t from = grid.positions[rank];
      std::uint32_t to = grid.positions[edge.partner];
      for (std::size_t d = 0; d < grid.shape.size(); ++d) {
        const unsigned extent = grid.shape[d];
        const unsigned x = from % extent;
        const unsigned y = to % extent;
        const unsigned straight = x < y ? y - x : x - y;
        steps += grid.wraps[d] != 0 ? std::min(straight, extent - straight) : straight;
        from /= extent;
        to /= extent;
      }
      count += steps == 1 ? 1 : 0;
    }
  }
  return count;
}

RC_GTEST_PROP(GuestGridProperty, AnyGridIsRecognisedInAnyOrder, ()) {
  const auto dims = *rc::gen::inRange<std::size_t>(1, 5);
  // A ring of four is also a square of two by two, so extents start at five, or at two without a
  // ring.
  const auto wraps = *rc::gen::container<std::vector<bool>>(dims, rc::gen::arbitrary<bool>());
  std::vector<unsigned> shape;
  for (std::size_t d = 0; d < dims; ++d) {
    shape.push_back(wraps[d] ? *rc::gen::inRange(5U, 8U) : *rc::gen::inRange(2U, 6U));
  }
  Traffic traffic = test::shuffled_grid(shape, wraps, 1000, *rc::gen::arbitrary<std::uint64_t>());
  // A light pair, as of small collectives, does not hide the grid, though it may turn a small ring
  // into a ladder.
  const bool light = *rc::gen::arbitrary<bool>();
  if (light) traffic.entries.push_back({0, traffic.ranks - 1, 8});
  traffic.normalise();
  const CommGraph graph(traffic);
  const auto grid = recognise_grid(graph);
  RC_ASSERT(grid.has_value());
  if (!light) RC_ASSERT(sorted(grid->shape) == sorted(shape));
  std::vector<std::uint32_t> positions = grid->positions;
  std::sort(positions.begin(), positions.end());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) RC_ASSERT(positions[rank] == rank);
}

// As several processes do for traffic that none of them can hold.
RC_GTEST_PROP(GuestGridProperty, PartnersAloneShowTheSameGrid, ()) {
  const auto length = *rc::gen::inRange(5U, 40U);
  const auto wrap = *rc::gen::arbitrary<bool>();
  const CommGraph graph(test::shuffled_grid({length, 6, 3}, {wrap, false, false}, 10,
                                            *rc::gen::arbitrary<std::uint64_t>()));
  std::vector<std::uint8_t> degrees;
  std::vector<Rank> partners;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    degrees.push_back(static_cast<std::uint8_t>(graph.partners(rank).size()));
    for (const CommEdge& edge : graph.partners(rank)) partners.push_back(edge.partner);
  }
  const auto grid = recognise_grid(degrees, partners);
  const auto expected = recognise_grid(graph);
  RC_ASSERT(grid.has_value() && expected.has_value());
  RC_ASSERT(grid->shape == expected->shape);
  RC_ASSERT(grid->wraps == expected->wraps);
  RC_ASSERT(grid->positions == expected->positions);
}

// Recursive doubling, and panels that go round beside it, as HPL sends them.
TEST(GuestGrid, HypercubesAndRingsOfThemAreGrids) {
  const std::vector<unsigned> cube(12, 2);
  const auto hypercube =
      recognise_grid(CommGraph(test::shuffled_grid(cube, std::vector<bool>(12), 10, 5)));
  ASSERT_TRUE(hypercube);
  EXPECT_EQ(hypercube->shape, cube);
  std::vector<bool> wraps(7);
  wraps[2] = true;
  const auto ring =
      recognise_grid(CommGraph(test::shuffled_grid({2, 2, 24, 2, 2, 2, 2}, wraps, 10, 5)));
  ASSERT_TRUE(ring);
  EXPECT_EQ(sorted(ring->shape), (std::vector<unsigned>{2, 2, 2, 2, 2, 2, 24}));
}

TEST(GuestGrid, WrapsAreTold) {
  const CommGraph graph(test::shuffled_grid({6, 5}, {true, false}, 10, 3));
  const auto grid = recognise_grid(graph);
  ASSERT_TRUE(grid);
  for (std::size_t d = 0; d < 2; ++d) EXPECT_EQ(grid->wraps[d], grid->shape[d] == 6);
}

TEST(GuestGrid, OtherGraphsAreNoGrids) {
  Traffic missing = test::shuffled_grid({5, 4}, {false, false}, 10, 1);
  missing.entries.pop_back();
  Traffic extra = test::shuffled_grid({5, 4}, {false, false}, 10, 0);
  extra.entries.push_back({extra.entries[0].sender, extra.entries[9].receiver, 10});
  Traffic star;
  star.ranks = 8;
  for (Rank rank = 1; rank < 8; ++rank) star.entries.push_back({0, rank, 10});
  Traffic silent;
  silent.ranks = 4;
  for (Traffic* traffic : {&missing, &extra, &star, &silent}) {
    traffic->normalise();
    EXPECT_FALSE(recognise_grid(CommGraph(*traffic)));
  }
}

// Ranks that collect from everybody get the places that nobody else has, and who exchanges with
// somebody far away is where its neighbours are.
RC_GTEST_PROP(GuestGridProperty, AGridIsFoundAmongOtherTraffic, ()) {
  const auto dims = *rc::gen::inRange<std::size_t>(2, 4);
  std::vector<unsigned> shape;
  for (std::size_t d = 0; d < dims; ++d) shape.push_back(*rc::gen::inRange(5U, 9U));
  const auto wraps = *rc::gen::container<std::vector<bool>>(dims, rc::gen::arbitrary<bool>());
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const CommGraph alone(test::shuffled_grid(shape, wraps, 1000, seed));
  Traffic others = test::nobody(alone.ranks());
  const Rank collector = RandomSource(seed).below(others.ranks);
  for (Rank rank = 0; rank < others.ranks; ++rank)
    if (rank != collector) others.entries.push_back({rank, collector, 10'000});
  const CommGraph graph = test::together(alone, others);
  const GuestGrid grid = guest_grid(graph);
  RC_ASSERT(sorted(grid.shape) == sorted(shape));
  RC_ASSERT(are_steps(grid, alone) == alone.pairs());
}

TEST(GuestGrid, FarPartnersHideNoGrid) {
  const CommGraph alone(test::shuffled_grid({12, 10, 8}, {false, true, false}, 1000, 4));
  Traffic others = test::nobody(alone.ranks());
  RandomSource random(3);
  for (int i = 0; i < 20; ++i)
    others.entries.push_back({random.below(960), random.below(960), 1000});
  others.entries.push_back({5, 700, 10'000'000});
  others.normalise();
  const CommGraph graph = test::together(alone, others);
  const GuestGrid grid = guest_grid(graph);
  EXPECT_EQ(sorted(grid.shape), (std::vector<unsigned>{8, 10, 12}));
  EXPECT_EQ(are_steps(grid, alone), alone.pairs());
}

TEST(GuestGrid, WhatHasAShapeOnlyIsNoGrid) {
  const CommGraph graph = test::neighbours_in_space(1000, 8);
  EXPECT_EQ(guest_grid(graph).shape, std::vector<unsigned>{1000});
}

TEST(GuestGrid, WithoutAGridRanksAreALine) {
  Traffic star;
  star.ranks = 8;
  for (Rank rank = 1; rank < 8; ++rank) star.entries.push_back({0, rank, 10});
  const GuestGrid line = guest_grid(CommGraph(star));
  EXPECT_EQ(line.shape, std::vector<unsigned>{8});
  EXPECT_EQ(line.positions[5], 5U);
}

}  // namespace
}  // namespace tofa
