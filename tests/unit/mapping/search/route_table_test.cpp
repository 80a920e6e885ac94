// SPDX-License-Identifier: BSD-3-Clause
// Routes that are looked up once, and what happens where there are too many of them.
#include "mapping/search/route_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa {
namespace {

// A quarter of a thousand hops in the mean, of a million pairs.
TEST(RouteTable, KeepsNoMoreThanThereIsRoomForAndTellsAllRoutes) {
  const Node nodes = RouteTable::kMostEntries;
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [1024]\nnodes = \"n[0-1023]\"\n", "ring.toml");
  Allocation all;
  for (Node node = 0; node < nodes; ++node) all.push_back({node, 1});
  const SeatPlan plan(all, nodes);
  RouteTable routes(*ring, plan);
  for (Node from = 0; from < nodes; from += 5) {
    for (Node to = 0; to < nodes; ++to)
      ASSERT_EQ(routes.route(from, to).size(), ring->hops(from, to));
  }
  EXPECT_LE(routes.links_kept(), RouteTable::kMostLinks);
  EXPECT_GT(routes.links_kept(), RouteTable::kMostLinks - nodes);
  for (const Node from : {0U, 5U, 1020U, 7U}) {
    for (Node to = 0; to < nodes; ++to) {
      std::vector<Link> expected;
      ring->route(from, to, expected);
      ASSERT_THAT(routes.route(from, to), testing::ElementsAreArray(expected));
    }
  }
}

}  // namespace
}  // namespace tofa
