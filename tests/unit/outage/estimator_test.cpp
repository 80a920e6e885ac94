// SPDX-License-Identifier: BSD-3-Clause
// Outage estimators: what every method must keep to, whatever the heartbeats, and the figures of
// each.
#include "tofa/estimator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "outage/estimator_methods.hpp"
#include "support.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using ::testing::HasSubstr;

EstimatorOptions options_for(const std::string& method, unsigned window = 20,
                             double half_life = 10) {
  return {.method = method, .window = window, .half_life = half_life};
}

constexpr double kBegin = 20'000 * 86'400.0;

class EveryEstimator : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryEstimator, StartsWithoutSuspicion) {
  EXPECT_EQ(make_estimator(options_for(GetParam()))->probability(), 0);
}

TEST_P(EveryEstimator, StaysAProbability) {
  EXPECT_TRUE(rc::check([&](const std::vector<bool>& heartbeats) {
    const auto estimator = make_estimator(options_for(GetParam(), *rc::gen::inRange(1U, 50U)));
    for (const bool answered : heartbeats) {
      estimator->record(answered);
      RC_ASSERT(estimator->probability() >= 0);
      RC_ASSERT(estimator->probability() <= 1);
    }
  }));
}

// Heartbeats come at 1, 2, ..., 100 s; those from `first` to `last` were in an outage.
TEST_P(EveryEstimator, AnOutageThatBecomesKnownLaterCountsAsIfItHadBeenNoticed) {
  for (const auto& [first, last] : {std::pair(95, 100), {90, 94}, {60, 98}, {100, 100}, {1, 2}}) {
    const auto noticed = make_estimator(options_for(GetParam()));
    const auto told = make_estimator(options_for(GetParam()));
    for (int time = 1; time <= 100; ++time) {
      noticed->record(time < first || time > last);
      told->record(true);
    }
    told->add_past(first, last, {.last = 100, .period = 1});
    EXPECT_NEAR(told->probability(), noticed->probability(), 1e-9) << first << " to " << last;
    const auto later = make_estimator(options_for(GetParam()));
    later->restore(told->save());
    EXPECT_NEAR(later->probability(), told->probability(), 1e-9) << "over a restart";
  }
}

TEST_P(EveryEstimator, NothingBecomesKnownBeforeThereWasAHeartbeat) {
  const auto estimator = make_estimator(options_for(GetParam()));
  estimator->add_past(10, 20, {});
  EXPECT_EQ(estimator->probability(), 0);
  estimator->add_past(10, 20, {.last = 5, .period = 1});
  EXPECT_EQ(estimator->probability(), 0) << "none was in that time";
  estimator->add_past(-1e300, 1e300, {.last = 5, .period = 1e-300});
  EXPECT_LE(estimator->probability(), 1);
}

TEST_P(EveryEstimator, MissesNeverLowerAndAnswersNeverRaiseIt) {
  EXPECT_TRUE(rc::check([&](const std::vector<bool>& history) {
    const auto estimator = make_estimator(options_for(GetParam()));
    for (const bool answered : history) estimator->record(answered);
    double last = estimator->probability();
    for (int i = 0; i < 1000; ++i) {
      estimator->record(false);
      RC_ASSERT(estimator->probability() >= last);
      last = estimator->probability();
    }
    // One that counts outages has no opinion.
    RC_ASSERT(last > 0.999 || estimator->evidence() != nullptr);
    for (int i = 0; i < 1000; ++i) {
      estimator->record(true);
      RC_ASSERT(estimator->probability() <= last);
      last = estimator->probability();
    }
    RC_ASSERT(last == 0);
  }));
}

TEST_P(EveryEstimator, GoesOnFromSavedStateAsIfNeverInterrupted) {
  EXPECT_TRUE(rc::check([&](const std::vector<bool>& before, const std::vector<bool>& after) {
    const auto uninterrupted = make_estimator(options_for(GetParam()));
    for (const bool answered : before) uninterrupted->record(answered);
    const auto restarted = make_estimator(options_for(GetParam()));
    restarted->restore(uninterrupted->save());
    for (const bool answered : after) {
      uninterrupted->record(answered);
      restarted->record(answered);
    }
    RC_ASSERT(restarted->probability() == uninterrupted->probability());
    RC_ASSERT(restarted->save() == uninterrupted->save());
  }));
}

