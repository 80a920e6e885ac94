// SPDX-License-Identifier: BSD-3-Clause
// What several launchers leave to each other.
#include "planner_claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tofa::planner::planner_claims_test {
namespace {

using ::testing::ElementsAre;

// Three nodes of four slots each, and one application that may use all of them.
struct Fixture {
  std::vector<tofa_node> nodes = {{"n0", 4, 0}, {"n1", 4, 0}, {"n2", 4, 0}};
  std::vector<unsigned> order = {0, 1, 2};
  tofa_app app{};
  tofa_job job{};

  explicit Fixture(unsigned ranks) {
    app = {ranks, order.data(), order.size()};
    job.nodes = nodes.data();
    job.node_count = nodes.size();
    job.apps = &app;
    job.app_count = 1;
  }

  std::vector<unsigned> left(const std::vector<NodeClaim>& others) const {
    const RemainingJob remaining(job, others);
    std::vector<unsigned> slots(3, 0);
    const tofa_app& rest = remaining.job().apps[0];
    for (std::size_t i = 0; i < rest.node_count; ++i)
      slots[rest.nodes[i]] = remaining.job().nodes[rest.nodes[i]].slots;
    return slots;
  }
};

TEST(PlannerClaims, NodesOfOthersAreLeftToThem) {
  EXPECT_THAT(Fixture(8).left({}), ElementsAre(4, 4, 4));
  EXPECT_THAT(Fixture(8).left({{17, {{"n1", 1}}}}), ElementsAre(4, 0, 4));
  EXPECT_THAT(Fixture(8).left({{17, {{"elsewhere", 1}}}}), ElementsAre(4, 4, 4));
}

TEST(PlannerClaims, WhatIsLeftOfThemIsUsedWhereThatIsNeeded) {
  EXPECT_THAT(Fixture(9).left({{17, {{"n1", 1}}}, {18, {{"n1", 1}}}}), ElementsAre(4, 2, 4));
  EXPECT_THAT(Fixture(9).left({{17, {{"n1", kWholeNode}}}}), ElementsAre(4, 4, 4));
  Fixture wide(4);
  wide.job.cpus_per_rank = 2;
  EXPECT_THAT(wide.left({{17, {{"n1", 3}}}}), ElementsAre(4, 0, 4));
}

TEST(PlannerClaims, WhoOversubscribesSharesNodes) {
  Fixture crowd(8);
  crowd.job.oversubscribe = true;
  EXPECT_THAT(crowd.left({{17, {{"n1", 4}}}}), ElementsAre(4, 4, 4));
}

TEST(PlannerClaims, RanksTakeTheirSlots) {
  Fixture some(3);
  some.job.cpus_per_rank = 2;
  EXPECT_EQ(claim_of(some.job, {0, 0, 2}), (NodeCounts{{"n0", 4}, {"n2", 2}}));
}

}  // namespace
}  // namespace tofa::planner::planner_claims_test
