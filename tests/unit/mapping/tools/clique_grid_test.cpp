// SPDX-License-Identifier: BSD-3-Clause
// Rows in which all exchange with all are found in any order of ranks, and nothing else is taken
// for them.
#include "mapping/tools/clique_grid.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "mapping/tools/random_source.hpp"
#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/random_traffic.hpp"

namespace tofa::clique_grid_test {
namespace {

// Dimensions in which two positions differ.
unsigned differences(std::uint32_t a, std::uint32_t b, const std::vector<unsigned>& shape) {
  unsigned count = 0;
  for (const unsigned extent : shape) {
    count += a % extent == b % extent ? 0 : 1;
    a /= extent;
    b /= extent;
  }
  return count;
}

// All with all in each row, by ranks in any order.
Traffic in_rows(const std::vector<unsigned>& shape, std::uint64_t seed) {
  const Rank ranks = std::accumulate(shape.begin(), shape.end(), Rank{1}, std::multiplies());
  std::vector<Rank> rank_at(ranks);
  std::iota(rank_at.begin(), rank_at.end(), Rank{0});
  RandomSource(seed).shuffle(rank_at);
  Traffic traffic{.ranks = ranks, .entries = {}, .metadata = {}};
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = 0; b < a; ++b) {
      if (differences(a, b, shape) != 1) continue;
      // More in the first dimension than in others, and more forth than back.
      const Bytes bytes = a / shape[0] == b / shape[0] ? 300 : 100;
      traffic.entries.push_back({rank_at[a], rank_at[b], bytes});
      traffic.entries.push_back({rank_at[b], rank_at[a], bytes / 2});
    }
  }
  traffic.normalise();
  return traffic;
}

std::vector<unsigned> sorted(std::vector<unsigned> shape) {
  std::sort(shape.begin(), shape.end());
  return shape;
}

RC_GTEST_PROP(CliqueGridProperty, RowsAreFoundInAnyOrder, ()) {
  const auto shape = *rc::gen::container<std::vector<unsigned>>(
      *rc::gen::inRange<std::size_t>(2, 4), rc::gen::inRange(2U, 8U));
  const CommGraph graph(in_rows(shape, *rc::gen::arbitrary<std::uint64_t>()));
  const auto found = grid_of_cliques(graph, 1);
  RC_ASSERT(found.has_value());
  RC_ASSERT(sorted(found->shape) == sorted(shape));
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank))
      RC_ASSERT(differences(found->positions[rank], found->positions[edge.partner], found->shape) ==
                1);
  }
}

// Whatever single pair is missing or too much.
RC_GTEST_PROP(CliqueGridProperty, WhatIsNearlyOneIsNone, ()) {
  Traffic traffic = in_rows({5, 4}, *rc::gen::arbitrary<std::uint64_t>());
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
  Traffic traffic = in_rows({8, 8}, 3);
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
