// SPDX-License-Identifier: BSD-3-Clause
// Metrics against their definitions, worked out by hand on small cases.
#include "tofa/metrics.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/random_cases.hpp"
#include "support/random_traffic.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

class MetricsOnRing : public testing::Test {
 protected:
  Metrics evaluate_mapping(const Mapping& mapping, const OutageList& outages = {}) {
    return evaluate(CommGraph(traffic_), *ring_, OutageMap(outages, *ring_), mapping);
  }

  std::unique_ptr<Topology> ring_ =
      parse_topology("[topology]\nkind=\"torus\"\nshape=[6]\nnodes=\"n[0-5]\"\n", "ring.toml");
  // 0 sends 10 to 1 and gets 2 back; 1 sends 4 to 2; 2 talks to itself, which no placement changes.
  Traffic traffic_{3, {{0, 1, 10}, {1, 0, 2}, {1, 2, 4}, {2, 2, 99}}, ""};
};

TEST_F(MetricsOnRing, FollowTheirDefinitions) {
  const Metrics m = evaluate_mapping({0, 2, 1});
  EXPECT_EQ(m.ranks, 3U);
  EXPECT_EQ(m.bytes, 16U);
  EXPECT_EQ(m.hop_bytes, 12 * 2 + 4 * 1);
  EXPECT_DOUBLE_EQ(m.average_hops_per_byte, 28.0 / 16);
  EXPECT_EQ(m.dilation, 2U);
  EXPECT_EQ(m.max_link_load, 10) << "what 0 sends to 1, over n0-n1 and n1-n2";
  EXPECT_EQ(m.squared_load, 2 * 10 * 10 + (2 + 4) * (2 + 4) + 2 * 2) << "n2-n1 carries 2 and 4";
  EXPECT_EQ(m.fault_weighted_cost, 28);
  EXPECT_EQ(m.abort_probability, 0);
  EXPECT_EQ(m.nodes_used, 3U);
}

TEST_F(MetricsOnRing, CountWhatIsLeftOfLinks) {
  const Metrics free = evaluate_mapping({0, 2, 1});
  EXPECT_EQ(free.pair_cost, free.hop_bytes);
  LinkUse use;
  use.bytes_per_second.resize(ring_->links());
  use.bytes_per_second[0] = 0.75 * kAssumedBandwidth;  // n0 to n1: a byte takes four times as long
  weigh_links(*ring_, use, {});
  const Metrics busy = evaluate_mapping({0, 2, 1});
  EXPECT_EQ(busy.max_link_load, 4 * 10);
  EXPECT_EQ(busy.squared_load, free.squared_load + 3 * 10 * 10);
  EXPECT_EQ(busy.pair_cost, free.hop_bytes + 3 * 10);
  EXPECT_EQ(busy.hop_bytes, free.hop_bytes) << "hops are hops";
  EXPECT_GT(communication_time(busy), communication_time(free));
}

// Nothing but what links carry is left out where that does not count.
RC_GTEST_PROP(MetricsProperty, OfDistancesAreThoseOfAll, ()) {
  const auto topology = test::any_topology();
  const CommGraph graph = test::any_graph(40);
  const OutageMap outages = test::any_outages(*topology);
  Mapping mapping;
  for (Rank rank = 0; rank < graph.ranks(); ++rank)
    mapping.push_back(*rc::gen::inRange<Node>(0, topology->nodes()));
  const Metrics all = evaluate(graph, *topology, outages, mapping);
  const Metrics distances = evaluate_distances(graph, *topology, outages, mapping);
  RC_ASSERT(distances.ranks == all.ranks);
  RC_ASSERT(distances.bytes == all.bytes);
  RC_ASSERT(distances.hop_bytes == all.hop_bytes);
  RC_ASSERT(distances.average_hops_per_byte == all.average_hops_per_byte);
  RC_ASSERT(distances.dilation == all.dilation);
  RC_ASSERT(distances.fault_weighted_cost == all.fault_weighted_cost);
  RC_ASSERT(distances.abort_probability == all.abort_probability);
  RC_ASSERT(distances.nodes_used == all.nodes_used);
  RC_ASSERT(distances.max_link_load == 0);
  RC_ASSERT(distances.values.empty());
}

// Pairs of nodes are counted, where many ranks share each.
RC_GTEST_PROP(MetricsProperty, OfSharedNodesAreSumsOverAllPairs, ()) {
  const auto topology = test::any_topology();
  const CommGraph graph = test::any_graph(60);
  const OutageMap outages = test::any_outages(*topology);
  const FaultWeights weights(*topology, outages);
  const Node used = std::clamp<Node>(graph.ranks() / 4, 1, topology->nodes());
  Mapping mapping;
  for (Rank rank = 0; rank < graph.ranks(); ++rank)
    mapping.push_back(*rc::gen::inRange<Node>(0, used));
  double hop_bytes = 0;
  double fault_weighted = 0;
  std::vector<double> loads(topology->links());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      const Node from = mapping[rank];
      const Node to = mapping[edge.partner];
      hop_bytes += 0.5 * static_cast<double>(edge.bytes) * topology->hops(from, to);
      fault_weighted += 0.5 * static_cast<double>(edge.bytes) * weights.weight(from, to);
      std::vector<Link> route;
      topology->route(from, to, route);
      for (const Link link : route) loads[link] += static_cast<double>(edge.sent);
    }
  }
  const Metrics metrics = evaluate(graph, *topology, outages, mapping);
  const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); };
  RC_ASSERT(close(metrics.hop_bytes, hop_bytes));
  RC_ASSERT(close(metrics.fault_weighted_cost, fault_weighted));
  RC_ASSERT(topology->link_costs() != nullptr || loads.empty() ||
            close(metrics.max_link_load, *std::max_element(loads.begin(), loads.end())));
}

