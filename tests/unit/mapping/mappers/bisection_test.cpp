// SPDX-License-Identifier: BSD-3-Clause
// bisect: parts that are cut one after the other lie with each other.
#include <gtest/gtest.h>

#include "support/grid_traffic.hpp"
#include "support/placed_on_torus.hpp"

namespace tofa::bisection_test {
namespace {

// Where parts of a level do not know where the halves of the others are, each of them lies one way
// or the other by chance, and neighbours end 2.8 hops apart.
TEST(Bisect, TurnsPartsToThoseThatAreCut) {
  const CommGraph cube(test::shuffled_grid({8, 8, 8}, {true, true, true}, 10, 3));
  EXPECT_LT(test::hops(cube, {"8, 8, 8", 512}, "bisect"), 2);
}

TEST(Bisect, FillsNodesAlikeWhateverTheyHold) {
  const CommGraph plane(test::shuffled_grid({16, 32}, {true, true}, 10, 3));
  const Placement found = test::placed(plane, {"4, 4, 4", 64, 8}, "bisect");
  EXPECT_EQ(found.chosen.nodes_used, 64U);
  EXPECT_LT(found.chosen.average_hops_per_byte, 0.6);
}

}  // namespace
}  // namespace tofa::bisection_test