TEST_P(EveryEstimator, SavedStateOfAHealthyNodeDoesNotChange) {
  const auto estimator = make_estimator(options_for(GetParam()));
  const std::string fresh = estimator->save();
  estimator->record(false);
  // One that counts outages has nothing to learn from a heartbeat.
  EXPECT_EQ(estimator->save() == fresh, estimator->evidence() != nullptr);
  for (int i = 0; i < 1000; ++i) estimator->record(true);
  EXPECT_EQ(estimator->save(), fresh);
}

TEST_P(EveryEstimator, RefusesGarbageAsSavedState) {
  const auto estimator = make_estimator(options_for(GetParam()));
  for (const char* garbage : {"7", "-1", "nan", "xx,x", "0.5 ", "\x01"}) {
    EXPECT_THROW(estimator->restore(garbage), Error) << garbage;
  }
}

TEST_P(EveryEstimator, ExplainsItsNumbers) {
  const auto estimator = make_estimator(options_for(GetParam()));
  estimator->watch(kBegin, kBegin + 86'400);
  estimator->fail(kBegin + 86'400);
  estimator->recover(kBegin + 86'500);
  for (int i = 0; i < 7; ++i) estimator->record(i % 3 != 0);
  const FleetRates fleet;
  const ExplainedEstimate why = estimator->explain({fleet, "", kBegin + 90'000, 3600});
  ASSERT_FALSE(why.numbers.empty());
  for (const ExplainedNumber& number : why.numbers) {
    EXPECT_TRUE(std::isfinite(number.value)) << number.name;
    EXPECT_NE(number.text, "") << number.name;
  }
  EXPECT_NE(why.formula, "");
  const double expected =
      estimator->evidence() == nullptr
          ? estimator->probability()
          : fleet.probability(*estimator->evidence(), "", kBegin + 90'000, 3600);
  EXPECT_NEAR(why.probability, expected, 1e-12);
  EXPECT_GT(why.probability, 0);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryEstimator,
                         ::testing::ValuesIn(names_of(estimator_registry())),
                         [](const auto& method) {
                           std::string name = method.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(MovingAverage, IsTheFractionOfMissesInTheWindow) {
  const auto estimator = make_estimator(options_for("moving-average", 4));
  const std::vector<std::pair<bool, double>> steps = {{false, 0.25}, {true, 0.25}, {false, 0.5},
                                                      {true, 0.5},   {true, 0.25}, {true, 0.25},
                                                      {true, 0}};
  for (const auto& [answered, expected] : steps) {
    estimator->record(answered);
    EXPECT_DOUBLE_EQ(estimator->probability(), expected);
  }
}

TEST(MovingAverage, KeepsTheNewestHeartbeatsWhenTheWindowShrinks) {
  const auto wide = make_estimator(options_for("moving-average", 10));
  for (const bool answered : {false, false, false, true, true, false, true}) wide->record(answered);
  const auto narrow = make_estimator(options_for("moving-average", 4));
  narrow->restore(wide->save());
  EXPECT_DOUBLE_EQ(narrow->probability(), 0.25);
}

TEST(Ewma, HalvesAfterTheHalfLife) {
  const auto estimator = make_estimator(options_for("ewma", 1, 10));
  estimator->restore("0.8");
  for (int i = 0; i < 10; ++i) estimator->record(true);
  EXPECT_NEAR(estimator->probability(), 0.4, 1e-12);
}

TEST(Gamma, AddsTimeByTheHour) {
  const auto estimator = make_estimator(options_for("gamma"));
  const double start = 1.7e9;
  const std::string fresh = estimator->save();
  for (int i = 0; i < 3599; ++i) estimator->watch(start + i, start + i + 1);
  EXPECT_EQ(estimator->save(), fresh);
  estimator->watch(start + 3599, start + 3600);
  EXPECT_NE(estimator->save(), fresh);
  EXPECT_NEAR(estimator->evidence()->up_days(), 1.0 / 24, 1e-5);
  estimator->watch(start + 3600, start + 3700);
  estimator->recover(start + 3700);
  EXPECT_FALSE(estimator->evidence()->has_failed()) << "there was no outage";
  estimator->fail(start + 3700);
  EXPECT_NEAR(estimator->evidence()->up_days(), 3700.0 / 86'400, 1e-5);
  EXPECT_EQ(estimator->evidence()->outages(), 1);
  EXPECT_TRUE(estimator->evidence()->out());
  estimator->recover(start + 3800);
  EXPECT_NEAR(estimator->evidence()->age_days(start + 3800 + 86'400), 1, 1e-9);
}

TEST(Gamma, LearnsFromDays) {
  const auto estimator = make_estimator(options_for("gamma"));
  const std::vector<WatchedDay> days{{1.7e9, 86'400, 0}, {1.7e9 + 86'400, 43'200, 2}};
  estimator->learn(days);
  EXPECT_NEAR(estimator->evidence()->outages(), 2, 0.01);
  EXPECT_NEAR(estimator->evidence()->up_days(), 1.5, 0.01);
}

TEST(Gamma, AddsWhatItHoldsBackByTheClockAsItWasSet) {
  constexpr double kTenYears = 3650 * 86'400.0;
  const auto estimator = make_estimator(options_for("gamma"));
  double time = 1.7e9;
  for (const double step : {kTenYears, -kTenYears, -kTenYears, kTenYears, 60.0, -60.0}) {
    for (int i = 0; i < 100; ++i, time += 60) estimator->watch(time, time + 60);
    estimator->set_clock(step);
    time += step;
  }
  for (int i = 0; i < 100; ++i, time += 60) estimator->watch(time, time + 60);
  estimator->fail(time);
  EXPECT_NEAR(estimator->evidence()->up_days(), 700.0 / 1440, 1e-3);
  EXPECT_NEAR(estimator->evidence()->as_of(), time, 1e-3);
}

TEST(Gamma, IsMendedWhereAClockWasAhead) {
  constexpr double kDay = 86'400;
  const double now = 20'000 * kDay;
  const auto estimator = make_estimator(options_for("gamma"));
  estimator->watch(now - 100 * kDay, now);
  const std::string right = estimator->save();
  const std::vector<WatchedDay> days{
      {now - 3 * kDay, kDay, 1}, {now - 2 * kDay, kDay, 0}, {now + 3650 * kDay, 60, 0}};
  estimator->mend(now, days);
  EXPECT_EQ(estimator->save(), right) << "nothing is wrong";
  estimator->mend(now - 60, days);
  EXPECT_EQ(estimator->evidence()->as_of(), now - 60);
  EXPECT_GT(estimator->evidence()->up_days(), 70) << "it knows more than the days";
  estimator->watch(now + 3650 * kDay, now + 3650.1 * kDay);
  ASSERT_LT(estimator->evidence()->up_days(), 0.2) << "forgotten";
  estimator->mend(now, days);
  EXPECT_LE(estimator->evidence()->as_of(), now);
  EXPECT_NEAR(estimator->evidence()->up_days(), 2, 0.05) << "as the days tell";
  EXPECT_NEAR(estimator->evidence()->outages(), 1, 0.05);
  EXPECT_EQ(estimator->save(), estimator->save_all());
}

TEST(EstimatorOptions, ErrorsSayWhatIsAllowed) {
  const auto message = [](const EstimatorOptions& options) {
    return test::error_of([&] { make_estimator(options); });
  };
  EXPECT_THAT(message(options_for("median")), HasSubstr("known are: gamma, ewma, moving-average"));
  EXPECT_THAT(message(options_for("moving-average", 0)), HasSubstr("outside 1 to 100000"));
  EXPECT_THAT(message(options_for("ewma", 1, 0)), HasSubstr("not above 0"));
  EXPECT_THAT(message({.method = "gamma", .half_life_days = 0}), HasSubstr("not above 0"));
}

}  // namespace
}  // namespace tofa
