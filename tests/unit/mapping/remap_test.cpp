// SPDX-License-Identifier: BSD-3-Clause
// Remapping must move no rank that can stay, respect the slots that are left, and share out what
// does not fit evenly.
#include "tofa/remap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Topology> ring(unsigned nodes) {
  return parse_topology(fmt::format("[topology]\nkind = \"torus\"\nshape = [{}]\nnodes = "
                                    "\"n[0-{}]\"\n",
                                    nodes, nodes - 1),
                        "ring.toml");
}

Allocation one_slot_each(const std::vector<Node>& nodes, unsigned slots = 1) {
  Allocation allocation;
  for (const Node node : nodes) allocation.push_back({node, slots});
  return allocation;
}

unsigned ranks_on(const Mapping& mapping, Node node) {
  return static_cast<unsigned>(std::count(mapping.begin(), mapping.end(), node));
}

TEST(Remap, OneLostNodeMovesOneRankNextToItsPartners) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, {}, {0, 1, 2, 3}, one_slot_each({0, 2, 3, 4, 5, 6, 7}), {});
  EXPECT_THAT(result.moved, ElementsAre(1));
  EXPECT_EQ(result.mapping[1], 7U);
  EXPECT_FALSE(result.oversubscribed);
}

TEST(Remap, NothingMovesWhenNothingIsLost) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, {}, {0, 4, 2, 6}, one_slot_each({0, 1, 2, 3, 4, 5, 6, 7}), {});
  EXPECT_TRUE(result.moved.empty());
}

TEST(Remap, DeadNodesAreLeftThoughTheyAreListed) {
  const auto topology = ring(8);
  const OutageMap outages({{"n2", 1, -1}}, *topology);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 3, 4, 5, 6, 7}), {});
  EXPECT_THAT(result.moved, ElementsAre(2));
  const Remapping crowded =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 3}), {});
  EXPECT_TRUE(crowded.oversubscribed);
  EXPECT_EQ(ranks_on(crowded.mapping, 2), 0U);
}

TEST(Remap, SuspectNodesKeepTheirRanksButGetNoOthers) {
  const auto topology = ring(8);
  const OutageMap outages({{"n1", 0.02, -1}, {"n4", 0.02, -1}}, *topology);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 4, 5, 6, 7}, 2), {});
  EXPECT_THAT(result.moved, ElementsAre(3));
  EXPECT_EQ(result.mapping[3], 2U);
  const Remapping crowded =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 4}), {});
  EXPECT_EQ(crowded.mapping[3], 4U);
}

TEST(Remap, TooFewNodesAreOversubscribedEvenly) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(8);
  const Remapping result =
      remap(graph, *topology, {}, {0, 1, 2, 3, 4, 5, 6, 7}, one_slot_each({1, 4, 6}), {});
  EXPECT_TRUE(result.oversubscribed);
  for (const Node node : {1U, 4U, 6U}) {
    EXPECT_GE(ranks_on(result.mapping, node), 2U);
    EXPECT_LE(ranks_on(result.mapping, node), 3U);
  }
}

// The example of the paper: when nodes are gained, groups that talk leave together.
TEST(Remap, GainedNodesRelieveOversubscribedOnes) {
  const auto topology = ring(8);
  Traffic traffic;
  traffic.ranks = 4;
  traffic.entries = {{0, 2, 100}, {1, 3, 100}, {0, 1, 1}};
  traffic.normalise();
  const CommGraph graph(traffic);
  const Remapping result = remap(graph, *topology, {}, {5, 5, 5, 5}, one_slot_each({5, 6}, 2), {});
  EXPECT_EQ(result.moved.size(), 2U);
  EXPECT_EQ(result.mapping[0], result.mapping[2]);
  EXPECT_EQ(result.mapping[1], result.mapping[3]);
}

TEST(Remap, MistakesAreExplained) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  EXPECT_THAT(test::error_of([&] {
                remap(graph, *topology, {}, {0, 1}, one_slot_each({0}), {});
              }),
              HasSubstr("places 2 ranks, the graph has 4"));
  EXPECT_THAT(test::error_of([&] {
                remap(graph, *topology, {}, {0, 1, 2, 3}, {}, {});
              }),
              HasSubstr("no node is available"));
}

RC_GTEST_PROP(RemapProperty, MovesOnlyWhoMustAndRespectsSlots, ()) {
  const auto topology = test::any_topology();
  const Allocation before = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(before), 30U));
  PlaceOptions random;
  random.mapper = "random";
  const OutageMap outages;
  const Mapping old = place(graph, *topology, outages, before, random).mapping;
  const Allocation after = test::any_allocation(*topology);
  const Remapping result = remap(graph, *topology, outages, old, after, {});
  const Allocation room = with_room_for(after, graph.ranks());
  std::size_t must = graph.ranks();
  for (const auto& [node, slots] : room) {
    RC_ASSERT(ranks_on(result.mapping, node) <= slots);
    must -= std::min(ranks_on(old, node), slots);
  }
  RC_ASSERT(result.moved.size() == must);
  RC_ASSERT(result.moved == moved_ranks(old, result.mapping));
  RC_ASSERT(result.mapping == remap(graph, *topology, outages, old, after, {}).mapping);
}

}  // namespace
}  // namespace tofa