TEST_F(MetricsOnRing, WhatIsSentOneWayLoadsTheLinksOneWay) {
  traffic_ = {2, {{0, 1, 1000}}, ""};
  EXPECT_EQ(evaluate_mapping({0, 1}).max_link_load, 1000);
  EXPECT_EQ(evaluate_mapping({0, 1}).squared_load, 1000 * 1000);
  EXPECT_EQ(evaluate_mapping({0, 1}).hop_bytes, 1000);
}

TEST_F(MetricsOnRing, ATreeAndItsMirrorShareNoLinks) {
  // Everybody sends to rank 0 (a sink), or rank 0 to everybody (a source): the busiest link is the
  // last of the way in the first case, the first in the second, and the bytes are the same.
  const auto star = [this](bool inwards) {
    traffic_ = {3, {}, ""};
    for (Rank rank = 1; rank < 3; ++rank) {
      traffic_.entries.push_back(inwards ? TrafficEntry{rank, 0, 100} : TrafficEntry{0, rank, 100});
    }
    return evaluate_mapping({0, 1, 2});
  };
  EXPECT_EQ(star(true).hop_bytes, star(false).hop_bytes);
  EXPECT_EQ(star(true).max_link_load, 200);
  traffic_ = {3, {{1, 0, 100}, {0, 2, 100}}, ""};
  EXPECT_EQ(evaluate_mapping({0, 1, 2}).max_link_load, 100) << "one inwards, one outwards";
}

TEST_F(MetricsOnRing, RanksOnOneNodeAreNoHopsApart) {
  const Metrics m = evaluate_mapping({3, 3, 3});
  EXPECT_EQ(m.hop_bytes, 0);
  EXPECT_EQ(m.max_link_load, 0);
  EXPECT_EQ(m.nodes_used, 1U);
}

TEST_F(MetricsOnRing, ForwardingThroughASuspectNodeCountsInBothFaultMetrics) {
  // 0 on n0 and 1 on n2 talk through n1; 2 on n3 talks to 1 directly.
  const Metrics m = evaluate_mapping({0, 2, 3}, {{"n1", 0.25, -1}, {"n5", 0.5, -1}});
  EXPECT_DOUBLE_EQ(m.abort_probability, 0.25) << "n5 neither holds a rank nor forwards";
  EXPECT_DOUBLE_EQ(m.fault_weighted_cost, 12 * (101 + 101) + 4 * 1);
}

TEST_F(MetricsOnRing, AbortProbabilityMultipliesOverNodes) {
  const Metrics m = evaluate_mapping({0, 1, 2}, {{"n0", 0.1, -1}, {"n2", 0.2, -1}});
  EXPECT_DOUBLE_EQ(m.abort_probability, 1 - 0.9 * 0.8);
}

TEST_F(MetricsOnRing, RefuseAMappingOfTheWrongSize) {
  EXPECT_THROW(evaluate_mapping({0, 1}), Error);
  EXPECT_THROW(evaluate_mapping({0, 1, 6}), Error);
}

// So many pairs that two lanes count them, against a walk along every route; and so many links that
// a core's cache does not hold them, on the larger one.
class MetricsOfManyPairs : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(OnTori, MetricsOfManyPairs, testing::Values(16U, 32U));

TEST_P(MetricsOfManyPairs, AreThoseOfFew) {
  const unsigned extent = GetParam();
  const Rank ranks = extent * 16 * 32;
  const auto torus = parse_topology(
      fmt::format("[topology]\nkind=\"torus\"\nshape=[{}, 16, 32]\nnodes=\"n[0-{}]\"\n", extent,
                  ranks - 1),
      "torus.toml");
  const CommGraph graph(test::random_traffic(ranks, 33));
  ASSERT_GT(graph.pairs(), 1U << 18U);
  const OutageMap outages(OutageList{{"n17", 0.25, -1}, {"n5000", 0.5, -1}}, *torus);
  Mapping mapping;
  for (Rank rank = 0; rank < ranks; ++rank) mapping.push_back((rank * 4099 + 7) % ranks);
  const FaultWeights weights(*torus, outages);
  std::vector<double> loads(torus->links());
  std::vector<Link> route;
  double hop_bytes = 0;
  double fault_weighted = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      const Node here = mapping[rank];
      const Node there = mapping[partner];
      hop_bytes += static_cast<double>(bytes) * torus->hops(here, there) / 2;
      fault_weighted += static_cast<double>(bytes) * weights.weight(here, there) / 2;
      route.clear();
      torus->route(here, there, route);
      for (const Link link : route) loads[link] += static_cast<double>(sent);
    }
  }
  const Metrics m = evaluate(graph, *torus, outages, mapping);
  EXPECT_EQ(m.hop_bytes, hop_bytes);
  EXPECT_EQ(m.pair_cost, hop_bytes);
  EXPECT_EQ(m.fault_weighted_cost, fault_weighted);
  EXPECT_EQ(m.max_link_load, *std::max_element(loads.begin(), loads.end()));
  EXPECT_EQ(m.squared_load, std::inner_product(loads.begin(), loads.end(), loads.begin(), 0.0));
  EXPECT_EQ(m.dilation, extent / 2 + 8 + 16);
  EXPECT_DOUBLE_EQ(m.abort_probability, 1 - 0.75 * 0.5);
  EXPECT_EQ(m.nodes_used, ranks);
}

}  // namespace
}  // namespace tofa
