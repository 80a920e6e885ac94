// SPDX-License-Identifier: BSD-3-Clause
// Clocks that are wrong: they are reported, and nothing is forgotten because of them.
#include "healthd/clock_watch.hpp"

#include <gtest/gtest.h>

namespace tofa::health::clock_watch_test {
namespace {

constexpr double kNow = 1.8e9;
constexpr double kDay = 86'400;
constexpr double kYear = 365 * kDay;

ClockReading at(double wall, double running, const std::string& boot = "b1") {
  return {wall, running, boot};
}

// A watch that trusts the clock, whose last reading is at(kNow, 1e6).
ClockMark trusted() {
  return {at(kNow, 1e6), ClockWatch::kPatience};
}

TEST(ClockWatch, TrustsAClockAfterAWeekOfRunning) {
  ClockWatch watch;
  for (double passed = 0; passed < ClockWatch::kPatience; passed += 3600) {
    EXPECT_FALSE(watch.trusted()) << passed;
    EXPECT_FALSE(watch.observe(at(kNow + passed, 100 + passed)));
  }
  EXPECT_FALSE(watch.observe(at(kNow + ClockWatch::kPatience, 100 + ClockWatch::kPatience)));
  EXPECT_TRUE(watch.trusted());
  EXPECT_FALSE(watch.off());
}

TEST(ClockWatch, ReportsAClockThatIsAYearAheadAtStart) {
  for (const std::string boot : {"b1", "b2", ""}) {
    ClockWatch watch(trusted());
    EXPECT_TRUE(watch.trusted());
    const auto off = watch.observe(at(kNow + kYear, 1e6, boot));
    ASSERT_TRUE(off) << boot;
    EXPECT_DOUBLE_EQ(*off, kYear);
    EXPECT_FALSE(watch.trusted());
    EXPECT_EQ(watch.off(), off);
    EXPECT_FALSE(watch.observe(at(kNow + kYear + 1, 1e6 + 1, boot))) << "reported once";
    // Another start does not make it any better.
    ClockWatch again(watch.mark());
    EXPECT_FALSE(again.observe(at(kNow + kYear + 60, 1e6 + 60, boot)));
    EXPECT_FALSE(again.trusted());
  }
}

TEST(ClockWatch, ReportsAClockThatIsBehind) {
  ClockWatch watch(trusted());
  EXPECT_DOUBLE_EQ(watch.observe(at(0, 5, "b2")).value_or(0), -kNow);
  EXPECT_FALSE(watch.trusted());
}

TEST(ClockWatch, ReportsStepsWhileRunning) {
  ClockWatch watch(trusted());
  EXPECT_FALSE(watch.observe(at(kNow + 1, 1e6 + 1)));
  EXPECT_FALSE(watch.observe(at(kNow + 3600, 1e6 + 2))) << "an hour matters to nobody";
  EXPECT_TRUE(watch.trusted());
  EXPECT_TRUE(watch.observe(at(kNow + 2 * kDay, 1e6 + 3)));
  EXPECT_FALSE(watch.trusted());
  EXPECT_TRUE(watch.observe(at(kNow, 1e6 + 4))) << "and back";
}

TEST(ClockWatch, SmallStepsAddUp) {
  ClockWatch watch(trusted());
  int reports = 0;
  for (int hours = 1; hours <= 48; ++hours) {
    reports += watch.observe(at(kNow + 3600 * hours, 1e6)) ? 1 : 0;
  }
  EXPECT_EQ(reports, 1);
}

TEST(ClockWatch, ALongStopOfTheDaemonIsNoStepOfTheClock) {
  ClockWatch watch(trusted());
  EXPECT_FALSE(watch.observe(at(kNow + 30 * kDay, 1e6 + 30 * kDay)));
  EXPECT_TRUE(watch.trusted());
  ClockMark mark = trusted();
  mark.even = 0;
  ClockWatch young(mark);
  EXPECT_FALSE(young.observe(at(kNow + 30 * kDay, 1e6 + 30 * kDay)));
  EXPECT_FALSE(young.trusted()) << "only running counts";
}

TEST(ClockWatch, TellsByHowMuchTheClockWasSet) {
  ClockWatch watch(trusted());
  double wall = kNow;
  double running = 1e6;
  const auto step_of = [&](double by) {
    watch.observe(at(wall += 1 + by, running += 1));
    return watch.step();
  };
  EXPECT_EQ(step_of(0), 0);
  for (const double step : {10 * kYear, -10 * kYear, -20 * kYear, 20 * kYear, 300.0, -300.0}) {
    EXPECT_NEAR(step_of(step), step, 1e-3);
    EXPECT_EQ(step_of(0), 0) << "once";
  }
  double told = 0;
  for (int i = 0; i < 100; ++i) told += step_of(1);
  EXPECT_NEAR(told, 100, ClockWatch::kLeastStep) << "small ones add up";
}

TEST(ClockWatch, TellsByHowMuchTheClockWasSetBetweenTwoRuns) {
  const auto step_after = [](const ClockReading& now) {
    ClockWatch watch(trusted());
    watch.observe(now);
    return watch.step();
  };
  EXPECT_EQ(step_after(at(kNow + 30 * kDay, 1e6 + 30 * kDay)), 0) << "it was stopped for so long";
  EXPECT_EQ(step_after(at(kNow + 300, 1e6)), 300);
  EXPECT_EQ(step_after(at(kNow + 3600, 30, "b2")), 0) << "the machine was off";
  EXPECT_EQ(step_after(at(kNow + kYear, 30, "b2")), kYear);
  EXPECT_EQ(step_after(at(kNow - 3600, 30, "b2")), -3600) << "no time passes backwards";
  ClockWatch fresh;
  fresh.observe(at(kNow, 5));
  EXPECT_EQ(fresh.step(), 0);
}

TEST(ClockWatch, WithoutABootIdOnlyStepsCount) {
  ClockWatch watch;
  for (int hours = 0; hours < 200; ++hours) {
    EXPECT_FALSE(watch.observe(at(kNow + 3600 * hours, 1e6 + 3600 * hours, ""))) << hours;
  }
  EXPECT_TRUE(watch.trusted());
}

TEST(ClockWatch, AShortRestartOfTheMachineIsNone) {
  ClockWatch watch(trusted());
  EXPECT_FALSE(watch.observe(at(kNow + 600, 30, "b2")));
  EXPECT_FALSE(watch.observe(at(kNow + 660, 90, "b2")));
  EXPECT_TRUE(watch.trusted());
}

TEST(ClockWatch, ReadsTheClocks) {
  const ClockReading first = read_clocks();
  const ClockReading second = read_clocks();
  EXPECT_GT(first.wall, 1.7e9);
  EXPECT_GE(second.running, first.running);
  EXPECT_EQ(first.boot, second.boot);
  EXPECT_EQ(first.boot.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace tofa::health::clock_watch_test
