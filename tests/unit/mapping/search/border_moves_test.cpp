// SPDX-License-Identifier: BSD-3-Clause
// What moves over borders say that they changed must be what they changed, in any grid and zone,
// and without heat nothing may get worse; they are for large nodes with much of the traffic within.
#include "mapping/search/border_moves.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/grid_traffic.hpp"
#include "support/moves_check.hpp"
#include "support/random_traffic.hpp"
#include "support/ring_job.hpp"

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
  const std::vector<std::uint8_t> zone_of = any.any_zones();
  const bool zones = *rc::gen::arbitrary<bool>();
  const Zone zone = test::make_zone(space, seating, zones ? &zone_of : nullptr);
  if (zones && zone.ranks.empty()) return;
  BorderMoves moves(space, zone, RandomSource(*rc::gen::arbitrary<std::uint64_t>()), seating,
                    may_stand ? &price : nullptr);
  // To leave a place where one has to pay for standing is worth more hops.
  test::check_moves(any, zone, moves, seating, {100, may_stand});
}

// On a dragonfly as well they change what they say, with room to stand or without.
TEST(BorderMoves, ServeFewNodesOfANetwork) {
  constexpr unsigned slots = 8;
  const auto network = parse_topology(
      "[topology]\nkind = \"dragonfly\"\ngroups = 4\nrouters = 2\nnodes_per_router = 2\n"
      "nodes = \"n[0-15]\"\n",
      "dragonfly.toml");
  Allocation allocation;
  for (Node node = 0; node < network->nodes(); ++node) allocation.push_back({node, slots});
  const CommGraph graph(test::plane(16, 8));
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap outages;
  const MappingTask task =
      test::task_of(graph, *network, outages, allocation, trace, parse_objective("hop-bytes"));
  const SearchSpace space(task);
  ASSERT_TRUE(space.axes());
  const SeatPlan places = with_standing_room(task);
  for (const bool may_stand : {false, true}) {
    const Zone zone;
    Seating seating(may_stand ? places : space.plan(), map_linear(task));
    EXPECT_TRUE(BorderMoves::serves(space, zone, Seating(space.plan(), map_linear(task))));
    StandingPrice price(100, 1);
    BorderMoves moves(space, zone, RandomSource(1), seating, may_stand ? &price : nullptr);
    std::int64_t cost = test::search_cost(space, seating);
    for (int step = 0; step < 200; ++step) {
      cost += moves.step(20);
      ASSERT_EQ(cost, test::search_cost(space, seating)) << step;
    }
  }
}

TEST(BorderMoves, MoveRanks) {
  test::RingJob job(16, 64, CommGraph(test::plane(32, 32)));
  const MappingTask task = job.task();
  const SearchSpace space(task);
  const Zone zone;
  Seating seating(space.plan(), map_random(task));
  const std::int64_t before = test::search_cost(space, seating);
  BorderMoves moves(space, zone, RandomSource(1), seating);
  for (int step = 0; step < 1000; ++step) moves.step(0);
  EXPECT_LT(test::search_cost(space, seating), 0.9 * static_cast<double>(before));
}

// Whether they are tried from list order, with so many ranks on each node of a ring but one, which
// is free.
bool serve(const CommGraph& graph, unsigned slots, const char* objective = "hop-bytes",
           bool risky = false) {
  test::RingJob job(graph.ranks() / slots + 1, slots, graph, risky ? 0.1 : 0);
  const MappingTask task = job.task(objective);
  const SearchSpace space(task);
  return BorderMoves::serves(space, {}, Seating(space.plan(), map_linear(task)));
}

TEST(BorderMoves, AreForLargeNodesWithMuchTrafficWithin) {
  const CommGraph rows(test::plane(16, 64));
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
