// SPDX-License-Identifier: BSD-3-Clause
// Rows in which all exchange with all are found in any order of ranks, and nothing else is taken
// for them.
#include "mapping/tools/clique_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/in_rows.hpp"
#include "support/random_traffic.hpp"

namespace tofa::clique_grid_test {
namespace {

std::vector<unsigned> sorted(std::vector<unsigned> shape) {
  std::sort(shape.begin(), shape.end());
  return shape;
}

RC_GTEST_PROP(CliqueGridProperty, RowsAreFoundInAnyOrder, ()) {
  const auto shape = *rc::gen::container<std::vector<unsigned>>(
      *rc::gen::inRange<std::size_t>(2, 4), rc::gen::inRange(2U, 8U));
  const CommGraph graph(test::in_rows(shape, *rc::gen::arbitrary<std::uint64_t>()));
  const auto found = grid_of_cliques(graph, 1);
  RC_ASSERT(found.has_value());
  RC_ASSERT(sorted(found->shape) == sorted(shape));
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      RC_ASSERT(test::differences(found->positions[rank], found->positions[edge.partner],
                                  found->shape) == 1);
  }
}

// Whatever single pair is missing or too much.
RC_GTEST_PROP(CliqueGridProperty, WhatIsNearlyOneIsNone, ()) {
  Traffic traffic = test::in_rows({5, 4}, *rc::gen::arbitrary<std::uint64_t>());
  const CommGraph whole(traffic);
  if (*rc::gen::arbitrary<bool>()) {
    const TrafficEntry gone = *rc::gen::elementOf(traffic.entries);
    std::erase_if(traffic.entries, [&gone](const TrafficEntry& entry) {
      return std::minmax(entry.sender, entry.receiver) == std::minmax(gone.sender, gone.receiver);
    });
    RC_ASSERT(!grid_of_cliques(CommGraph(traffic), 1));
  } else {
    Traffic other = test::nobody(20);
    const auto rank = *rc::gen::inRange<Rank>(0, 20);
    Rank stranger = (rank + 1) % 20;
    const auto knows = [&](Rank partner) {
      const auto partners = whole.partners(rank);
      return partner == rank ||
             std::any_of(partners.begin(), partners.end(),
                         [partner](const CommEdge& edge) { return edge.partner == partner; });
    };
    while (knows(stranger)) stranger = (stranger + 1) % 20;
    other.entries.push_back({rank, stranger, 5});
    const CommGraph more = test::together(whole, other);
    RC_ASSERT(!grid_of_cliques(more, 1));
    RC_ASSERT(grid_of_cliques(more, 6).has_value());
    RC_ASSERT(recognise_grid(more).has_value());
  }
}

// Teams in the rows exchange more, and had better be together.
TEST(CliqueGrid, IsNoneWhereRanksInARowAreNotAlike) {
  Traffic traffic = test::in_rows({8, 8}, 3);
  traffic.entries.front().value *= 3;
  EXPECT_TRUE(grid_of_cliques(CommGraph(traffic), 1));
  traffic.entries.front().value *= 10;
  EXPECT_FALSE(grid_of_cliques(CommGraph(traffic), 1));
}

TEST(CliqueGrid, IsNothingElse) {
  for (const CommGraph& graph :
       {CommGraph(test::complete(30, 8)), CommGraph(test::random_traffic(256, 4)),
        CommGraph(test::shuffled_grid({8, 8}, {false, false}, 10, 3)), CommGraph(test::nobody(16)),
        CommGraph(Traffic{})}) {
    EXPECT_FALSE(grid_of_cliques(graph, 1));
  }
}

}  // namespace
}  // namespace tofa::clique_grid_test
