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
  EXPECT_DOUBLE_EQ(objective_value(parse_objective("completion-time"), two_hops()), 100 + 75 + 100);
}

TEST(Objective, CompletionTimeGrowsAsSurvivalShrinks) {
  Metrics metrics = two_hops();
  metrics.abort_probability = 0.5;
  EXPECT_DOUBLE_EQ(objective_value(parse_objective("completion-time"), metrics, 20),
                   275 * (1 + 20 * 1));
  EXPECT_DOUBLE_EQ(objective_value(parse_objective("completion-time"), metrics, 1), 2 * 275);
  EXPECT_DOUBLE_EQ(objective_value(parse_objective("completion-time"), metrics, 0), 275);
  metrics.abort_probability = 1e-12;
  EXPECT_NEAR(objective_value(parse_objective("completion-time"), metrics), 275, 1e-8);
  metrics.abort_probability = 1;
  EXPECT_LT(objective_value(parse_objective("completion-time"), metrics), 1e300);
}

TEST(Objective, WithoutTrafficCompletionTimeStillPrefersSurvival) {
  Metrics metrics;
  const double safe = objective_value(parse_objective("completion-time"), metrics);
  metrics.abort_probability = 0.1;
  EXPECT_LT(safe, objective_value(parse_objective("completion-time"), metrics));
}

TEST(Objective, TheOthersAreOneMetricEach) {
  EXPECT_DOUBLE_EQ(objective_value(parse_objective("hop-bytes"), two_hops()), 200);
  EXPECT_DOUBLE_EQ(objective_value(parse_objective("fault-weighted"), two_hops()), 300);
  EXPECT_NEAR(objective_value(parse_objective("congestion"), two_hops()), 50, 1e-3);
}

TEST(Objective, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  for (const Objective objective : all_objectives()) {
    EXPECT_EQ(parse_objective(objective_name(objective)), objective);
  }
  EXPECT_NE(parse_objective("hop-bytes"), parse_objective("congestion"));
  EXPECT_EQ(objective_name(Objective()), "completion-time") << "the default";
  EXPECT_THROW(parse_objective("fast"), Error);
}

TEST(Effort, NamesAreReadBack) {
  for (const Effort effort : {Effort::fast, Effort::normal, Effort::thorough}) {
    EXPECT_EQ(parse_effort(effort_name(effort)), effort);
  }
  EXPECT_THROW(parse_effort("hard"), Error);
}

}  // namespace
}  // namespace tofa
