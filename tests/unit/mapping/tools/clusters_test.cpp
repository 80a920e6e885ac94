// SPDX-License-Identifier: BSD-3-Clause
// What clusters exchange, against sums over all pairs of ranks.
#include "mapping/tools/clusters.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <utility>

#include "support/random_cases.hpp"
#include "support/random_traffic.hpp"

namespace tofa::clusters_test {
namespace {

using Sums = std::map<std::pair<std::uint32_t, std::uint32_t>, Bytes>;

Sums sent_between(const CommGraph& graph, const std::vector<std::uint32_t>& cluster) {
  Sums sums;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (sent > 0 && cluster[rank] != cluster[partner])
        sums[{cluster[rank], cluster[partner]}] += sent;
    }
  }
  return sums;
}

Sums sent_in(const CommGraph& graph) {
  std::vector<std::uint32_t> alone(graph.ranks());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) alone[rank] = rank;
  return sent_between(graph, alone);
}

RC_GTEST_PROP(ContractedProperty, HasWhatRanksOfTwoClustersExchange, ()) {
  const CommGraph graph = test::any_graph(60);
  const auto clusters = *rc::gen::inRange<std::uint32_t>(1, 2 * graph.ranks() + 1);
  std::vector<std::uint32_t> cluster;
  const auto seats = graph.ranks() + *rc::gen::inRange<Rank>(0, 3);
  for (Rank rank = 0; rank < seats; ++rank)
    cluster.push_back(*rc::gen::inRange<std::uint32_t>(0, clusters));
  const CommGraph small = contracted(graph, cluster, clusters);
  RC_ASSERT(small.ranks() == clusters);
  RC_ASSERT(sent_in(small) == sent_between(graph, cluster));
}

// So many pairs that two lanes share them, of clusters that differ in size.
TEST(Contracted, IsTheSameByTwoLanes) {
  constexpr Rank ranks = 4096;
  const CommGraph graph(test::random_traffic(ranks, 20));
  ASSERT_GT(graph.pairs(), 20'000U);
  for (const std::uint32_t clusters : {1U, 2U, 300U}) {
    std::vector<std::uint32_t> cluster;
    for (Rank rank = 0; rank < ranks; ++rank)
      cluster.push_back(static_cast<std::uint32_t>(std::uint64_t{rank} * rank % clusters));
    EXPECT_EQ(sent_in(contracted(graph, cluster, clusters)), sent_between(graph, cluster));
  }
}

}  // namespace
}  // namespace tofa::clusters_test
