// SPDX-License-Identifier: BSD-3-Clause
// What a host showed, summed up by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tofa/error.hpp"
#include "tofa/outage_rate.hpp"

namespace tofa::host_evidence_test {
namespace {

constexpr double kDay = 86'400;
constexpr double kForever = std::numeric_limits<double>::infinity();
constexpr std::size_t kPoisson = 0;  // of kHazardShapes
constexpr std::size_t kSeventy = 3;
constexpr double kBegin = 20'000 * kDay;

double day(double number) {
  return kBegin + number * kDay;
}

TEST(HostEvidence, CountsOutagesAndTheTimeItWasUp) {
  HostEvidence host(kForever);
  host.watch(day(0), day(10));
  host.fail(day(10));
  host.recover(day(11));
  host.watch(day(11), day(15));
  EXPECT_EQ(host.outages(), 1);
  EXPECT_NEAR(host.up_days(), 14, 1e-9);
  EXPECT_NEAR(host.exposure(kPoisson), 14, 1e-9);
  EXPECT_NEAR(host.age_days(day(16)), 5, 1e-9);
}

TEST(HostEvidence, TakesWhatAnotherSawEarlier) {
  const auto watch = [](HostEvidence& host, int from, int to) {
    for (int i = from; i < to; ++i) {
      host.watch(day(i), day(i + 1));
    }
  };
  HostEvidence whole;
  HostEvidence earlier;
  HostEvidence later;
  watch(whole, 0, 100);
  watch(earlier, 0, 40);
  watch(later, 40, 100);
  later.add_earlier(earlier);
  EXPECT_NEAR(later.up_days(), whole.up_days(), 1e-9);
  EXPECT_NEAR(later.exposure(0), whole.exposure(0), 1e-9);
  HostEvidence failed;
  watch(failed, -30, -20);
  failed.fail(day(-20));
  failed.recover(day(-19));
  later.add_earlier(failed);
  EXPECT_NEAR(later.outages(), std::exp2(-120.0 / 180), 1e-9);
  EXPECT_NEAR(later.age_days(day(100)), 119, 1e-9);
  HostEvidence none;
  none.add_earlier(failed);
  EXPECT_EQ(none.save(), failed.save());
  later.add_earlier(HostEvidence());
  EXPECT_NEAR(later.outages(), std::exp2(-120.0 / 180), 1e-9);
}

TEST(HostEvidence, KnowsSinceWhenItWatches) {
  EXPECT_EQ(HostEvidence().watched_since(), kForever);
  for (const double half_life : {10.0, 180.0, kForever}) {
    HostEvidence host(half_life);
    host.watch(kBegin, kBegin);
    EXPECT_NEAR(host.watched_since(), kBegin, 1);
    for (int hour = 0; hour < 24 * 60; ++hour) {
      host.watch(kBegin + hour * 3600.0, kBegin + (hour + 1) * 3600.0);
    }
    EXPECT_NEAR(host.watched_since(), kBegin, 60) << half_life;
  }
}

TEST(HostEvidence, WeighsTimeWithTheHazard) {
  HostEvidence host(kForever);
  host.watch(day(0), day(10));  // 30 to 40 days after an outage that nobody saw
  EXPECT_NEAR(host.exposure(kSeventy), 30 * (std::pow(40.0 / 30, 0.7) - 1), 1e-9);
  host.fail(day(10));
  EXPECT_NEAR(host.log_ages(), std::log(40.0 / 30), 1e-9);
  host.recover(day(10));
  host.watch(day(10), day(40));
  EXPECT_NEAR(host.exposure(kSeventy), 30 * std::pow(40.0 / 30, 0.7), 1e-9);
}

TEST(HostEvidence, AnOutageThatBecomesKnownLaterCountsByItsAge) {
  HostEvidence host(20);
  host.watch(day(0), day(40));
  host.add_past(day(20), day(21));
  EXPECT_NEAR(host.outages(), 0.5, 1e-9);
  EXPECT_NEAR(host.log_ages(), 0.5 * std::log(50.0 / 30), 1e-9);
  EXPECT_NEAR(host.age_days(day(40)), 19, 1e-9) << "it is the last that is known";
  EXPECT_TRUE(host.has_failed());
  EXPECT_FALSE(host.out());
  const double before = host.log_ages();
  host.add_past(day(0), day(1));
  EXPECT_NEAR(host.outages(), 0.75, 1e-9);
  EXPECT_EQ(host.log_ages(), before) << "nobody knows how long it had been up";
  EXPECT_NEAR(host.age_days(day(40)), 19, 1e-9) << "the later one is still the last";
}

TEST(HostEvidence, AnOutageThatBecomesKnownLaterEndsNoneThatLasts) {
  HostEvidence host(kForever);
  host.watch(day(0), day(10));
  host.fail(day(10));
  host.add_past(day(5), day(6));
  EXPECT_TRUE(host.out());
  EXPECT_EQ(host.outages(), 2);
  HostEvidence unknown(kForever);
  unknown.add_past(day(5), day(6));
  EXPECT_EQ(unknown.outages(), 1);
  EXPECT_NEAR(unknown.age_days(day(7)), 1, 1e-9);
}

TEST(HostEvidence, HalvesWhatIsAHalfLifeOld) {
  HostEvidence host(20);
  host.watch(day(0), day(0.001));
  host.fail(day(0.001));
  host.recover(day(0.002));
  host.watch(day(20.001), day(20.0011));
  EXPECT_NEAR(host.outages(), 0.5, 1e-4);
  EXPECT_NEAR(host.outages() * host.decay(day(40.001)), 0.25, 1e-4);
  // A long stretch counts what its days would.
  HostEvidence once(20);
  HostEvidence daily(20);
  once.watch(day(0), day(60));
  for (int i = 0; i < 60; ++i) daily.watch(day(i), day(i + 1));
  EXPECT_NEAR(once.up_days(), daily.up_days(), 1e-6);
  EXPECT_NEAR(once.up_days(), 20 / std::log(2.0) * (1 - 1.0 / 8), 1e-6);
}

TEST(HostEvidence, DoesNotCountWhatWasNotSeen) {
  HostEvidence host(kForever);
  host.watch(day(0), day(1));
  host.watch(day(5), day(6));
  host.watch(day(6), day(8), kDay);
  EXPECT_NEAR(host.exposure(kPoisson), 3, 1e-9);
}

TEST(HostEvidence, StandsStillForAClockThatWasSetBack) {
  HostEvidence host(kForever);
  host.watch(day(0), day(10));
  host.watch(day(5), day(9));
  host.fail(day(7));
  host.recover(day(6));
  EXPECT_NEAR(host.up_days(), 10, 1e-9);
  EXPECT_EQ(host.outages(), 1);
  EXPECT_EQ(host.age_days(day(3)), 0);
  for (const double exposure : {host.exposure(kPoisson), host.exposure(kSeventy)}) {
    EXPECT_TRUE(std::isfinite(exposure));
  }
}

// A day up, a day at a time, with an outage on the fifth day; the clock is set in between.
HostEvidence watched_with_steps(const std::vector<double>& steps_of_days) {
  HostEvidence host(20);
  double off = 0;
  for (int i = 0; i < 10; ++i) {
    host.watch(day(i + off), day(i + off + 0.9));
    if (i == 5) host.fail(day(i + off + 0.9));
    const double step = static_cast<std::size_t>(i) < steps_of_days.size() ? steps_of_days[i] : 0;
    host.set_clock(step * kDay);
    off += step;
    if (i == 5) host.recover(day(i + 1 + off));
  }
  host.set_clock(-off * kDay);
  return host;
}

TEST(HostEvidence, AClockThatWasSetChangesNothing) {
  const HostEvidence even = watched_with_steps({});
  for (const std::vector<double>& steps :
       std::vector<std::vector<double>>{{0, 0, 3650, -3650},
                                        {0, 0, 0, 0, 0, 3650, -3650},
                                        {0, -3650, 0, 3650},
                                        {3650},
                                        {-9000},
                                        {1.0 / 144, -1.0 / 72, 1.0 / 144}}) {
    const HostEvidence host = watched_with_steps(steps);
    EXPECT_NEAR(host.outages(), even.outages(), 1e-6);
    EXPECT_NEAR(host.up_days(), even.up_days(), 1e-6);
    EXPECT_NEAR(host.log_ages(), even.log_ages(), 1e-6);
    EXPECT_NEAR(host.exposure(kSeventy), even.exposure(kSeventy), 1e-6);
    EXPECT_NEAR(host.age_days(day(12)), even.age_days(day(12)), 1e-6);
    EXPECT_NEAR(host.as_of(), even.as_of(), 1);
  }
  HostEvidence unknown;
  const std::string fresh = unknown.save();
  unknown.set_clock(3650 * kDay);
  EXPECT_EQ(unknown.save(), fresh);
}

TEST(HostEvidence, IsReadBackWhateverTheClock) {
  for (const double step : {-1e10, 1e12}) {
    HostEvidence host;
    host.watch(day(0), day(10));
    host.set_clock(step);
    HostEvidence again;
    again.restore(host.save());
    EXPECT_EQ(again.save(), host.save());
  }
}

TEST(HostEvidence, LeavesTheFuture) {
  HostEvidence host(kForever);
  host.watch(day(0), day(10));
  host.fail(day(3650));
  host.recover(day(3651));
  HostEvidence restored(kForever);
  restored.restore(host.save());
  restored.leave_future(day(20));
  EXPECT_EQ(restored.as_of(), day(20));
  EXPECT_NEAR(restored.age_days(day(21)), 1, 1e-9);
  restored.watch(day(20), day(21));
  EXPECT_NEAR(restored.up_days(), 11, 1e-6) << "it goes on to learn";
  const std::string known = restored.save();
  restored.leave_future(day(30));
  EXPECT_EQ(restored.save(), known) << "there was none";
}

TEST(HostEvidence, RefusesAHalfLifeThatIsNone) {
  EXPECT_THROW(HostEvidence(0), Error);
  EXPECT_THROW(HostEvidence(-1), Error);
  EXPECT_THROW(HostEvidence(std::nan("")), Error);
}

TEST(HostEvidence, IsReadBackAsItWasSaved) {
  HostEvidence host(60);
  host.watch(day(0), day(10));
  host.fail(day(10));
  host.recover(day(10.25));
  host.watch(day(10.25), day(30));
  HostEvidence again(60);
  again.restore(host.save());
  EXPECT_EQ(again.save(), host.save());
  EXPECT_NEAR(again.exposure(kSeventy), host.exposure(kSeventy), 1e-6);
  EXPECT_NEAR(again.age_days(day(31)), host.age_days(day(31)), 1e-3);
  EXPECT_EQ(again.has_failed(), host.has_failed());
  HostEvidence empty;
  again.restore(empty.save());
  EXPECT_EQ(again.outages(), 0);
}

TEST(HostEvidence, RefusesWhatItDidNotSave) {
  HostEvidence host;
  const std::string saved = host.save();
  for (const std::string& wrong :
       {std::string(), std::string("0.5"), saved + " 1", saved.substr(0, saved.size() - 2),
        "nan" + saved.substr(1), "-1" + saved.substr(1), "1e300" + saved.substr(1)}) {
    EXPECT_THROW(host.restore(wrong), Error) << wrong;
    EXPECT_EQ(host.save(), saved) << "unchanged";
  }
}

TEST(EvidenceOfDays, IsThatOfTheEventsThemselves) {
  HostEvidence events(60);
  events.watch(day(0), day(3.5));
  events.fail(day(3.5));
  events.recover(day(3.75));
  events.watch(day(3.75), day(6));
  std::vector<WatchedDay> days;
  for (int i = 0; i < 6; ++i)
    days.push_back({day(i), i == 3 ? 0.75 * kDay : kDay, i == 3 ? 1U : 0U});
  const OutageTimes outage{day(3.5), day(3.75)};
  const HostEvidence rows = evidence_of_days(days, {&outage, 1}, 60);
  EXPECT_NEAR(rows.outages(), events.outages(), 1e-9);
  EXPECT_NEAR(rows.up_days(), events.up_days(), 1e-4);
  // g is taken for even over each stretch, be it a day or more.
  EXPECT_NEAR(rows.exposure(kSeventy), events.exposure(kSeventy), 0.02);
  EXPECT_NEAR(rows.age_days(day(6)), 2.25, 1e-9);
}

TEST(EvidenceOfDays, SpreadsOutagesWhoseTimesAreForgotten) {
  const std::vector<WatchedDay> days{{day(0), kDay, 0}, {day(1), kDay, 3}, {day(2), kDay, 0}};
  const HostEvidence host = evidence_of_days(days, {}, kForever);
  EXPECT_NEAR(host.outages(), 3, 1e-9);
  EXPECT_NEAR(host.up_days(), 3, 1e-9);
  EXPECT_NEAR(host.age_days(day(3)), 1.25, 1e-9);
}

TEST(EvidenceOfDays, TakesTheAgeAloneFromAnOutageBeforeTheFirstDay) {
  const std::vector<WatchedDay> days{{day(10), kDay, 0}};
  const OutageTimes outage{day(2), day(3)};
  const HostEvidence host = evidence_of_days(days, {&outage, 1}, kForever);
  EXPECT_EQ(host.outages(), 0);
  EXPECT_TRUE(host.has_failed());
  EXPECT_NEAR(host.age_days(day(11)), 8, 1e-9);
  EXPECT_NEAR(host.up_days(), 1, 1e-9);
}

TEST(EvidenceOfDays, KnowsAnOutageThatLasts) {
  const std::vector<WatchedDay> days{{day(0), kDay / 2, 1}};
  const OutageTimes outage{day(0.5), 0};
  const HostEvidence host = evidence_of_days(days, {&outage, 1}, kForever);
  EXPECT_EQ(host.outages(), 1);
  EXPECT_NEAR(host.up_days(), 0.5, 1e-9);
  EXPECT_EQ(host.age_days(day(1)), 0);
}

}  // namespace
}  // namespace tofa::host_evidence_test
