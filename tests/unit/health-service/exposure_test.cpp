// SPDX-License-Identifier: BSD-3-Clause
// Rates of outages: k / T over a window, and what of it is saved.
#include "healthd/exposure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa::health::exposure_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kDay = 86'400;
constexpr double kNow = 20'000 * kDay;

TEST(Exposure, RateIsOutagesPerHourUp) {
  Exposure exposure;
  EXPECT_EQ(exposure.rate(kNow), 0);
  for (int day = 0; day < 10; ++day) exposure.add_up(kNow + day * kDay, kDay);
  EXPECT_EQ(exposure.rate(kNow + 9 * kDay), 0);
  exposure.add_outage(kNow + 9 * kDay);
  exposure.add_outage(kNow + 9 * kDay);
  EXPECT_DOUBLE_EQ(exposure.rate(kNow + 9 * kDay), 2 / 240.0);
}

TEST(Exposure, ShortObservationCountsAsADay) {
  Exposure exposure;
  exposure.add_up(kNow, 1);
  exposure.add_outage(kNow);
  EXPECT_DOUBLE_EQ(exposure.rate(kNow), 1 / 24.0);
}

TEST(Exposure, ForgetsWhatIsOlderThanTheWindow) {
  Exposure exposure(7);
  exposure.add_outage(kNow);
  EXPECT_GT(exposure.rate(kNow + 6 * kDay), 0);
  EXPECT_EQ(exposure.rate(kNow + 7 * kDay), 0);
  exposure.add_up(kNow + 7 * kDay, 1);
  EXPECT_THAT(exposure.unsaved(true), ElementsAre(Day{20'007, 1, 0}));
}

TEST(Exposure, AClockThatLeapsAndComesBackLosesNothing) {
  Exposure exposure(7);
  for (int day = 0; day < 3; ++day) exposure.add_up(kNow + day * kDay, kDay);
  exposure.add_outage(kNow + 2 * kDay);
  const double rate = exposure.rate(kNow + 2 * kDay);
  exposure.add_up(kNow + 400 * kDay, 5);
  EXPECT_EQ(exposure.rate(kNow + 400 * kDay), 0);
  exposure.add_up(kNow + 2 * kDay, 0);
  EXPECT_NEAR(exposure.rate(kNow + 2 * kDay), rate, 1e-4);
  exposure.add_up(kNow + 3 * kDay, kDay);
  EXPECT_NEAR(exposure.rate(kNow + 3 * kDay), rate * 3 / 4, 1e-4);
  exposure.add_up(kNow - 400 * kDay, 5);
  EXPECT_NEAR(exposure.rate(kNow + 3 * kDay), rate * 3 / 4, 1e-4) << "nor does one that is behind";
}

TEST(Exposure, SavesOutagesAtOnceAndTimeByTheHour) {
  Exposure exposure;
  exposure.add_up(kNow, 10);
  EXPECT_THAT(exposure.unsaved(false), IsEmpty());
  EXPECT_THAT(exposure.unsaved(true), ElementsAre(Day{20'000, 10, 0}));
  exposure.add_outage(kNow);
  EXPECT_THAT(exposure.unsaved(false), ElementsAre(Day{20'000, 10, 1}));
  exposure.mark_saved();
  EXPECT_THAT(exposure.unsaved(true), IsEmpty());
  exposure.add_up(kNow, 3600);
  EXPECT_THAT(exposure.unsaved(false), ElementsAre(Day{20'000, 3610, 1}));
  exposure.mark_saved();
  exposure.add_up(kNow, 5);
  exposure.add_up(kNow + kDay, 5);
  EXPECT_THAT(exposure.unsaved(false), ElementsAre(Day{20'000, 3615, 1})) << "the day is over";
}

TEST(Exposure, GoesOnAfterARestart) {
  Exposure before;
  before.add_up(kNow, 2 * kDay);
  before.add_outage(kNow + kDay);
  Exposure after;
  for (const Day& day : before.unsaved(true)) after.restore(day);
  EXPECT_EQ(after.rate(kNow + kDay), before.rate(kNow + kDay));
  EXPECT_THAT(after.unsaved(true), IsEmpty());
}

}  // namespace
}  // namespace tofa::health::exposure_test
