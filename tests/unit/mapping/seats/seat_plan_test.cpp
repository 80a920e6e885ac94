// SPDX-License-Identifier: BSD-3-Clause
// Mending mappings that put too many ranks on a node, or some on none.
#include "mapping/seats/seat_plan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "support/random_cases.hpp"

namespace tofa {
namespace {

std::unique_ptr<Topology> ring_of(Node nodes) {
  return parse_topology("[topology]\nkind = \"torus\"\nshape = [" + std::to_string(nodes) +
                            "]\nnodes = \"n[0-" + std::to_string(nodes - 1) + "]\"\n",
                        "ring.toml");
}

RC_GTEST_PROP(RepairSlots, MovesWhomItMustToTheNearestNode, ()) {
  const auto topology = test::any_topology();
  const Allocation allocation = test::any_allocation(*topology);
  std::vector<unsigned> free(topology->nodes());
  for (const auto& [node, slots] : allocation) free[node] = slots;
  Mapping mapping;
  for (unsigned i = std::min(test::total_slots(allocation), 40U); i > 0; --i)
    mapping.push_back(*rc::gen::inRange<Node>(0, topology->nodes()));
  const Mapping before = mapping;
  repair_slots(mapping, *topology, allocation);
  std::vector<Rank> moved;
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    if (free[before[rank]] == 0) {
      moved.push_back(rank);
      continue;
    }
    RC_ASSERT(mapping[rank] == before[rank]);
    --free[before[rank]];
  }
  for (const Rank rank : moved) {
    RC_ASSERT(free[mapping[rank]] > 0);
    for (const auto& [node, slots] : allocation) {
      if (free[node] == 0) continue;
      RC_ASSERT(topology->hops(before[rank], mapping[rank]) <= topology->hops(before[rank], node));
    }
    --free[mapping[rank]];
  }
}

TEST(RepairSlots, WhoHasNoNodeGoesNearWhereItWishes) {
  const auto ring = ring_of(16);
  const Allocation all = {{2, 2}, {5, 2}, {9, 2}, {12, 2}};
  Mapping mapping = {9, kNoNode, kNoNode, kNoNode};
  repair_slots(mapping, *ring, all, {5, 9, 9, 13});
  EXPECT_EQ(mapping, (Mapping{9, 9, 12, 12}));
}

// Not every node can be looked at for each rank then.
TEST(RepairSlots, ManyOnManyNodesStayNearWhereTheyWere) {
  const Node nodes = 60'000;
  const auto ring = ring_of(nodes);
  Allocation all;
  for (Node node = 0; node < nodes; ++node) all.push_back({node, 1});
  Mapping before;  // two on every second node
  for (Node node = 0; node < nodes; ++node) before.push_back(node / 2 * 2);
  Mapping mapping = before;
  repair_slots(mapping, *ring, all);
  std::vector<unsigned> used(nodes);
  std::uint64_t hops = 0;
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    ++used[mapping[rank]];
    hops += ring->hops(before[rank], mapping[rank]);
  }
  EXPECT_EQ(*std::max_element(used.begin(), used.end()), 1U);
  EXPECT_EQ(hops, nodes / 2);
}

}  // namespace
}  // namespace tofa
