// SPDX-License-Identifier: BSD-3-Clause
// Cuts must have exactly the sizes asked for, and be small where a small cut exists.
#include "mapping/tools/bipartition.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tofa {
namespace {

PartitionGraph from_pairs(std::uint32_t vertices,
                          const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  PartitionGraph graph;
  std::vector<std::vector<std::uint32_t>> lists(vertices);
  for (const auto& [a, b] : pairs) {
    lists[a].push_back(b);
    lists[b].push_back(a);
  }
  for (const auto& list : lists) {
    for (const std::uint32_t to : list) graph.edges.push_back({to, 10});
    graph.offsets.push_back(static_cast<std::uint32_t>(graph.edges.size()));
    graph.sizes.push_back(1);
    graph.bias.push_back(0);
  }
  return graph;
}

std::int64_t cut(const PartitionGraph& graph, const std::vector<std::uint8_t>& sides) {
  std::int64_t sum = 0;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    for (std::uint32_t e = graph.offsets[v]; e < graph.offsets[v + 1]; ++e) {
      if (sides[v] != sides[graph.edges[e].to]) sum += graph.edges[e].weight;
    }
  }
  return sum / 2;
}

RC_GTEST_PROP(BipartitionProperty, SizesAreExactAndTheSameSeedCutsTheSame, ()) {
  const auto vertices = *rc::gen::inRange<std::uint32_t>(1, 300);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (int i = *rc::gen::inRange(0, 600); i > 0; --i) {
    const auto a = *rc::gen::inRange<std::uint32_t>(0, vertices);
    const auto b = *rc::gen::inRange<std::uint32_t>(0, vertices);
    if (a != b) pairs.emplace_back(a, b);
  }
  PartitionGraph graph = from_pairs(vertices, pairs);
  for (auto& bias : graph.bias) bias = *rc::gen::inRange<std::int32_t>(-50, 51);
  const auto size = *rc::gen::inRange<std::uint32_t>(0, vertices + 1);
  RandomSource first(7);
  RandomSource second(7);
  const auto sides = bipartition(graph, size, first);
  RC_ASSERT(std::count(sides.begin(), sides.end(), 0) == static_cast<std::ptrdiff_t>(size));
  RC_ASSERT(sides == bipartition(graph, size, second));
}

// However late it is: before it begins, and at any moment after that.
RC_GTEST_PROP(BipartitionProperty, SizesAreExactWhenTimeIsOver, ()) {
  const auto vertices = *rc::gen::inRange<std::uint32_t>(2, 300);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t v = 1; v < vertices; ++v)
    pairs.emplace_back(*rc::gen::inRange<std::uint32_t>(0, v), v);
  const PartitionGraph graph = from_pairs(vertices, pairs);
  const auto size = *rc::gen::inRange<std::uint32_t>(0, vertices + 1);
  int left = *rc::gen::inRange(0, 6);
  RandomSource random(7);
  const auto sides = bipartition(graph, size, random, [&left] { return --left < 0; });
  RC_ASSERT(std::count(sides.begin(), sides.end(), 0) == static_cast<std::ptrdiff_t>(size));
}

// It grows one half from a vertex, and asks no more.
TEST(Bipartition, IsNotRefinedWhenTimeIsOver) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i + 1 < 200; ++i) pairs.emplace_back(i, i + 1);
  const PartitionGraph graph = from_pairs(200, pairs);
  int asked = 0;
  RandomSource random(4);
  const auto sides = bipartition(graph, 100, random, [&asked] { return ++asked > 0; });
  EXPECT_EQ(asked, 1);
  EXPECT_LE(cut(graph, sides), 2 * graph.edges[0].weight) << "a run of the path";
}

