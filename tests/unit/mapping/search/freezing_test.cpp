// SPDX-License-Identifier: BSD-3-Clause
// Temperatures must fall as the share of what is saved grows, stay within what was measured, and
// follow the scale of the costs, whatever noise is in them.
#include "mapping/search/freezing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

namespace tofa {
namespace {

TEST(Freezing, FindsTheTemperatureOfAShare) {
  const Freezing freezing({8, 4, 2, 1}, {100, 80, 20, 0});
  EXPECT_DOUBLE_EQ(freezing.temperature(0), 8);
  EXPECT_DOUBLE_EQ(freezing.temperature(0.2), 4);
  EXPECT_DOUBLE_EQ(freezing.temperature(0.5), 4 / std::sqrt(2));
  EXPECT_DOUBLE_EQ(freezing.temperature(0.8), 2);
  EXPECT_DOUBLE_EQ(freezing.temperature(1), 1);
}

TEST(Freezing, TakesARiseForNoise) {
  const Freezing freezing({8, 4, 2, 1}, {70, 100, 0, 10});
  EXPECT_DOUBLE_EQ(freezing.temperature(0.5), 4 / std::sqrt(2));
  EXPECT_DOUBLE_EQ(freezing.temperature(1), 2);
}

TEST(Freezing, SpreadsEvenlyWhereNothingIsSaved) {
  const Freezing freezing({4, 2, 1}, {5, 5, 5});
  EXPECT_DOUBLE_EQ(freezing.temperature(0), 4);
  EXPECT_DOUBLE_EQ(freezing.temperature(0.5), 2);
  EXPECT_DOUBLE_EQ(freezing.temperature(1), 1);
}

TEST(Freezing, TellsWhatAnArrangementHasSaved) {
  const Freezing freezing({8, 4, 2, 1}, {70, 100, 0, 20});
  EXPECT_DOUBLE_EQ(freezing.share_saved(100), 0);
  EXPECT_DOUBLE_EQ(freezing.share_saved(40), 0.75);
  EXPECT_DOUBLE_EQ(freezing.share_saved(0), 1.25);
  EXPECT_DOUBLE_EQ(Freezing({2, 1}, {5, 5}).share_saved(5), 1);
}

RC_GTEST_PROP(FreezingProperty, FallsWithTheShareWithinWhatWasMeasured, ()) {
  const auto steps = *rc::gen::inRange<std::size_t>(2, 20);
  const auto costs = *rc::gen::container<std::vector<int>>(steps, rc::gen::inRange(-1000, 1000));
  std::vector<double> temperatures;
  for (std::size_t i = 0; i < steps; ++i) temperatures.push_back(std::pow(0.7, i));
  const Freezing freezing(temperatures, {costs.begin(), costs.end()});
  double last = temperatures.front();
  for (int percent = 0; percent <= 100; ++percent) {
    const double temperature = freezing.temperature(percent / 100.0);
    RC_ASSERT(temperature <= last);
    RC_ASSERT(temperature >= temperatures.back());
    last = temperature;
  }
}

}  // namespace
}  // namespace tofa
