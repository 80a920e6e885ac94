// SPDX-License-Identifier: BSD-3-Clause
// The fleet under the method `gamma`: hazards from the outages of all hosts, what survives a
// restart or another configuration, and what does not count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "healthd/fleet.hpp"

namespace tofa::health::fleet_gamma_test {
namespace {

const Observation kUp;
const Observation kDown{.up = false, .seen = false, .certain = true, .cause = "slurm"};
const Observation kCutOff{.up = false, .seen = false, .unreachable = true, .cause = "heartbeat"};
constexpr double kStart = 20'000 * kDay;
constexpr double kStep = 600;

HealthdConfig make_config(std::size_t hosts, const char* method = "gamma") {
  HealthdConfig config;
  config.estimator.method = method;
  config.down_after = 3;
  config.rate_days = 365;
  for (std::size_t i = 0; i < hosts; ++i) {
    const std::string name = "n" + std::to_string(i);
    config.hosts.push_back({name, {name, 7411}});
  }
  return config;
}

// Observes all hosts for that long; those below `bad` fail once a day for one step.
double watch(Fleet& fleet, double from, double days, std::size_t bad) {
  double time = from;
  for (; time < from + days * kDay; time += kStep) {
    const bool fails = std::fmod(time - from, kDay) < kStep && time > from;
    for (std::size_t host = 0; host < fleet.size(); ++host) {
      fleet.record(host, fails && host < bad ? kDown : kUp, time);
    }
  }
  return time;
}

HazardsWithin hazards(Fleet& fleet, std::size_t host, double time) {
  fleet.estimate(time);
  const Snapshot snapshot = fleet.snapshot(time);
  EXPECT_TRUE(snapshot.hosts.at(host).within.has_value());
  return snapshot.hosts[host].within.value_or(HazardsWithin{});
}

TEST(FleetOfGamma, TellsBadHostsFromGoodAndNoneIsSafe) {
  Fleet fleet(make_config(20));
  const double time = watch(fleet, kStart, 20, 2);
  const auto bad = hazards(fleet, 0, time);
  const auto good = hazards(fleet, 19, time);
  EXPECT_GT(bad[1], 0.3);
  EXPECT_LT(good[1], 0.05);
  EXPECT_GT(good[0], 1e-7);
  for (const auto& list : {bad, good}) {
    EXPECT_LT(list[0], list[1]);
    EXPECT_LT(list[1], list[2]);
  }
  EXPECT_EQ(fleet.probability(0), 0) << "it is up now";
  EXPECT_NEAR(fleet.rate(0, time), bad[1] / 24, 1e-3 * bad[1]);
}

TEST(FleetOfGamma, DownIsCertain) {
  Fleet fleet(make_config(2));
  const double time = watch(fleet, kStart, 2, 0);
  fleet.record(0, kDown, time);
  fleet.estimate(time);
  const Snapshot snapshot = fleet.snapshot(time);
  EXPECT_EQ(snapshot.hosts[0].probability, 1);
  EXPECT_FALSE(snapshot.hosts[0].within.has_value());
  EXPECT_TRUE(snapshot.hosts[1].within.has_value());
}

TEST(FleetOfGamma, SilenceOfTheNetworkIsNoFailure) {
  Fleet fleet(make_config(10));
  Fleet undisturbed(make_config(10));
  double time = watch(fleet, kStart, 5, 0);
  watch(undisturbed, kStart, 5, 0);
  for (int i = 0; i < 10; ++i, time += kStep) {
    for (std::size_t host = 0; host < 10; ++host) fleet.record(host, kCutOff, time);
  }
  for (std::size_t host = 0; host < 10; ++host) {
    fleet.record(host, kUp, time);
    undisturbed.record(host, kUp, time);
  }
  EXPECT_NEAR(hazards(fleet, 0, time)[1], hazards(undisturbed, 0, time)[1], 1e-4);
}

TEST(FleetOfGamma, ARebootCounts) {
  Fleet fleet(make_config(10));
  const double time = watch(fleet, kStart, 5, 0);
  const double before = hazards(fleet, 0, time)[1];
  Observation answer = kUp;
  for (const std::uint64_t boot : {1, 2}) {
    answer.boot = boot;
    fleet.record_restart(0, answer, time);
    fleet.record(0, answer, time);
  }
  EXPECT_GT(hazards(fleet, 0, time + 120)[1], 1.2 * before);
}

TEST(FleetOfGamma, AHostIsTakenForOneOfItsClass) {
  const auto hazard_of_the_good_one = [](bool classes) {
    HealthdConfig config = make_config(45);
    for (std::size_t host = 0; classes && host < 15; ++host) config.hosts[host].host_class = "old";
    Fleet fleet(config);
    // All of the class but one fail; it and all others do not.
    const double time = watch(fleet, kStart, 10, 14);
    return hazards(fleet, 14, time)[1];
  };
  EXPECT_GT(hazard_of_the_good_one(true), 2 * hazard_of_the_good_one(false));
}

TEST(FleetOfGamma, ASmallClassOfALargeFleetIsLearnedFromAllOfIt) {
  HealthdConfig config = make_config(5'100);
  for (std::size_t host = 1; host < 31; host += 2) config.hosts[host].host_class = "old";
  Fleet fleet(config);
  const auto fails_once_a_day = [](std::size_t host) { return host < 29 && host % 2 == 1; };
  double time = kStart;
  for (int step = 0; step < 40; ++step, time += kStep) {
    for (std::size_t host = 0; host < fleet.size(); ++host)
      fleet.record(host, step % 10 == 5 && fails_once_a_day(host) ? kDown : kUp, time);
  }
  EXPECT_GT(hazards(fleet, 29, time)[1], 2 * hazards(fleet, 28, time)[1]);
}

TEST(FleetOfGamma, WhoeverFailsAgainAndAgainHasAHazardThatCanBeRead) {
  Fleet fleet(make_config(40));
  double time = kStart;
  for (int step = 0; step < 400; ++step, time += 60) {
    for (std::size_t host = 0; host < fleet.size(); ++host)
      fleet.record(host, host == 0 && step % 2 == 1 ? kDown : kUp, time);
  }
  for (std::size_t host = 0; host < fleet.size(); ++host) fleet.record(host, kUp, time);
  const HazardsWithin worst = hazards(fleet, 0, time);
  EXPECT_GT(worst[2], 40) << "its probability rounds to 1";
  EXPECT_TRUE(std::is_sorted(worst.begin(), worst.end()));
  EXPECT_TRUE(std::isfinite(worst[2]));
  const Snapshot read = parse_snapshot(format_snapshot(fleet.snapshot(time)), "snapshot.json");
  EXPECT_EQ(read.hosts.at(0).within, worst);
}

TEST(FleetOfGamma, AReloadJudgesByWhatWasLearned) {
  Fleet fleet(make_config(20));
  const double time = watch(fleet, kStart, 10, 1);
  fleet.estimate(time);
  Fleet after(make_config(20));
  after.take_over(fleet, time);
  // What is saved of a host has nine digits.
  EXPECT_NEAR(after.outlook(0, time, kDay, 0)->probability,
              fleet.outlook(0, time, kDay, 0)->probability, 1e-4);
}

TEST(FleetOfGamma, GoesOnAfterARestart) {
  Fleet fleet(make_config(20));
  const double time = watch(fleet, kStart, 20, 2);
  Fleet after(make_config(20));
  EXPECT_EQ(after.restore(fleet.unsaved(), fleet.unsaved_days(true)), 0U);
  for (std::size_t host = 0; host < 20; ++host) after.record(host, kUp, time);
  for (const std::size_t host : {0, 19}) {
    const double was = hazards(fleet, host, time)[1];
    EXPECT_NEAR(hazards(after, host, time).at(1), was, 0.02 * was);
  }
}

TEST(FleetOfGamma, BeginsWithTheDaysThatAnotherMethodCounted) {
  for (const bool reload : {false, true}) {
    Fleet fleet(make_config(20, "ewma"));
    const double time = watch(fleet, kStart, 20, 2);
    EXPECT_FALSE(fleet.snapshot(time).hosts[0].within.has_value());
    Fleet after(make_config(20));
    if (reload) {
      after.take_over(fleet, time);
    } else {
      EXPECT_EQ(after.restore(fleet.unsaved(), fleet.unsaved_days(true)), 0U) << "nothing is lost";
    }
    for (std::size_t host = 0; host < 20; ++host) after.record(host, kUp, time);
    EXPECT_GT(hazards(after, 0, time)[1], 0.3);
    EXPECT_LT(hazards(after, 19, time)[1], 0.05);
  }
}

TEST(FleetOfGamma, SavesNothingNewWithEveryHeartbeat) {
  Fleet fleet(make_config(3));
  double time = watch(fleet, kStart, 1, 0);
  fleet.mark_saved();
  std::size_t saves = 0;
  for (int i = 0; i < 60; ++i, time += 60) {
    for (std::size_t host = 0; host < 3; ++host) fleet.record(host, kUp, time);
    saves += fleet.unsaved().size();
    fleet.mark_saved();
  }
  EXPECT_LE(saves, 6U);
  EXPECT_GE(saves, 3U);
}

double days_up(const Fleet& fleet, double time) {
  const auto explained = fleet.explain(0, time, kDay);
  for (const ExplainedNumber& number : explained.value().why.numbers) {
    if (number.name == "days_up") return number.value;
  }
  return 0;
}

// More often than the time that a host was up is added up.
TEST(FleetOfGamma, LosesNoTimeInReloadsAndRestarts) {
  for (const bool reload : {false, true}) {
    Fleet fleet(make_config(3));
    double time = kStart;
    for (int run = 0; run < 100; ++run) {
      for (int round = 0; round < 4; ++round, time += kStep) fleet.record(0, kUp, time);
      Fleet after(make_config(3));
      if (reload) {
        after.take_over(fleet, time);
      } else {
        after.restore(fleet.unsaved(true), fleet.unsaved_days(true));
      }
      fleet = std::move(after);
    }
    fleet.record(0, kUp, time);
    fleet.estimate(time);
    // A restart is a gap of one step, a reload is none.
    const double steps = reload ? 4 : 3;
    EXPECT_NEAR(days_up(fleet, time), 100 * steps * kStep / kDay, 0.05) << reload;
  }
}

constexpr double kTenYears = 3650 * kDay;

TEST(FleetOfGamma, AClockThatWasSetChangesNothing) {
  for (const double step : {kTenYears, -kTenYears, 300.0, -300.0}) {
    Fleet even(make_config(10));
    Fleet fleet(make_config(10));
    double time = watch(even, kStart, 10, 1);
    watch(fleet, kStart, 10, 1);
    const auto round = [&](const Observation& first, double off) {
      time += kStep;
      for (std::size_t host = 0; host < 10; ++host) {
        even.record(host, host == 0 ? first : kUp, time);
        fleet.record(host, host == 0 ? first : kUp, time + off);
      }
    };
    const Observation silent{.up = false, .seen = false, .cause = "heartbeat"};
    round(kUp, 0);
    for (int i = 0; i < 2; ++i) round(silent, 0);
    fleet.set_clock(step, time + step);
    round(silent, step);  // it is down, since before the clock was set
    round(kUp, step);
    fleet.set_clock(-step, time);
    for (int i = 0; i < 10; ++i) round(kUp, 0);
    const auto expected = hazards(even, 0, time);
    const auto found = hazards(fleet, 0, time);
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 1e-3 * expected[i]) << step;
    }
    EXPECT_NEAR(days_up(fleet, time), days_up(even, time), 0.02) << step;
    EXPECT_EQ(fleet.snapshot(time).hosts[0].polled, time);
    EXPECT_LE(fleet.state(0).record.since, time);
  }
}

TEST(FleetOfGamma, RecoversFromAClockThatWasAheadForAnEarlierVersion) {
  Fleet fleet(make_config(3));
  double time = watch(fleet, kStart, 20, 1);
  const double rate = hazards(fleet, 0, time)[1];
  fleet.record(0, kDown, time + kTenYears);  // nobody said that the clock was set
  fleet.record(0, kUp, time + kTenYears + kStep);
  fleet.record(0, kUp, time);
  Fleet after(make_config(3));
  after.restore(fleet.unsaved(true), fleet.unsaved_days(true), {}, time);
  EXPECT_LE(after.state(0).record.since, time);
  for (std::size_t host = 0; host < 3; ++host) after.record(host, kUp, time);
  EXPECT_NEAR(hazards(after, 0, time)[1], rate, 0.2 * rate);
  EXPECT_GT(days_up(after, time), 15);
  const double before = days_up(after, time);
  time = watch(after, time, 5, 0);
  EXPECT_NEAR(days_up(after, time), before + 5, 0.6) << "it learns again";
}

TEST(FleetOfGamma, KeepsHazardsForAMinute) {
  Fleet fleet(make_config(5));
  const double time = watch(fleet, kStart, 3, 0);
  const auto before = hazards(fleet, 0, time);
  EXPECT_EQ(hazards(fleet, 0, time + 30), before);
  fleet.record(0, kDown, time + 31);
  fleet.record(0, kUp, time + 32);
  EXPECT_GT(hazards(fleet, 0, time + 33)[1], before[1]) << "but for a host that failed";
}

}  // namespace
}  // namespace tofa::health::fleet_gamma_test
