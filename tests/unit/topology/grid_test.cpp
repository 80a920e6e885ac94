// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic along rings and lines.
#include "tofa/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random_cases.hpp"
#include "tofa/topology.hpp"

namespace tofa::grid_test {
namespace {

const Grid kTubes({5, 4}, {true, false});

TEST(Grid, CountsTheFirstDimensionFastest) {
  EXPECT_EQ(kTubes.dimensions(), 2U);
  EXPECT_EQ(kTubes.positions(), 20U);
  EXPECT_EQ(kTubes.position(std::vector<unsigned>{2, 3}), 17U);
  EXPECT_EQ(kTubes.coordinate(17, 0), 2U);
  EXPECT_EQ(kTubes.coordinate(17, 1), 3U);
}

TEST(Grid, RingsGoTheShorterWayRound) {
  EXPECT_EQ(kTubes.apart(0, 0U, 4U), 1U);
  EXPECT_EQ(kTubes.apart(0, 4U, 2U), 2U);
  EXPECT_EQ(kTubes.apart(1, 0U, 3U), 3U) << "a line";
  EXPECT_DOUBLE_EQ(kTubes.apart(0, 0.5, 4.0), 1.5);
  EXPECT_EQ(kTubes.furthest(0), 2U);
  EXPECT_EQ(kTubes.furthest(1), 3U);
}

TEST(Grid, LinesEnd) {
  EXPECT_EQ(kTubes.moved(0, 4, 2), 1U);
  EXPECT_EQ(kTubes.moved(0, 0, -6), 4U);
  EXPECT_EQ(kTubes.moved(1, 3, 1), std::nullopt);
  EXPECT_EQ(kTubes.moved(1, 3, -3), 0U);
}

RC_GTEST_PROP(GridProperty, HopsOfATopologyAreThoseOfItsGrid, ()) {
  const auto topology = test::any_topology();
  const Node a = test::any_node(*topology);
  const Node b = test::any_node(*topology);
  const Grid* grid = topology->grid();
  RC_ASSERT((grid == nullptr) == topology->coordinates(a).empty());
  if (grid == nullptr) return;
  RC_ASSERT(grid->hops(topology->coordinates(a), topology->coordinates(b)) == topology->hops(a, b));
  RC_ASSERT(grid->hops_between(grid->position(topology->coordinates(a)),
                               grid->position(topology->coordinates(b))) == topology->hops(a, b));
}

}  // namespace
}  // namespace tofa::grid_test
