// SPDX-License-Identifier: BSD-3-Clause
// Many parts of a graph that is coarsened first: sizes are exact whatever the graph is like, the
// same seed cuts alike, and cuts are about as good as those by halves.
#include "mapping/tools/many_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>

#include "mapping/tools/multisection.hpp"

namespace tofa {
namespace {

using Lists = std::vector<std::vector<std::uint32_t>>;

PartitionGraph graph_from(const Lists& partners) {
  PartitionGraph graph;
  for (const auto& list : partners) {
    for (const std::uint32_t to : list) graph.edges.push_back({to, 10});
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
  }
  graph.sizes.assign(partners.size(), 1);
  graph.bias.assign(partners.size(), 0);
  return graph;
}

// A periodic square whose vertices have numbers in no order.
PartitionGraph shuffled_square(std::uint32_t side) {
  std::vector<std::uint32_t> name(side * side);
  std::iota(name.begin(), name.end(), 0U);
  RandomSource random(5);
  random.shuffle(name);
  Lists partners(name.size());
  for (std::uint32_t i = 0; i < name.size(); ++i) {
    const std::uint32_t right = i / side * side + (i + 1) % side;
    const std::uint32_t below = (i + side) % (side * side);
    for (const std::uint32_t other : {right, below}) {
      partners[name[i]].push_back(name[other]);
      partners[name[other]].push_back(name[i]);
    }
  }
  return graph_from(partners);
}

std::vector<std::uint32_t> sizes_of(const std::vector<std::uint32_t>& parts, std::size_t count) {
  std::vector<std::uint32_t> sizes(count);
  for (const std::uint32_t part : parts) ++sizes[part];
  return sizes;
}

void expect_exact(const PartitionGraph& graph, const std::vector<std::uint32_t>& sizes) {
  RandomSource first(7);
  RandomSource second(7);
  const auto parts = cut_in_many_parts(graph, sizes, first);
  EXPECT_EQ(sizes_of(parts, sizes.size()), sizes);
  EXPECT_EQ(parts, cut_in_many_parts(graph, sizes, second));
}

TEST(ManyParts, AboutAsGoodAsByHalves) {
  const PartitionGraph graph = shuffled_square(120);
  const std::vector<std::uint32_t> sizes(900, 16);
  expect_exact(graph, sizes);
  RandomSource random(1);
  const std::int64_t by_halves = cut_of(graph, cut_in_parts(graph, sizes, random));
  const std::int64_t many = cut_of(graph, cut_in_many_parts(graph, sizes, random));
  EXPECT_LE(many, by_halves * 1.1);
}

TEST(ManyParts, SizesAreExactWhenTimeIsOver) {
  const PartitionGraph graph = shuffled_square(100);
  const std::vector<std::uint32_t> sizes(400, 25);
  for (const int asked : {0, 1, 4, 40, 400}) {
    std::atomic<int> left = asked;
    RandomSource random(3);
    const auto parts =
        cut_in_many_parts(graph, sizes, random, [&left] { return left.fetch_sub(1) <= 0; });
    EXPECT_EQ(sizes_of(parts, sizes.size()), sizes) << asked;
  }
}

TEST(ManyParts, SizesMayDiffer) {
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t left = 100 * 100; left > 0; left -= sizes.back())
    sizes.push_back(std::min<std::uint32_t>(left, 1 + sizes.size() % 40));
  expect_exact(shuffled_square(100), sizes);
}

TEST(ManyParts, OneHub) {
  Lists partners(10'000);
  for (std::uint32_t v = 1; v < partners.size(); ++v) {
    partners[0].push_back(v);
    partners[v].push_back(0);
  }
  expect_exact(graph_from(partners), std::vector<std::uint32_t>(625, 16));
}

TEST(ManyParts, NoEdgesAtAll) {
  expect_exact(graph_from(Lists(10'000)), std::vector<std::uint32_t>(100, 100));
}

TEST(ManyParts, FewVerticesAndFewParts) {
  expect_exact(shuffled_square(4), {8, 8});
  expect_exact(shuffled_square(3), {9});
  expect_exact(shuffled_square(90), {8100});
}

}  // namespace
}  // namespace tofa
