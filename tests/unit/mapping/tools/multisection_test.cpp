// SPDX-License-Identifier: BSD-3-Clause
// Parts must have exactly the sizes asked for, annealing must never make a cut worse, and both must
// find a cut that is known to be the best.
#include "mapping/tools/multisection.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace tofa::multisection_test {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

PartitionGraph graph_from(std::uint32_t vertices, const Pairs& pairs) {
  PartitionGraph graph;
  std::vector<std::set<std::uint32_t>> lists(vertices);
  for (const auto& [a, b] : pairs) {
    lists[a].insert(b);
    lists[b].insert(a);
  }
  for (const auto& list : lists) {
    for (const std::uint32_t to : list) graph.edges.push_back({to, 10});
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    graph.sizes.push_back(1);
    graph.bias.push_back(0);
  }
  return graph;
}

std::vector<std::uint32_t> sizes_of(const std::vector<std::uint32_t>& parts, std::size_t count) {
  std::vector<std::uint32_t> sizes(count);
  for (const std::uint32_t part : parts) ++sizes[part];
  return sizes;
}

RC_GTEST_PROP(MultisectionProperty, SizesAreExactAndAnnealingNeverCutsMore, ()) {
  const auto sizes = *rc::gen::nonEmpty(
      rc::gen::container<std::vector<std::uint32_t>>(rc::gen::inRange<std::uint32_t>(0, 20)));
  const std::uint32_t vertices = std::accumulate(sizes.begin(), sizes.end(), 0U);
  RC_PRE(vertices > 0);
  Pairs pairs;
  for (int i = *rc::gen::inRange(0, 300); i > 0; --i) {
    const auto a = *rc::gen::inRange<std::uint32_t>(0, vertices);
    const auto b = *rc::gen::inRange<std::uint32_t>(0, vertices);
    if (a != b) pairs.emplace_back(a, b);
  }
  const PartitionGraph graph = graph_from(vertices, pairs);
  RandomSource first(7);
  RandomSource second(7);
  auto parts = cut_in_parts(graph, sizes, first);
  RC_ASSERT(sizes_of(parts, sizes.size()) == sizes);
  auto again = cut_in_parts(graph, sizes, second);
  RC_ASSERT(parts == again);
  const std::int64_t before = cut_of(graph, parts);
  anneal_parts(graph, {.tries = 5000, .start = 1, .end = 0.1}, first, parts);
  RC_ASSERT(sizes_of(parts, sizes.size()) == sizes);
  RC_ASSERT(cut_of(graph, parts) <= before);
  anneal_parts(graph, {.tries = 5000, .start = 1, .end = 0.1}, second, again);
  RC_ASSERT(parts == again);
}

// Eight groups of six, all with all, in a ring; vertices of a group are eight apart.
TEST(Multisection, FindsGroups) {
  constexpr std::uint32_t groups = 8;
  constexpr std::uint32_t members = 6;
  Pairs pairs;
  for (std::uint32_t group = 0; group < groups; ++group) {
    for (std::uint32_t a = 0; a < members; ++a) {
      for (std::uint32_t b = 0; b < a; ++b)
        pairs.emplace_back(group + groups * a, group + groups * b);
    }
    pairs.emplace_back(group, (group + 1) % groups);
  }
  const PartitionGraph graph = graph_from(groups * members, pairs);
  RandomSource random(1);
  // From a cut that is as bad as can be.
  std::vector<std::uint32_t> parts(graph.vertices());
  for (std::uint32_t v = 0; v < parts.size(); ++v) parts[v] = v / members;
  anneal_parts(graph, {.tries = 200'000, .start = 1, .end = 0.05}, random, parts);
  EXPECT_EQ(cut_of(graph, parts), std::int64_t{groups} * 10);
  EXPECT_EQ(cut_of(graph, cut_in_parts(graph, std::vector<std::uint32_t>(groups, members), random)),
            std::int64_t{groups} * 10);
}

TEST(Multisection, MeasuresTheLongestBorder) {
  const PartitionGraph graph = graph_from(5, {{0, 1}, {0, 2}, {0, 3}, {3, 4}, {1, 2}});
  EXPECT_EQ(longest_border_of(graph, {0, 1, 1, 2, 2}), 30);
  EXPECT_EQ(longest_border_of(graph, {0, 0, 1, 1, 2}), 40);
  EXPECT_EQ(longest_border_of(graph, {0, 0, 0, 1, 1}), 10);
  EXPECT_EQ(longest_border_of(graph, {0, 0, 0, 0, 0}), 0);
  EXPECT_EQ(longest_border_of({}, {}), 0);
}

TEST(Multisection, EndsWhenTold) {
  const PartitionGraph graph = graph_from(6, {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}});
  std::vector<std::uint32_t> parts{0, 0, 1, 1, 2, 2};
  RandomSource random(1);
  int asked = 0;
  const auto how_far = [&asked](double) { return ++asked > 2 ? 1.0 : 0.5; };
  anneal_parts(graph, {1ULL << 60U, 1, 0.1, how_far}, random, parts);
  EXPECT_EQ(asked, 3);
}

}  // namespace
}  // namespace tofa::multisection_test
