// SPDX-License-Identifier: BSD-3-Clause
// Swaps: sizes stay, nobody leaves the parent, and the traffic between parts does not grow.
#include "mapping/tools/sibling_swaps.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/neighbours_in_space.hpp"
#include "support/random_traffic.hpp"

namespace tofa::sibling_swaps_test {
namespace {

Bytes crossing(const CommGraph& graph, const std::vector<std::uint32_t>& part) {
  Bytes sum = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (part[partner] != part[rank]) sum += bytes;
    }
  }
  return sum / 2;
}

bool never() {
  return false;
}

RC_GTEST_PROP(SiblingSwapsProperty, GainOrLeaveThingsAsTheyAre, ()) {
  const auto ranks = *rc::gen::inRange<Rank>(2, 60);
  const CommGraph graph(test::random_traffic(ranks, *rc::gen::inRange(1U, 6U)));
  // Parts 0 to 2 are siblings, and so are 3 and 4.
  const std::vector<std::uint32_t> parent{0, 0, 0, 1, 1};
  std::vector<std::uint32_t> part =
      *rc::gen::container<std::vector<std::uint32_t>>(ranks, rc::gen::inRange<std::uint32_t>(0, 5));
  const std::vector<std::uint32_t> before = part;
  swap_between_siblings(graph, parent, 5, never, part);
  for (std::uint32_t p = 0; p < parent.size(); ++p) {
    RC_ASSERT(std::count(part.begin(), part.end(), p) ==
              std::count(before.begin(), before.end(), p));
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    RC_ASSERT(parent[part[rank]] == parent[before[rank]]);
  }
  RC_ASSERT(crossing(graph, part) <= crossing(graph, before));
}

TEST(SiblingSwaps, BringPartnersTogether) {
  const CommGraph graph = test::neighbours_in_space(400, 12, true);
  std::vector<std::uint32_t> part;
  for (Rank rank = 0; rank < 400; ++rank) part.push_back(rank % 4);
  const Bytes before = crossing(graph, part);
  swap_between_siblings(graph, {0, 0, 0, 0}, 20, never, part);
  EXPECT_LT(crossing(graph, part), before / 2);
}

TEST(SiblingSwaps, StopWhenTheyAreTold) {
  const CommGraph graph = test::neighbours_in_space(100, 12, true);
  std::vector<std::uint32_t> part;
  for (Rank rank = 0; rank < 100; ++rank) part.push_back(rank % 2);
  const std::vector<std::uint32_t> before = part;
  swap_between_siblings(
      graph, {0, 0}, 20, [] { return true; }, part);
  EXPECT_EQ(part, before);
}

// Each alone would gain, both together would not.
TEST(SiblingSwaps, LeavePartnersThatWouldChasePlaces) {
  const CommGraph graph(Traffic{4, {{0, 1, 10}, {0, 2, 1}, {1, 3, 1}}, ""});
  std::vector<std::uint32_t> part{0, 1, 0, 1};
  swap_between_siblings(graph, {0, 0}, 5, never, part);
  EXPECT_LE(crossing(graph, part), 10U);
}

}  // namespace
}  // namespace tofa::sibling_swaps_test
