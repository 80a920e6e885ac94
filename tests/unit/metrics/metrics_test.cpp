// SPDX-License-Identifier: BSD-3-Clause
// Metrics against their definitions, worked out by hand on small cases.
#include "tofa/metrics.hpp"

#include <gtest/gtest.h>

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
  EXPECT_EQ(m.max_link_load, 6 + 2) << "half of 12 and half of 4 share the link between n1 and n2";
  EXPECT_EQ(m.squared_load, 2 * 6 * 6 + 2 * 8 * 8) << "n0-n1 and n1-n2, both ways";
  EXPECT_EQ(m.fault_weighted_cost, 28);
  EXPECT_EQ(m.abort_probability, 0);
  EXPECT_EQ(m.nodes_used, 3U);
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

}  // namespace
}  // namespace tofa
