// SPDX-License-Identifier: BSD-3-Clause
// Ranks as points: nobody gets more ranks than seats, partners come together, rings have no ends.
#include "mapping/mappers/spreading.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/random_cases.hpp"

namespace tofa::spreading_test {
namespace {

Allocation one_slot_each(const Topology& topology) {
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, 1});
  return allocation;
}

std::unique_ptr<Topology> grid_of(const std::string& kind, const std::string& shape,
                                  unsigned nodes) {
  return parse_topology("[topology]\nkind = \"" + kind + "\"\nshape = [" + shape +
                            "]\nnodes = \"n[0-" + std::to_string(nodes - 1) + "]\"\n",
                        "grid.toml");
}

CommGraph chain(Rank ranks) {
  return CommGraph::neighbours_in_rank_order(ranks);
}

TEST(GridBoxes, WaysInRingsAreTheShorterOnes) {
  const auto torus = grid_of("torus", "8, 3", 24);
  const SeatPlan plan(one_slot_each(*torus), 24);
  const GridBoxes boxes(*torus, plan);
  EXPECT_EQ(boxes.way(0, 7, 1), 2);
  EXPECT_EQ(boxes.way(0, 1, 7), -2);
  EXPECT_EQ(boxes.wrapped(0, -1), 7);
  EXPECT_EQ(boxes.wrapped(0, 8.5F), 0.5F);
  ASSERT_FALSE(boxes.whole().is_place);
  const GridBoxes::Box& whole = boxes.box(boxes.whole().index);
  EXPECT_EQ(whole.seats_low, 12);
  EXPECT_EQ(whole.seats_high, 12);
  EXPECT_EQ(whole.dimension, 0);
  EXPECT_TRUE(whole.whole_ring);
  const auto mesh = grid_of("mesh", "8", 8);
  const SeatPlan line(one_slot_each(*mesh), 8);
  EXPECT_EQ(GridBoxes(*mesh, line).way(0, 7, 1), -6);
}

TEST(GridBoxes, PositionsWithoutSeatsGetNobody) {
  const Grid plane({4, 2}, {true, false});
  const GridBoxes boxes(plane, {1, 0, 1, 2, 0, 0, 1, 1});
  EXPECT_EQ(boxes.at(6), (GridBoxes::Point{2, 1}));
  EXPECT_EQ(boxes.way(0, 3, 0), 1);
  const CommGraph graph = chain(6);
  Spreading spreading(graph, boxes);
  for (Rank rank = 0; rank < 6; ++rank) spreading.put(rank, boxes.at(1));
  spreading.spread();
  std::vector<std::uint32_t> taken = spreading.places();
  std::sort(taken.begin(), taken.end());
  EXPECT_EQ(taken, (std::vector<std::uint32_t>{0, 2, 3, 3, 6, 7}));
}

TEST(GridBoxes, ASingleEntryIsNotCut) {
  const auto torus = grid_of("torus", "8, 3", 24);
  const SeatPlan plan({{5, 3}}, 3);
  const GridBoxes boxes(*torus, plan);
  EXPECT_TRUE(boxes.whole().is_place);
  EXPECT_EQ(boxes.whole().index, 0);
  const CommGraph graph = chain(3);
  Spreading spreading(graph, boxes);
  spreading.spread();
  EXPECT_EQ(spreading.places()[2], 0);
}

RC_GTEST_PROP(SpreadingProperty, NoEntryGetsMoreRanksThanSeats, ()) {
  const auto torus = grid_of("torus", "4, 3, 2", 24);
  Allocation allocation;
  std::uint64_t seats = 0;
  for (Node node = 0; node < 24; ++node) {
    const auto slots = *rc::gen::inRange(0U, 5U);
    if (slots > 0) allocation.push_back({node, slots});
    seats += slots;
  }
  RC_PRE(seats > 0);
  const auto ranks = static_cast<Rank>(*rc::gen::inRange<std::uint64_t>(1, seats + 1));
  const CommGraph graph = chain(ranks);
  const SeatPlan plan(allocation, ranks);
  RC_PRE(plan.seats() >= ranks);
  const GridBoxes boxes(*torus, plan);
  Spreading spreading(graph, boxes);
  for (Rank rank = 0; rank < ranks; ++rank) {
    // Some in one place, which holds but few of them.
    const auto entry = *rc::gen::inRange<std::size_t>(0, plan.entries());
    spreading.put(rank, boxes.at(static_cast<std::uint32_t>(rank % 2 == 0 ? 0 : entry)));
  }
  for (int round = 0; round < 3; ++round) {
    spreading.relax(0.1F, 2);
    spreading.spread();
    std::vector<unsigned> taken(plan.entries());
    for (Rank rank = 0; rank < ranks; ++rank) ++taken[spreading.places()[rank]];
    for (std::uint32_t e = 0; e < plan.entries(); ++e) RC_ASSERT(taken[e] <= plan.seats_of(e));
  }
}

// As virtual hosts are.
TEST(GridBoxes, CutEntriesThatLieInOnePlace) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4]\nnodes = \"n[0-3]\"\n[[host]]\nname = "
      "\"v[0-4]\"\non = \"n2\"\n",
      "virtual.toml");
  const Allocation all = one_slot_each(*torus);
  const auto ranks = static_cast<Rank>(all.size());
  const CommGraph graph = chain(ranks);
  const SeatPlan plan(all, ranks);
  const GridBoxes boxes(*torus, plan);
  Spreading spreading(graph, boxes);
  for (Rank rank = 0; rank < ranks; ++rank) spreading.put(rank, boxes.at(0));
  spreading.spread();
  std::vector<unsigned> taken(plan.entries());
  for (Rank rank = 0; rank < ranks; ++rank) ++taken[spreading.places()[rank]];
  EXPECT_EQ(taken, std::vector<unsigned>(plan.entries(), 1));
}

// A ring of ranks on a ring of nodes: where each half lies is known, and nothing else.
TEST(Spreading, DrawsPartnersTogether) {
  constexpr Rank ranks = 64;
  const auto torus = grid_of("torus", "64", ranks);
  const CommGraph graph = chain(ranks);
  const SeatPlan plan(one_slot_each(*torus), ranks);
  const GridBoxes boxes(*torus, plan);
  Spreading spreading(graph, boxes);
  for (Rank rank = 0; rank < ranks; ++rank) {
    spreading.put(rank, boxes.at(rank < ranks / 4 || rank >= 3 * ranks / 4 ? 0 : 32));
  }
  for (int round = 0; round < 20; ++round) {
    spreading.relax(0.02F * static_cast<float>(round), 5);
    spreading.spread();
  }
  unsigned hops = 0;
  for (Rank rank = 0; rank + 1 < ranks; ++rank) {
    hops += torus->hops(spreading.places()[rank], spreading.places()[rank + 1]);
  }
  EXPECT_LT(hops, 2 * ranks);
}

}  // namespace
}  // namespace tofa::spreading_test
