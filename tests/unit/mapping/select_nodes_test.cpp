// SPDX-License-Identifier: BSD-3-Clause
// Choosing nodes: close ones, none that is likely to fail, and exactly so many when asked.
#include "tofa/select_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>

#include "support.hpp"
#include "support/random_cases.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using testing::HasSubstr;

class OnARing : public testing::Test {
 protected:
  OnARing() {
    // Every second node first, so that the order of the candidates is no help.
    for (const Node first : {0U, 1U}) {
      for (Node node = first; node < 16; node += 2) candidates_.push_back({node, 4});
    }
  }
  Placement select(Rank ranks, unsigned node_count, const OutageMap& outages = {}) const {
    return select_nodes(CommGraph::neighbours_in_rank_order(ranks), *ring_, outages, candidates_,
                        node_count, {.time_limit_seconds = 1});
  }
  static std::set<Node> nodes_of(const Placement& placement) {
    return {placement.mapping.begin(), placement.mapping.end()};
  }

  std::unique_ptr<Topology> ring_ =
      parse_topology("[topology]\nkind = \"torus\"\nshape = [16]\nnodes = \"n[0-15]\"\n", "r.toml");
  Allocation candidates_;
};

TEST_F(OnARing, AsManyNodesAsAreGood) {
  EXPECT_EQ(nodes_of(select(4, 0)).size(), 1U);
}

TEST_F(OnARing, ExactlySoManyNodesThatAreClose) {
  for (const unsigned count : {2U, 3U, 5U}) {
    const std::set<Node> nodes = nodes_of(select(5, count));
    EXPECT_EQ(nodes.size(), count);
    for (const Node a : nodes) {
      for (const Node b : nodes) EXPECT_LE(ring_->hops(a, b), 4U);
    }
  }
}

TEST_F(OnARing, NoMoreNodesThanRanks) {
  EXPECT_EQ(nodes_of(select(3, 10)).size(), 3U);
}

TEST_F(OnARing, NodesThatMayFailAreLeftOut) {
  const OutageMap outages({{"n3", 0.2, -1}, {"n9", 0.2, -1}}, *ring_);
  EXPECT_EQ(select(6, 4, outages).chosen.abort_probability, 0);
}

// Also where an even share of the ranks fits on fewer nodes than are asked for, or on all of them
// only.
TEST_F(OnARing, NodesThatWillFailAreLeftOutWhereOthersAreEnough) {
  const auto chosen = [this](Rank ranks, unsigned node_count, Node nodes) {
    candidates_.clear();
    for (Node node = 0; node < nodes; ++node) candidates_.push_back({node, 16});
    const OutageMap outages({{"n0", 1, -1}}, *ring_);
    return select(ranks, node_count, outages).chosen.abort_probability;
  };
  EXPECT_EQ(chosen(6, 4, 5), 0);
  EXPECT_EQ(chosen(13, 3, 4), 0);
  EXPECT_EQ(chosen(4, 4, 4), 1);  // there are no others
}

TEST_F(OnARing, NodesThatMayFailAreLeftOutWhereFewRanksNeedManyNodes) {
  candidates_.clear();
  for (Node node = 0; node < 5; ++node) candidates_.push_back({node, 16});
  const OutageMap outages({{"n0", 0.2, -1}}, *ring_);
  EXPECT_EQ(select(6, 4, outages).chosen.abort_probability, 0);
}

// Not from a new half on, after it took long to read what is placed.
TEST_F(OnARing, TheTimeLimitIsOfBothHalves) {
  const auto before = std::chrono::steady_clock::now() - std::chrono::seconds(3);
  const Placement placement =
      select_nodes(CommGraph::neighbours_in_rank_order(12), *ring_, {}, candidates_, 4,
                   {.time_limit_seconds = 2, .started = before});
  EXPECT_TRUE(placement.out_of_time);
  EXPECT_EQ(placement.candidates.size(), 1U);
}

TEST_F(OnARing, WhatDoesNotFitIsExplained) {
  EXPECT_THAT(test::error_of([this] { select(9, 2); }), HasSubstr("9 ranks do not fit on 2 nodes"));
  EXPECT_THAT(test::error_of([this] { select(65, 0); }), HasSubstr("65 ranks need as many slots"));
  EXPECT_THAT(test::error_of([this] { select(0, 2); }), HasSubstr("no ranks"));
}

RC_GTEST_PROP(SelectNodesProperty, UsesSoManyNodesAndTheirSlots, ()) {
  const auto topology = test::any_topology();
  const Allocation candidates = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(candidates), 20U));
  const unsigned count = *rc::gen::inRange(1U, static_cast<unsigned>(candidates.size()) + 1);
  const PlaceOptions options{.mapper = "greedy"};
  Placement placement;
  try {
    placement = select_nodes(graph, *topology, {}, candidates, count, options);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::unmet);
    return;
  }
  std::map<Node, unsigned> used;
  for (const Node node : placement.mapping) ++used[node];
  RC_ASSERT(used.size() == std::min<std::size_t>(count, graph.ranks()));
  for (const AllocationEntry& entry : candidates) RC_ASSERT(used[entry.node] <= entry.slots);
}

RC_GTEST_PROP(SelectNodesProperty, UsesNoNodeThatWillFailWhereOthersAreEnough, ()) {
  const auto topology = test::any_topology();
  const unsigned slots = *rc::gen::inRange(1U, 5U);
  Allocation candidates;
  OutageList list;
  for (Node node = 0; node < topology->nodes(); ++node) {
    candidates.push_back({node, slots});
    list.push_back({topology->name(node), *rc::gen::element(0.0, 0.0, 0.3, 1.0), -1});
  }
  const OutageMap outages(list, *topology);
  unsigned alive = 0;
  for (Node node = 0; node < topology->nodes(); ++node) alive += outages.dead(node) ? 0 : 1;
  RC_PRE(alive > 0);
  const unsigned count = *rc::gen::inRange(1U, alive + 1);
  const CommGraph graph = test::any_graph(count * slots);
  const Placement placement =
      select_nodes(graph, *topology, outages, candidates, count, {.mapper = "greedy"});
  for (const Node node : placement.mapping) RC_ASSERT(!outages.dead(node));
}

}  // namespace
}  // namespace tofa