// However much traffic there is, and however little of it a pair has.
RC_GTEST_PROP(TrafficWeightsProperty, AreBytesOrFitAndNobodyWhoTalksIsSilent, ()) {
  const auto all = *rc::gen::arbitrary<Bytes>();
  const Bytes some = all / *rc::gen::inRange<Bytes>(1, 1'000'000);
  const TrafficWeights weight_of(all);
  RC_ASSERT(weight_of(0) == 0);
  RC_ASSERT((weight_of(some) > 0) == (some > 0));
  RC_ASSERT(weight_of(all) <= static_cast<std::int32_t>(PartitionGraph::kMostWeight));
  if (all <= 100'000'000) RC_ASSERT(weight_of(some) == static_cast<std::int32_t>(some));
  // Rounded, and never out of range, whatever is asked.
  RC_ASSERT(
      std::abs(weight_of(some) - weight_of(all) * (static_cast<double>(some) /
                                                   std::max(static_cast<double>(all), 1.0))) <= 1);
}

// Millions of pairs, nearly all of them too small to weigh anything.
TEST(TrafficWeights, OfManySmallPairsFitThirtyTwoBits) {
  constexpr std::int64_t small = 100'000'000;
  constexpr Bytes large = Bytes{1} << 62U;
  const TrafficWeights weight_of(large + Bytes{small});
  EXPECT_EQ(weight_of(1), 1);
  EXPECT_LE(2 * (std::int64_t{weight_of(large)} + small), std::numeric_limits<std::int32_t>::max());
}

// Nobody talks, and all are better on side 1: whoever had better change places with one that is
// there has to find somebody who is at no cut.
TEST(Bipartition, ASideWithoutAnybodyAtTheCutGivesThoseWhoLoseTheLeast) {
  constexpr std::uint32_t vertices = 200;
  PartitionGraph graph = from_pairs(vertices, {});
  for (std::uint32_t v = 0; v < vertices; ++v)
    graph.bias[v] = -1 - static_cast<std::int32_t>(v * 77 % vertices);
  RandomSource random(1);
  const auto sides = bipartition(graph, vertices / 2, random);
  for (std::uint32_t v = 0; v < vertices; ++v)
    EXPECT_EQ(sides[v], graph.bias[v] < -static_cast<std::int32_t>(vertices) / 2 ? 1 : 0) << v;
}

TEST(Bipartition, ALadderIsCutAcross) {
  constexpr std::uint32_t length = 200;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < length; ++i) {
    pairs.emplace_back(2 * i, 2 * i + 1);
    if (i + 1 < length) {
      pairs.emplace_back(2 * i, 2 * i + 2);
      pairs.emplace_back(2 * i + 1, 2 * i + 3);
    }
  }
  const PartitionGraph graph = from_pairs(2 * length, pairs);
  RandomSource random(1);
  EXPECT_LE(cut(graph, bipartition(graph, length, random)), 40);
}

// How small graphs are coarsened decides most: with two attempts at these, cuts of neighbours in a
// plane are a twentieth lower on average.
TEST(Bipartition, TwoAttemptsAtWhatIsSmallCutLess) {
  constexpr std::uint32_t vertices = 768;
  constexpr double reach = 0.05;
  RandomSource random(7);
  std::vector<std::pair<double, double>> at(vertices);
  for (auto& point : at) point = {random.unit(), random.unit()};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> near;
  for (std::uint32_t a = 0; a < vertices; ++a) {
    for (std::uint32_t b = a + 1; b < vertices; ++b) {
      if (std::hypot(at[a].first - at[b].first, at[a].second - at[b].second) < reach)
        near.emplace_back(a, b);
    }
  }
  const PartitionGraph plane = from_pairs(vertices, near);
  const auto cut_by = [&plane](Attempts attempts) {
    std::int64_t sum = 0;
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      RandomSource own(seed);
      sum += cut(plane, bipartition(plane, vertices / 2, own, never_stop, attempts));
    }
    return static_cast<double>(sum);
  };
  EXPECT_LE(cut_by(Attempts::two), 0.97 * cut_by(Attempts::one));
}

TEST(Bipartition, TheBiasDecidesWhereNothingElseDoes) {
  PartitionGraph graph = from_pairs(6, {});
  graph.bias = {-5, 5, -5, 5, -5, 5};
  RandomSource random(1);
  EXPECT_EQ(bipartition(graph, 3, random), (std::vector<std::uint8_t>{1, 0, 1, 0, 1, 0}));
}

}  // namespace
}  // namespace tofa
