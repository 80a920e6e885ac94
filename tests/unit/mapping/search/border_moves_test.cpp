// SPDX-License-Identifier: BSD-3-Clause
// What moves over borders say that they changed must be what they changed, in any grid and zone,
// and without heat nothing may get worse; they are for large nodes with much of the traffic within.
#include "mapping/search/border_moves.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/any_grid_task.hpp"
#include "support/random_traffic.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(BorderMovesProperty, ChangeWhatTheySay, ()) {
  const test::AnyGridTask any;
  const SearchSpace& space = any.space();
  if (space.plan().entries() < 2) return;
  const SeatPlan places = with_standing_room(any.task());
  StandingPrice price(100, 1);
  const bool may_stand = *rc::gen::arbitrary<bool>();
  Seating seating(may_stand ? places : space.plan(), any.linear_seating().mapping());
  const Seating before = seating;
  const std::vector<std::uint8_t> zone_of = any.any_zones();
  Zone zone;
  if (*rc::gen::arbitrary<bool>()) {
    zone.of_entry = &zone_of;
    for (const Rank rank : space.active_ranks())
      if (zone.contains(seating.entry(rank))) zone.ranks.push_back(rank);
    if (zone.ranks.empty()) return;
  }
  BorderMoves moves(space, zone, RandomSource(*rc::gen::arbitrary<std::uint64_t>()), seating,
                    may_stand ? &price : nullptr);
  RC_ASSERT(moves.moves_of_a_step() > 0);
  std::int64_t cost = test::search_cost(space, seating);
  for (int step = 0; step < 20; ++step) {
    const auto temperature = static_cast<float>(*rc::gen::element(0.0, 100.0, 1e6));
    const std::int64_t change = moves.step(temperature);
    // To leave a place where one has to pay for standing is worth more hops.
    RC_ASSERT(may_stand || temperature > 0 || change <= 0);
    cost += change;
    RC_ASSERT(cost == test::search_cost(space, seating));
    moves.draw_change(*rc::gen::element(Reach::near, Reach::anywhere));
    RC_ASSERT(cost == test::search_cost(space, seating));
  }
  for (Rank rank = 0; rank < any.task().graph.ranks(); ++rank) {
    RC_ASSERT(seating.occupant(seating.seat(rank)) == rank);
    if (!zone.contains(before.entry(rank))) RC_ASSERT(seating.seat(rank) == before.seat(rank));
  }
}

// A plane, its rows one after the other.
CommGraph plane(Rank width, Rank rows) {
  Traffic traffic;
  traffic.ranks = width * rows;
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    if ((rank + 1) % width != 0) traffic.entries.push_back({rank, rank + 1, 100});
    if (rank + width < traffic.ranks) traffic.entries.push_back({rank, rank + width, 100});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

// Whether they are tried from list order, with so many ranks on each node of a ring but one, which
// is free.
bool serve(const CommGraph& graph, unsigned slots, const char* objective = "hop-bytes",
           bool risky = false) {
  const Rank nodes = graph.ranks() / slots + 1;
  const auto ring = parse_topology(fmt::format("[topology]\nkind = \"torus\"\nshape = [{}]\n"
                                               "nodes = \"n[0-{}]\"\n",
                                               nodes, nodes - 1),
                                   "ring.toml");
  Allocation allocation;
  for (Node node = 0; node < nodes; ++node) allocation.push_back({node, slots});
  const OutageMap outages = risky ? OutageMap({{"n0", 0.1, -1}}, *ring) : OutageMap();
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *ring, outages, allocation, trace, parse_objective(objective));
  const SearchSpace space(task);
  return BorderMoves::serves(space, {}, Seating(space.plan(), map_linear(task)));
}

TEST(BorderMoves, AreForLargeNodesWithMuchTrafficWithin) {
  const CommGraph rows = plane(16, 64);
  EXPECT_TRUE(serve(rows, 64));
  EXPECT_TRUE(serve(rows, 16));
  EXPECT_FALSE(serve(rows, 2));
  EXPECT_TRUE(serve(rows, 64, "completion-time"));
  EXPECT_FALSE(serve(rows, 16, "completion-time")) << "links would be busier";
  EXPECT_FALSE(serve(rows, 64, "completion-time", true));
  EXPECT_FALSE(serve(CommGraph(test::random_traffic(1024, 3)), 64));
}

}  // namespace
}  // namespace tofa
