// SPDX-License-Identifier: BSD-3-Clause
// Explanations against hand-made cases, and against the metrics they must agree with.
#include "tofa/explain.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/random_cases.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

class ExplainOnRing : public testing::Test {
 protected:
  Explanation explain_mapping(const Mapping& after, std::size_t most = 10) const {
    const OutageMap outages({{"n1", 0.25, -1}, {"n3", 0.5, -1}, {"n5", 0.125, -1}}, *ring_);
    return explain(graph_, *ring_, outages, {0, 1, 2, 3}, {0, 1, 2}, after, most);
  }

  std::unique_ptr<Topology> ring_ =
      parse_topology("[topology]\nkind=\"torus\"\nshape=[6]\nnodes=\"n[0-5]\"\n", "ring.toml");
  // 0 and 1 exchange 12, 1 and 2 exchange 4.
  CommGraph graph_{Traffic{3, {{0, 1, 10}, {1, 0, 2}, {1, 2, 4}}, ""}};
};

TEST_F(ExplainOnRing, HeaviestPairsComeWithNodesAndHops) {
  const Explanation e = explain_mapping({0, 2, 1});
  ASSERT_EQ(e.heaviest_pairs.size(), 2U);
  const PairChange& first = e.heaviest_pairs[0];
  EXPECT_EQ(first.pair, (RankPair{0, 1, 12}));
  EXPECT_EQ(first.before.hops, 1U);
  EXPECT_EQ(first.after.low, 0U);
  EXPECT_EQ(first.after.high, 2U);
  EXPECT_EQ(first.after.hops, 2U);
  EXPECT_EQ(e.heaviest_pairs[1].pair, (RankPair{1, 2, 4}));
}

TEST_F(ExplainOnRing, BusiestLinksAreThoseThatCarrySomething) {
  const Explanation e = explain_mapping({0, 2, 1});
  ASSERT_EQ(e.busiest_after.size(), 4U);
  EXPECT_EQ(e.busiest_after[0].bytes, 10) << "what 0 sends to 1, over n0-n1 and n1-n2";
  EXPECT_EQ(e.busiest_after[0].source, 0U);
  EXPECT_EQ(e.busiest_after[0].target, 1U);
  EXPECT_EQ(e.busiest_after[3].bytes, 2);
  EXPECT_EQ(explain_mapping({0, 0, 0}).busiest_after.size(), 0U);
}

TEST_F(ExplainOnRing, WhereLinksDifferTheBusiestIsTheOneThatTakesLongest) {
  std::vector<double> cost(ring_->links(), 1);
  for (Link link = 0; link < ring_->links(); ++link)
    if (ring_->link_source(link) == 2 && ring_->link_target(link) == 1) cost[link] = 8;
  ring_->set_link_costs(std::make_shared<LinkCosts>(cost, PairCostRule{}));
  const Explanation e = explain_mapping({0, 2, 1});
  EXPECT_EQ(e.busiest_after[0].source, 2U);
  EXPECT_EQ(e.busiest_after[0].bytes * 8, e.after.max_link_load);
  EXPECT_EQ(e.busiest_after[0].weighted, e.after.max_link_load);
}

TEST_F(ExplainOnRing, SuspectsSayWhatTheyAreNeededFor) {
  // 0 and 1 talk through n5; 1 and 2 are neighbours.
  const Explanation e = explain_mapping({0, 4, 3});
  ASSERT_EQ(e.suspects.size(), 3U) << "n5 is not allocated, but forwards";
  EXPECT_EQ(e.suspects[0].node, 3U) << "the most likely to fail comes first";
  EXPECT_EQ(e.suspects[0].before, NodeUse::none);
  EXPECT_EQ(e.suspects[0].after, NodeUse::holds_ranks);
  EXPECT_EQ(e.suspects[1].node, 1U);
  EXPECT_EQ(e.suspects[1].before, NodeUse::holds_ranks);
  EXPECT_EQ(e.suspects[1].after, NodeUse::none);
  EXPECT_EQ(e.suspects[2].node, 5U);
  EXPECT_EQ(e.suspects[2].after, NodeUse::forwards_traffic);
  EXPECT_EQ(explain_mapping({0, 1, 2}).suspects.size(), 2U) << "n5 is nobody's business here";
}

TEST_F(ExplainOnRing, NoMoreThanAskedFor) {
  const Explanation e = explain_mapping({0, 2, 1}, 1);
  EXPECT_EQ(e.heaviest_pairs.size(), 1U);
  EXPECT_EQ(e.busiest_before.size(), 1U);
  EXPECT_EQ(e.busiest_after.size(), 1U);
}

TEST_F(ExplainOnRing, AMappingOfTheWrongSizeIsRefused) {
  EXPECT_THROW(explain_mapping({0, 1}), Error);
}

TEST(HeaviestPairs, OfEqualsTheLowerRanksComeFirst) {
  const CommGraph graph(Traffic{4, {{2, 3, 5}, {1, 3, 5}, {0, 1, 1}, {3, 0, 9}}, ""});
  const std::vector<RankPair> expected{{0, 3, 9}, {1, 3, 5}, {2, 3, 5}};
  EXPECT_EQ(heaviest_pairs(graph, 3), expected);
}

RC_GTEST_PROP(ExplainProperty, AgreesWithTheMetrics, ()) {
  const auto topology = test::any_topology();
  const OutageMap outages = test::any_outages(*topology);
  const CommGraph graph = test::any_graph(40);
  Mapping before;
  Mapping after;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    before.push_back(test::any_node(*topology));
    after.push_back(test::any_node(*topology));
  }
  const Explanation e = explain(graph, *topology, outages, {}, before, after);
  const double busiest = e.busiest_after.empty() ? 0 : e.busiest_after.front().bytes;
  RC_ASSERT(busiest == e.after.max_link_load);
  double survival = 1;
  for (const SuspectNode& suspect : e.suspects) {
    if (suspect.before != NodeUse::none) survival *= 1 - outages.own_probability(suspect.node);
  }
  RC_ASSERT(std::abs(1 - survival - e.before.abort_probability) < 1e-9);
}

}  // namespace
}  // namespace tofa
