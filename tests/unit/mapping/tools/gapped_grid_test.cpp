// SPDX-License-Identifier: BSD-3-Clause
// Grids of which places are missing are found in any order of ranks, nothing else is taken for
// them, and groups of their ranks are as good as full tiles.
#include "mapping/tools/gapped_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/in_rows.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/random_traffic.hpp"

namespace tofa::gapped_grid_test {
namespace {

Traffic shuffled(Traffic traffic, std::uint64_t seed) {
  std::vector<Rank> label(traffic.ranks);
  std::iota(label.begin(), label.end(), Rank{0});
  RandomSource(seed).shuffle(label);
  for (TrafficEntry& entry : traffic.entries) {
    entry.sender = label[entry.sender];
    entry.receiver = label[entry.receiver];
  }
  traffic.normalise();
  return traffic;
}

// As an allreduce sends where ranks are no power of two: those left over have one of the others
// take part for them.
Traffic allreduce(Rank ranks, Bytes bytes) {
  Rank power = 1;
  while (2 * power <= ranks) power *= 2;
  const Rank left_over = ranks - power;
  const auto named = [left_over](Rank rank) {
    return rank < left_over ? 2 * rank : rank + left_over;
  };
  Traffic traffic = test::recursive_doubling(power, bytes);
  traffic.ranks = ranks;
  for (TrafficEntry& entry : traffic.entries) {
    entry.sender = named(entry.sender);
    entry.receiver = named(entry.receiver);
  }
  for (Rank rank = 0; rank < left_over; ++rank)
    traffic.entries.push_back({2 * rank, 2 * rank + 1, bytes});
  return traffic;
}

bool is_ring_step(const GuestGrid& grid, std::uint32_t a, std::uint32_t b) {
  for (std::size_t d = 0; d < grid.shape.size(); ++d) {
    const unsigned from = a % grid.shape[d];
    const unsigned to = b % grid.shape[d];
    if (from != to) {
      const unsigned apart = std::max(from, to) - std::min(from, to);
      return apart == 1 || (grid.wraps[d] != 0 && apart + 1 == grid.shape[d]);
    }
    a /= grid.shape[d];
    b /= grid.shape[d];
  }
  return false;
}

void check_positions(const CommGraph& graph, const GuestGrid& grid) {
  const std::set<std::uint32_t> different(grid.positions.begin(), grid.positions.end());
  RC_ASSERT(different.size() == graph.ranks());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      const std::uint32_t a = grid.positions[rank];
      const std::uint32_t b = grid.positions[edge.partner];
      RC_ASSERT(test::differences(a, b, grid.shape) == 1);
      RC_ASSERT(is_ring_step(grid, a, b));
    }
  }
}

double between(const CommGraph& graph, const std::vector<std::uint32_t>& group) {
  double bytes = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      bytes += group[rank] == group[edge.partner] ? 0 : static_cast<double>(edge.bytes) / 2;
  }
  return bytes;
}

RC_GTEST_PROP(GappedGridProperty, RecursiveDoublingOfAnyNumberIsFound, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(12, 700);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const CommGraph graph(shuffled(test::recursive_doubling(ranks, 10), seed));
  const auto found = recognise_gapped_grid(graph);
  RC_ASSERT(found.has_value());
  check_positions(graph, found->grid);
}

RC_GTEST_PROP(GappedGridProperty, RingsAndHalvesOfAnyNumberAreFound, ()) {
  const auto columns = *rc::gen::inRange<Rank>(5, 20);
  const auto rows = *rc::gen::inRange<Rank>(5, 40);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const CommGraph graph(shuffled(test::traffic_of(test::rings_and_halves(columns, rows)), seed));
  const auto found = recognise_gapped_grid(graph);
  RC_ASSERT(found.has_value());
  check_positions(graph, found->grid);
}

RC_GTEST_PROP(GappedGridProperty, WhatAnAllreduceLeavesOverIsBesideIt, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(16, 700);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const CommGraph graph(shuffled(allreduce(ranks, 10), seed));
  const auto found = recognise_gapped_grid(graph);
  RC_ASSERT(found.has_value());
  check_positions(graph, found->grid);
}

