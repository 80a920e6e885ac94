// SPDX-License-Identifier: BSD-3-Clause
// Loose parts: runs side by side are parts, coupled by little or by few; what hangs together is
// one.
#include "mapping/tools/loose_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "mapping/tools/backbone.hpp"
#include "support/background.hpp"
#include "support/grid_traffic.hpp"

namespace tofa {
namespace {

using Parts = std::vector<std::vector<Rank>>;

CommGraph plane(unsigned side) {
  return CommGraph(test::plane(side, side));
}

std::vector<Rank> ranks_from(Rank first, std::size_t count) {
  std::vector<Rank> ranks(count);
  std::iota(ranks.begin(), ranks.end(), first);
  return ranks;
}

Parts parts_of(const CommGraph& graph) {
  const auto strong = backbone(graph);
  return loose_parts(graph, strong ? &*strong : nullptr);
}

TEST(LooseParts, AreRunsSideBySideTheLargestFirst) {
  const CommGraph graph = test::side_by_side(plane(10), plane(16));
  EXPECT_EQ(parts_of(graph), (Parts{ranks_from(100, 256), ranks_from(0, 100)}));
}

TEST(LooseParts, AreNoneWhereTrafficHangsTogether) {
  EXPECT_TRUE(parts_of(plane(20)).empty());
  EXPECT_TRUE(parts_of(test::side_by_side(plane(20), plane(4))).empty()) << "nearly all of it";
  EXPECT_TRUE(parts_of(CommGraph(test::nobody(1000))).empty());
  EXPECT_TRUE(parts_of(CommGraph(Traffic{})).empty());
}

TEST(LooseParts, EndWithAllThatAreTooSmall) {
  const CommGraph graph =
      test::side_by_side(test::side_by_side(plane(10), plane(4)), CommGraph(test::nobody(30)));
  EXPECT_EQ(parts_of(graph), (Parts{ranks_from(0, 100), ranks_from(100, 46)}));
}

TEST(LooseParts, MayBeCoupledByLittle) {
  const CommGraph apart = test::side_by_side(plane(16), plane(16));
  EXPECT_EQ(parts_of(test::together(apart, test::recursive_doubling(512, 1))), parts_of(apart));
}

// Pairs that are as strong as any, for one rank in forty; with one for every second nothing is
// loose.
TEST(LooseParts, MayBeCoupledByFew) {
  const CommGraph apart = test::side_by_side(plane(24), plane(24));
  const auto coupled = [&](Rank step) {
    Traffic exchange = test::nobody(apart.ranks());
    for (Rank rank = 0; rank < apart.ranks() / 2; rank += step)
      exchange.entries.push_back({rank, rank + apart.ranks() / 2, 100});
    return test::together(apart, exchange);
  };
  EXPECT_EQ(parts_of(coupled(40)), parts_of(apart));
  EXPECT_TRUE(parts_of(coupled(2)).empty());
}

}  // namespace
}  // namespace tofa
