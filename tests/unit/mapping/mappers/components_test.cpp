// SPDX-License-Identifier: BSD-3-Clause
// components: runs side by side get regions of their own, whatever shapes they have, with spare
// seats, several slots and gaps; what hangs together is left to others.
#include <gtest/gtest.h>

#include <set>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
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
  for (const CommGraph& graph : {both, coupled}) {
    const double found = test::hops(graph, machine, "components");
    EXPECT_LT(found, 2.4);
    EXPECT_LT(found, 0.95 * test::hops(graph, machine, "geometric"));
  }
}

TEST(Components, GiveNoNodeMoreThanItsSlots) {
  const CommGraph both = test::side_by_side(cube(5, 1), test::neighbours_in_space(150, 8));
  const test::Machine machine{"5, 6, 7", 210, 2, 3};
  const Placement placement = test::placed(both, machine, "components");
  std::vector<unsigned> used(machine.nodes);
  for (const Node node : placement.mapping) ++used[node];
  for (Node node = 0; node < machine.nodes; ++node) EXPECT_LE(used[node], node % 3 == 0 ? 0 : 2);
  EXPECT_LT(placement.chosen.hop_bytes, 0.6 * placement.linear.hop_bytes);
}

TEST(Components, ShareARegionWhereTheyAreSmall) {
  CommGraph graph = cube(5, 1);
  for (std::uint64_t seed = 2; seed <= 8; ++seed) graph = test::side_by_side(graph, cube(2, seed));
  const Placement placement = test::placed(graph, {"6, 6, 6", 216}, "components");
  EXPECT_EQ(std::set(placement.mapping.begin(), placement.mapping.end()).size(), graph.ranks());
  EXPECT_LT(placement.chosen.average_hops_per_byte, 2);
}

TEST(Components, OfWhatHangsTogetherAreNone) {
  const CommGraph graph = test::neighbours_in_space(512, 8);
  const test::Machine machine{"8, 8, 8", 512};
  EXPECT_EQ(test::placed(graph, machine, "components").mapping,
            test::placed(graph, machine, "linear").mapping);
}

}  // namespace
}  // namespace tofa
