// SPDX-License-Identifier: BSD-3-Clause
// components: runs side by side get regions of their own, whatever shapes they have, with spare
// seats, several slots and gaps; what hangs together is left to others.
#include <gtest/gtest.h>

#include <set>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/mapping_task.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/placed_on_torus.hpp"

namespace tofa {
namespace {

CommGraph cube(unsigned side, std::uint64_t seed) {
  return CommGraph(test::shuffled_grid({side, side, side}, {false, false, false}, 100, seed));
}

TEST(Components, AreLaidAsIfEachWasAJob) {
  CommGraph ensemble = cube(4, 1);
  for (std::uint64_t seed = 2; seed <= 8; ++seed)
    ensemble = test::side_by_side(ensemble, cube(4, seed));
  EXPECT_EQ(test::hops(ensemble, {"8, 8, 8", 512}, "components"), 1);
}

TEST(Components, MayDifferAndBeCoupledLoosely) {
  const CommGraph both = test::side_by_side(test::neighbours_in_space(700, 8), cube(6, 3));
  const CommGraph coupled = test::together(both, test::recursive_doubling(916, 1));
  const test::Machine machine{"10, 10, 10", 1000};
  EXPECT_LT(test::hops(both, machine, "components"), 2.2);
  EXPECT_LT(test::hops(coupled, machine, "components"), 2.3);
  EXPECT_GT(test::hops(coupled, machine, "geometric"), 2.5);
  EXPECT_EQ(test::placed(both, machine, "components").mapping,
            test::placed(both, machine, "components").mapping);
}

// As runs do that exchange replicas: few pairs, as strong as any.
TEST(Components, MayExchangeALotBetweenFew) {
  CommGraph ensemble = cube(8, 1);
  for (std::uint64_t seed = 2; seed <= 4; ++seed)
    ensemble = test::side_by_side(ensemble, cube(8, seed));
  Traffic exchange = test::nobody(ensemble.ranks());
  for (Rank rank = 0; rank < ensemble.ranks(); rank += 40)
    exchange.entries.push_back({rank, (rank + 512) % ensemble.ranks(), 100});
  const CommGraph coupled = test::together(ensemble, exchange);
  const test::Machine machine{"8, 16, 16", 2048};
  EXPECT_LT(test::hops(coupled, machine, "components"), 1.2);
  EXPECT_GT(test::hops(coupled, machine, "bisect"), 1.5);
}

TEST(Components, GiveNoNodeMoreThanItsSlots) {
  const CommGraph both = test::side_by_side(cube(5, 1), test::neighbours_in_space(150, 8));
  for (const test::Machine& machine : {test::Machine{"5, 6, 7", 210, 2, 3},  // spare seats
                                       test::Machine{"5, 5, 5", 125, 3, 4},  // few of them
                                       test::Machine{"5, 11", 55, 5, 0}}) {  // none
    const Placement placement = test::placed(both, machine, "components");
    std::vector<unsigned> used(machine.nodes);
    for (const Node node : placement.mapping) ++used[node];
    for (Node node = 0; node < machine.nodes; ++node) {
      const bool gap = machine.gap_every != 0 && node % machine.gap_every == 0;
      EXPECT_LE(used[node], gap ? 0 : machine.slots);
    }
    EXPECT_LT(placement.chosen.hop_bytes, 0.65 * placement.linear.hop_bytes);
  }
}

// 189 ranks on nodes of 7 slots, all of which they need: the regions meet within a node.
TEST(Components, MayMeetWithinANode) {
  const CommGraph both = test::side_by_side(cube(5, 1), cube(4, 2));
  const Placement placement = test::placed(both, {"3, 3, 3", 27, 7}, "components");
  std::vector<unsigned> used(27);
  for (const Node node : placement.mapping) ++used[node];
  EXPECT_EQ(used, std::vector<unsigned>(27, 7));
  EXPECT_LT(placement.chosen.hop_bytes, 0.65 * placement.linear.hop_bytes);
}

// What falls apart at once does not hide what is coupled loosely.
TEST(Components, AreFoundBesideIdleRanks) {
  const CommGraph coupled =
      test::together(test::side_by_side(cube(6, 1), cube(6, 2)), test::recursive_doubling(432, 1));
  const CommGraph graph = test::side_by_side(coupled, CommGraph(test::nobody(80)));
  EXPECT_LT(test::hops(graph, {"8, 8, 8", 512}, "components"), 1.7);
}

// Where there are seats to spare, no plane of nodes is cut, or neither of two cubes was laid flat.
TEST(Components, EndAtWholePlanes) {
  const CommGraph both = test::side_by_side(cube(5, 1), cube(5, 2));
  EXPECT_EQ(test::hops(both, {"5, 5, 11", 275}, "components"), 1);
}

// 80 components of 64 ranks and some idle ranks, which share the last region with 16 of them.
TEST(Components, ShareARegionWhereTheyAreMany) {
  CommGraph graph = cube(4, 1);
  for (std::uint64_t seed = 2; seed <= 80; ++seed) graph = test::side_by_side(graph, cube(4, seed));
  graph = test::side_by_side(graph, CommGraph(test::nobody(40)));
  const Placement placement = test::placed(graph, {"16, 18, 18", 5184}, "components");
  EXPECT_EQ(std::set(placement.mapping.begin(), placement.mapping.end()).size(), graph.ranks());
  EXPECT_LT(placement.chosen.average_hops_per_byte, 2);
}

TEST(Components, ShareARegionWhereTheyAreSmall) {
  CommGraph graph = cube(5, 1);
  for (std::uint64_t seed = 2; seed <= 8; ++seed) graph = test::side_by_side(graph, cube(2, seed));
  const Placement placement = test::placed(graph, {"6, 6, 6", 216}, "components");
  EXPECT_EQ(std::set(placement.mapping.begin(), placement.mapping.end()).size(), graph.ranks());
  EXPECT_LT(placement.chosen.average_hops_per_byte, 2);
}

TEST(Components, LeadTheSearchFurther) {
  CommGraph ensemble = cube(8, 1);
  for (std::uint64_t seed = 2; seed <= 8; ++seed)
    ensemble = test::side_by_side(ensemble, cube(8, seed));
  const Placement placement = test::placed(ensemble, {"16, 16, 16", 4096}, "auto");
  EXPECT_EQ(placement.origin, "components");
  EXPECT_EQ(placement.chosen.average_hops_per_byte, 1);
}

TEST(Components, OfWhatHangsTogetherAreNone) {
  const CommGraph graph = test::neighbours_in_space(512, 8);
  const test::Machine machine{"8, 8, 8", 512};
  EXPECT_EQ(test::placed(graph, machine, "components").mapping,
            test::placed(graph, machine, "linear").mapping);
}

// Each of them has a share of the time, after which what is left to try for it is not tried.
TEST(Components, SayThatTheClockLeftSomethingOut) {
  const CommGraph both = test::side_by_side(cube(4, 1), cube(4, 2));
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 4, 8]\nnodes = \"n[0-127]\"\n", "torus.toml");
  Allocation all;
  for (Node node = 0; node < torus->nodes(); ++node) all.push_back({node, 1});
  const OutageMap none;
  const PlaceOptions options;
  for (const double seconds : {600.0, 0.0}) {
    Trace trace(options);
    MappingTask task = test::task_of(both, *torus, none, all, trace, parse_objective("hop-bytes"));
    task.deadline = trace.deadline(seconds);
    find_entry(mapper_registry(), "components")->map(task);
    EXPECT_EQ(trace.hurried(), seconds == 0);
  }
}

}  // namespace
}  // namespace tofa