// A domain from one corner of which a box is cut.
RC_GTEST_PROP(GappedGridProperty, GridsWithoutACornerAreFound, ()) {
  const std::vector<unsigned> shape = {*rc::gen::inRange(4U, 9U), *rc::gen::inRange(4U, 9U),
                                       *rc::gen::inRange(2U, 5U)};
  const std::vector<unsigned> gone = {*rc::gen::inRange(1U, shape[0] - 1),
                                      *rc::gen::inRange(1U, shape[1] - 1),
                                      *rc::gen::inRange(1U, shape[2])};
  const Traffic whole =
      test::labelled_grid(shape, {false, false, false}, 10, test::labels_in_order(shape));
  std::vector<Rank> label(whole.ranks, kNoRank);
  Traffic traffic;
  for (Rank rank = 0; rank < whole.ranks; ++rank) {
    const Rank x = rank % shape[0];
    const Rank y = rank / shape[0] % shape[1];
    const Rank z = rank / shape[0] / shape[1];
    if (x >= gone[0] || y >= gone[1] || z >= gone[2]) label[rank] = traffic.ranks++;
  }
  for (const TrafficEntry& entry : whole.entries) {
    if (label[entry.sender] == kNoRank || label[entry.receiver] == kNoRank) continue;
    traffic.entries.push_back({label[entry.sender], label[entry.receiver], entry.value});
  }
  const CommGraph graph(shuffled(traffic, *rc::gen::arbitrary<std::uint64_t>()));
  const auto found = recognise_gapped_grid(graph);
  RC_ASSERT(found.has_value());
  check_positions(graph, found->grid);
}

TEST(GappedGrid, OverlooksLightPairs) {
  const Traffic traffic = shuffled(test::recursive_doubling(200, 1000), 5);
  const auto found =
      recognise_gapped_grid(test::together(CommGraph(traffic), test::gathered(200, 3)));
  ASSERT_TRUE(found.has_value());
  const std::set<std::uint32_t> different(found->grid.positions.begin(),
                                          found->grid.positions.end());
  EXPECT_EQ(different.size(), 200);
}

TEST(GappedGrid, IsNothingElse) {
  EXPECT_FALSE(recognise_gapped_grid(CommGraph(test::random_traffic(300, 3))));
  EXPECT_FALSE(recognise_gapped_grid(test::neighbours_in_space(300, 8)));
  EXPECT_FALSE(recognise_gapped_grid(CommGraph(test::shuffled_hexagons(12, 10, 1))));
  EXPECT_FALSE(recognise_gapped_grid(CommGraph(test::complete(12, 1))));
  EXPECT_FALSE(recognise_gapped_grid(CommGraph(test::gathered(12, 1))));
  EXPECT_FALSE(recognise_gapped_grid(CommGraph(test::nobody(12))));
  EXPECT_FALSE(recognise_gapped_grid(CommGraph(test::nobody(0))));
  EXPECT_FALSE(recognise_gapped_grid(CommGraph(test::shuffled_grid({40}, {true}, 1, 1))));
}

// As many ranks in each group as were asked for, which exchange no more than ranks do that follow
// each other in the order in which they double; or a fifth more at most where groups are no tiles.
RC_GTEST_PROP(GroupsInTilesProperty, AreFullAndExchangeNoMoreThanRanksInARow, ()) {
  const auto size = *rc::gen::element(2U, 4U, 8U, 12U);
  const auto groups = *rc::gen::inRange(5U, 40U);
  const Rank ranks = size * groups;
  const Traffic in_order = test::recursive_doubling(ranks, 10);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const CommGraph graph(shuffled(in_order, seed));
  const auto found = recognise_gapped_grid(graph);
  RC_ASSERT(found.has_value());
  std::vector<std::uint32_t> in_a_row(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) in_a_row[rank] = rank / size;
  const auto tilings = groups_in_tiles(graph, *found, size, 3);
  RC_ASSERT(!tilings.empty());
  double last = 0;
  for (const auto& group : tilings) {
    std::vector<unsigned> sizes(groups);
    for (const std::uint32_t of_rank : group) ++sizes.at(of_rank);
    RC_ASSERT(sizes == std::vector<unsigned>(groups, size));
    RC_ASSERT(between(graph, group) >= last);
    last = between(graph, group);
  }
  const double little = size == 12 ? 1.2 : 1;
  RC_ASSERT(between(graph, tilings.front()) <= little * between(CommGraph(in_order), in_a_row));
}

TEST(GroupsInTiles, TakeAllRanksWhereSomeAreLeftOver) {
  const CommGraph graph(test::recursive_doubling(100, 10));
  const auto found = recognise_gapped_grid(graph);
  ASSERT_TRUE(found.has_value());
  const auto groups = groups_in_tiles(graph, *found, 8, 1);
  ASSERT_EQ(groups.size(), 1);
  EXPECT_EQ(std::count(groups.front().begin(), groups.front().end(), 12), 4);
  EXPECT_TRUE(groups_in_tiles(graph, *found, 0, 1).empty());
  EXPECT_TRUE(groups_in_tiles(graph, *found, 25, 1).empty()) << "nothing is so long";
}

}  // namespace
}  // namespace tofa::gapped_grid_test
