// SPDX-License-Identifier: BSD-3-Clause
// Positions in a grid: hops between entries must be those of the machine, and nothing is kept for
// coordinates at which no entry is.
#include "mapping/search/grid_axes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tofa/topology.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(GridAxesProperty, DistancesAreHopsWhereverTheNodesAre, ()) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [3, 50, 2]\nnodes = \"n[0-299]\"\n", "t.toml");
  Allocation allocation;
  for (const Node node : *rc::gen::unique<std::vector<Node>>(rc::gen::inRange<Node>(0, 300)))
    allocation.push_back({node, 1});
  RC_PRE(!allocation.empty());
  const SeatPlan plan(allocation, static_cast<Rank>(allocation.size()));
  const auto axes = GridAxes::of(*torus, plan);
  RC_ASSERT(axes.has_value());
  RC_ASSERT(axes->width() <= std::min<std::size_t>(55, 3 * allocation.size()));
  for (std::uint32_t a = 0; a < plan.entries(); ++a) {
    for (std::uint32_t b = 0; b < plan.entries(); ++b)
      RC_ASSERT(axes->distance(a, b) == torus->hops(plan.node(a), plan.node(b)));
  }
}

TEST(GridAxes, KeepNothingForCoordinatesWithoutAnEntry) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [60000]\nnodes = \"n[0-59999]\"\n", "t.toml");
  const SeatPlan plan({{7, 1}, {8, 1}, {59999, 1}}, 3);
  const auto axes = GridAxes::of(*ring, plan);
  ASSERT_TRUE(axes);
  EXPECT_EQ(axes->width(), 3U);
  EXPECT_EQ(axes->distance(0, 2), 8U);
  EXPECT_EQ(axes->diameter(), 9U);
}

}  // namespace
}  // namespace tofa
