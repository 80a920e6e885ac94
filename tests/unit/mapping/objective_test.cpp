// SPDX-License-Identifier: BSD-3-Clause
// Objectives: what each of them counts, and that a risk is weighed against time.
#include <gtest/gtest.h>

#include "tofa/error.hpp"
#include "tofa/place.hpp"

namespace tofa {
namespace {

// Two ranks, 100 bytes, two hops: 50 over each of two links each way.
Metrics two_hops() {
  Metrics metrics;
  metrics.ranks = 2;
  metrics.bytes = 100;
  metrics.hop_bytes = 200;
  metrics.max_link_load = 50;
  metrics.squared_load = 4 * 50 * 50;
  metrics.fault_weighted_cost = 300;
  return metrics;
}

TEST(Objective, CompletionTimeAddsOwnBytesBusiestLinkAndLoadMet) {
  EXPECT_DOUBLE_EQ(objective_value(Objective::completion_time, two_hops()), 100 + 75 + 100);
}

TEST(Objective, CompletionTimeGrowsAsSurvivalShrinks) {
  Metrics metrics = two_hops();
  metrics.abort_probability = 0.5;
  EXPECT_DOUBLE_EQ(objective_value(Objective::completion_time, metrics), 2 * 275);
  metrics.abort_probability = 1;
  EXPECT_LT(objective_value(Objective::completion_time, metrics), 1e300);
}

TEST(Objective, WithoutTrafficCompletionTimeStillPrefersSurvival) {
  Metrics metrics;
  const double safe = objective_value(Objective::completion_time, metrics);
  metrics.abort_probability = 0.1;
  EXPECT_LT(safe, objective_value(Objective::completion_time, metrics));
}

TEST(Objective, TheOthersAreOneMetricEach) {
  EXPECT_DOUBLE_EQ(objective_value(Objective::hop_bytes, two_hops()), 200);
  EXPECT_DOUBLE_EQ(objective_value(Objective::fault_weighted, two_hops()), 300);
  EXPECT_NEAR(objective_value(Objective::congestion, two_hops()), 50, 1e-3);
}

TEST(Objective, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  EXPECT_EQ(parse_objective("hop-bytes"), Objective::hop_bytes);
  EXPECT_EQ(objective_name(Objective::completion_time), "completion-time");
  EXPECT_THROW(parse_objective("fast"), Error);
}

}  // namespace
}  // namespace tofa
