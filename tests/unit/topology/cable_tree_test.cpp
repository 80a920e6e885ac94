// SPDX-License-Identifier: BSD-3-Clause
// Trees of cables: distances against a walk over all vertices, and what is no tree.
#include "topology/cable_tree.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tofa::cable_tree_test {
namespace {

using Cables = std::vector<CableTree::Cable>;

// Every vertex hangs on one of those before it, numbered anyhow.
Cables random_tree(std::uint32_t vertices, std::uint32_t furthest) {
  std::vector<std::uint32_t> name(vertices);
  for (std::uint32_t i = 0; i < vertices; ++i) name[i] = (i * 7 + 3) % vertices;
  Cables cables;
  for (std::uint32_t i = 1; i < vertices; ++i) {
    const auto first = i > furthest ? i - furthest : 0;
    cables.push_back(
        {name[*rc::gen::inRange<std::uint32_t>(first, i)], name[i], *rc::gen::inRange(1U, 5U)});
  }
  return cables;
}

// Hops from one vertex to all, cable by cable until nothing changes.
std::vector<unsigned> hops_from(std::uint32_t start, std::uint32_t vertices, const Cables& cables) {
  constexpr unsigned far = 1'000'000;
  std::vector<unsigned> hops(vertices, far);
  hops[start] = 0;
  for (std::uint32_t round = 0; round < vertices; ++round) {
    for (const auto& [a, b, length] : cables) {
      hops[a] = std::min(hops[a], hops[b] + length);
      hops[b] = std::min(hops[b], hops[a] + length);
    }
  }
  return hops;
}

RC_GTEST_PROP(CableTree, KnowsAllDistances, ()) {
  std::uint32_t vertices = *rc::gen::inRange(1U, 40U);
  if (vertices % 7 == 0) ++vertices;  // names are to differ
  const Cables cables = random_tree(vertices, 40);
  const auto tree = CableTree::of(vertices, cables);
  if (!tree) return;  // a long chain by chance
  for (std::uint32_t from = 0; from < vertices; ++from) {
    const std::vector<unsigned> hops = hops_from(from, vertices, cables);
    for (std::uint32_t to = 0; to < vertices; ++to) RC_ASSERT(tree->hops(from, to) == hops[to]);
  }
}

RC_GTEST_PROP(CableTree, StepsUpLeadToTheMeetingPoint, ()) {
  const Cables cables = random_tree(30, 30);
  const auto tree = CableTree::of(30, cables);
  RC_PRE(tree.has_value());
  const auto a = *rc::gen::inRange(0U, 30U);
  const auto b = *rc::gen::inRange(0U, 30U);
  const std::uint32_t top = tree->meeting_point(a, b);
  unsigned hops = 0;
  for (const std::uint32_t end : {a, b}) {
    std::size_t steps = 0;
    for (std::uint32_t at = end; at != top; at = tree->parent(at)) {
      const CableTree::Cable& cable = cables[tree->cable_up(at)];
      RC_ASSERT((cable.a == at && cable.b == tree->parent(at)) ||
                (cable.b == at && cable.a == tree->parent(at)));
      RC_ASSERT(++steps <= CableTree::kMostSteps);
      hops += cable.length;
    }
  }
  RC_ASSERT(hops == tree->hops(a, b));
}

TEST(CableTree, IsNoneWithCirclesOrApart) {
  EXPECT_FALSE(CableTree::of(3, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}));
  EXPECT_FALSE(CableTree::of(4, {{0, 1, 1}, {1, 2, 1}, {2, 0, 1}}));
  EXPECT_FALSE(CableTree::of(4, {{0, 1, 1}, {0, 1, 1}, {2, 3, 1}}));
  EXPECT_FALSE(CableTree::of(3, {{0, 1, 1}}));
  EXPECT_FALSE(CableTree::of(0, {}));
  EXPECT_TRUE(CableTree::of(1, {}));
}

TEST(CableTree, IsNoneWhereWaysUpAreLong) {
  constexpr auto longest = static_cast<std::uint32_t>(2 * CableTree::kMostSteps);
  Cables chain;
  for (std::uint32_t i = 0; i < longest; ++i) chain.push_back({i, i + 1, 1});
  EXPECT_TRUE(CableTree::of(longest + 1, chain));
  chain.push_back({longest, longest + 1, 1});
  chain.push_back({longest + 1, longest + 2, 1});
  EXPECT_FALSE(CableTree::of(longest + 3, chain));
}

}  // namespace
}  // namespace tofa::cable_tree_test
