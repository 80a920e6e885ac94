// SPDX-License-Identifier: BSD-3-Clause
// What tofa-healthd believes about hosts: down after so many misses, up with the first answer, and
// what survives a restart or another configuration.
#include "healthd/fleet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa::health::fleet_test {
namespace {

using ::testing::ElementsAre;

const Observation kUp;
const Observation kMissed{.up = false, .seen = false, .cause = "heartbeat"};
const Observation kDown{.up = false, .seen = false, .certain = true, .cause = "slurm"};

HealthdConfig make_config(const std::vector<std::string>& hosts) {
  HealthdConfig config;
  config.estimator = {.method = "moving-average", .window = 10};
  config.down_after = 3;
  config.floor = 0.15;
  for (const std::string& host : hosts) config.hosts.push_back({host, {host, 7411}});
  return config;
}

TEST(Fleet, IsDownAfterConsecutiveMissesAndUpWithTheFirstAnswer) {
  Fleet fleet(make_config({"a"}));
  EXPECT_FALSE(fleet.record(0, kUp, 1));
  EXPECT_FALSE(fleet.record(0, kMissed, 2));
  EXPECT_FALSE(fleet.record(0, kMissed, 3));
  EXPECT_TRUE(fleet.up(0));
  EXPECT_EQ(fleet.probability(0), 0) << "a lost heartbeat says nothing";
  EXPECT_EQ(fleet.record(0, kMissed, 4), (Transition{"a", false, 2})) << "since the first miss";
  EXPECT_FALSE(fleet.up(0));
  EXPECT_EQ(fleet.probability(0), 1) << "a job started now would fail";
  EXPECT_FALSE(fleet.record(0, kMissed, 5)) << "reported once";
  EXPECT_EQ(fleet.record(0, kUp, 6), (Transition{"a", true, 6}));
  EXPECT_DOUBLE_EQ(fleet.probability(0), 0.4) << "all four misses are of an outage";
}

TEST(Fleet, TrustsANodeAgainBelowTheFloor) {
  Fleet fleet(make_config({"a"}));
  fleet.record(0, kUp, 1);
  fleet.record(0, kDown, 2);
  fleet.record(0, kUp, 3);
  EXPECT_EQ(fleet.probability(0), 0) << "0.1 is below the floor";
  for (int i = 0; i < 3; ++i) fleet.record(0, kMissed, 4 + i);
  for (int i = 0; i < 8; ++i) fleet.record(0, kUp, 10 + i);
  EXPECT_DOUBLE_EQ(fleet.probability(0), 0.2);
  fleet.record(0, kUp, 20);
  EXPECT_EQ(fleet.probability(0), 0);
}

TEST(Fleet, LostHeartbeatsMakeNoNodeSuspect) {
  Fleet fleet(make_config({"a"}));
  for (int i = 0; i < 300; i += 3) {
    fleet.record(0, kUp, i);
    EXPECT_FALSE(fleet.record(0, kMissed, i + 1));
    EXPECT_FALSE(fleet.record(0, kMissed, i + 2));
    EXPECT_EQ(fleet.probability(0), 0) << i;
  }
  EXPECT_EQ(fleet.rate(0, 300), 0);
}

TEST(Fleet, WhatIsPlannedIsNoFailure) {
  Fleet fleet(make_config({"a"}));
  fleet.record(0, kUp, 1);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(fleet.record(0, {.up = false, .seen = false, .planned = true}, 2 + i));
  }
  EXPECT_EQ(fleet.probability(0), 0);
  EXPECT_EQ(fleet.rate(0, 7), 0);
  EXPECT_EQ(state_of(fleet.snapshot(7).hosts.at(0)), "planned");
  EXPECT_EQ(fleet.snapshot(7).hosts.at(0).polled, 6);
  EXPECT_FALSE(fleet.record(0, kUp, 8));
  EXPECT_EQ(state_of(fleet.snapshot(8).hosts.at(0)), "up");
}

TEST(Fleet, AFailureThatIsRepairedOnPurposeEndsWithTheFirstAnswer) {
  Fleet fleet(make_config({"a"}));
  fleet.record(0, kUp, 1);
  EXPECT_TRUE(fleet.record(0, kDown, 2));
  EXPECT_FALSE(fleet.record(0, {.seen = false, .planned = true}, 3)) << "nobody has seen it up";
  EXPECT_EQ(fleet.probability(0), 1);
  EXPECT_EQ(fleet.record(0, {.planned = true}, 4), (Transition{"a", true, 4}));
}

TEST(Fleet, TimeOutOfServiceIsNotTimeUp) {
  constexpr double kBegin = 20000 * 86400.0;
  Fleet fleet(make_config({"a"}));
  for (double t = 0; t <= 2 * 86400; t += 300) fleet.record(0, kUp, kBegin + t);
  for (double t = 2 * 86400; t <= 9 * 86400; t += 300) {
    fleet.record(0, {.planned = true}, kBegin + t);
  }
  fleet.record(0, kUp, kBegin + 9 * 86400 + 1);
  fleet.record(0, kDown, kBegin + 9 * 86400 + 2);
  EXPECT_NEAR(fleet.rate(0, kBegin + 9 * 86400), 1 / 48.0, 1e-4);
}

TEST(Fleet, AnInterruptedNetworkChangesNothing) {
  Fleet fleet(make_config({"a"}));
  fleet.record(0, kUp, 1);
  fleet.record(0, kMissed, 2);
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(fleet.record(0, {.up = false, .seen = false, .unreachable = true}, 3 + i));
  }
  EXPECT_EQ(fleet.probability(0), 0);
  EXPECT_EQ(state_of(fleet.snapshot(12).hosts.at(0)), "unreachable");
  EXPECT_EQ(fleet.snapshot(12).hosts.at(0).polled, 2) << "nothing is known since";
  EXPECT_FALSE(fleet.record(0, kMissed, 13)) << "misses are counted from here";
  EXPECT_FALSE(fleet.record(0, kMissed, 14));
  EXPECT_EQ(fleet.record(0, kMissed, 15), (Transition{"a", false, 13}));
}

TEST(Fleet, DownForTheNetworkIsNotFailed) {
  Fleet fleet(make_config({"a"}));
  fleet.record(0, kUp, 1);
  const Observation cut{
      .up = false, .seen = false, .certain = true, .unreachable = true, .cause = "network"};
  EXPECT_EQ(fleet.record(0, cut, 2), (Transition{"a", false, 2, true, "network"}));
  EXPECT_EQ(fleet.probability(0), 1) << "no job can run there";
  EXPECT_EQ(fleet.rate(0, 2), 0);
  EXPECT_EQ(fleet.record(0, kUp, 3), (Transition{"a", true, 3}));
  EXPECT_EQ(fleet.probability(0), 0);
}

TEST(Fleet, ANewBootIsAFailureThatHeartbeatsMissed) {
  Fleet fleet(make_config({"a"}));
  const auto answer = [&](std::uint64_t boot, double time) {
    const Observation observation{.boot = boot};
    auto restart = fleet.record_restart(0, observation, time);
    EXPECT_FALSE(fleet.record(0, observation, time));
    return restart;
  };
  EXPECT_THAT(answer(7, 1), ElementsAre());
  EXPECT_THAT(answer(7, 2), ElementsAre());
  EXPECT_THAT(answer(0, 3), ElementsAre()) << "an agent that cannot tell";
  EXPECT_THAT(answer(8, 4),
              ElementsAre(Transition{"a", false, 3, true, "reboot"}, Transition{"a", true, 4}));
  EXPECT_DOUBLE_EQ(fleet.probability(0), 0.3);
  EXPECT_GT(fleet.rate(0, 4), 0);
  EXPECT_THAT(answer(8, 5), ElementsAre());
}

TEST(Fleet, ABootThatAnOutageOrAPlanExplainsIsNone) {
  Fleet fleet(make_config({"a", "b"}));
  for (std::size_t host : {0, 1}) {
    EXPECT_TRUE(fleet.record_restart(host, {.boot = 7}, 1).empty());
    fleet.record(host, {.boot = 7}, 1);
  }
  fleet.record(0, kDown, 2);
  EXPECT_TRUE(fleet.record_restart(0, {.boot = 8}, 3).empty());
  fleet.record(1, {.seen = false, .planned = true}, 2);
  EXPECT_TRUE(fleet.record_restart(1, {.boot = 8}, 3).empty());
  EXPECT_EQ(fleet.rate(1, 3), 0);
}

// Of hosts that an earlier run has seen up in boot 7 until time 100, one in boot 8 now.
Fleet restored_fleet(const std::vector<std::string>& names) {
  Fleet fleet(make_config(names));
  std::vector<HostRecord> records;
  for (const std::string& name : names) {
    records.push_back({.name = name, .seen = true, .method = "moving-average", .boot = 7});
  }
  fleet.restore(records, {}, {}, 100);
  fleet.mark_saved();
  return fleet;
}

TEST(Fleet, ANewBootSinceAnEarlierRunIsAFailureOnce) {
  Fleet fleet = restored_fleet({"a", "b", "c"});
  EXPECT_EQ(fleet.forgive_restarts({Observation{.boot = 8}, Observation{.boot = 7}, {}}), 0);
  EXPECT_THAT(fleet.record_restart(0, {.boot = 8}, 5000),
              ElementsAre(Transition{"a", false, 100, true, "reboot"},
                          Transition{"a", true, 100, true, "heartbeat", false}))
      << "nobody knows for how long";
  EXPECT_THAT(fleet.record_restart(1, {.boot = 7}, 5000), ElementsAre());
  EXPECT_THAT(fleet.record_restart(0, {.boot = 8}, 5001), ElementsAre());
  EXPECT_DOUBLE_EQ(fleet.probability(0), 0.3);
  EXPECT_GT(fleet.rate(0, 5001), 0);
  EXPECT_EQ(fleet.rate(1, 5001), 0);
  EXPECT_EQ(fleet.unsaved().at(0).boot, 8);
  // One that comes back late, and one that starts anew while somebody looks.
  EXPECT_EQ(fleet.record_restart(2, {.boot = 8}, 5010).at(0).time, 100);
  fleet.record(1, {.boot = 7}, 5001);
  EXPECT_EQ(fleet.record_restart(1, {.boot = 9}, 5020).at(0).time, 5001);
}

TEST(Fleet, APlannedRestartStaysPlannedOverARestart) {
  Fleet before(make_config({"a", "b"}));
  for (std::size_t host : {0, 1}) {
    before.record_restart(host, {.boot = 7}, 1);
    before.record(host, {.boot = 7}, 1);
  }
  before.mark_saved();
  EXPECT_FALSE(before.state_unsaved());
  before.record(0, {.planned = true, .boot = 7}, 2);
  EXPECT_TRUE(before.state_unsaved()) << "it may start anew right after this run has ended";
  const auto planned = before.unsaved();
  ASSERT_EQ(planned.size(), 1);
  EXPECT_EQ(planned[0].boot, 0);
  Fleet fleet(make_config({"a", "b"}));
  fleet.restore({planned[0], {.name = "b", .seen = true, .method = "moving-average", .boot = 7}},
                {}, {}, 2);
  EXPECT_TRUE(fleet.record_restart(0, {.boot = 8}, 10).empty()) << "planned then";
  EXPECT_TRUE(fleet.record_restart(1, {.tentative = true, .boot = 8}, 10).empty())
      << "somebody may say so yet";
  EXPECT_TRUE(fleet.record_restart(1, {.planned = true, .boot = 8}, 11).empty()) << "planned now";
  EXPECT_TRUE(fleet.record_restart(1, {.boot = 8}, 12).empty());
}

TEST(Fleet, WhatIsDoneToAllIsSeenOverSeveralRounds) {
  const std::vector<std::string> names{"a", "b", "c", "d", "e", "f"};
  Fleet first = restored_fleet(names);
  std::vector<std::optional<Observation>> round(6);
  round[0] = Observation{.boot = 7};
  EXPECT_EQ(first.forgive_restarts(round), 0);
  EXPECT_TRUE(first.record_restart(0, *round[0], 5000).empty());
  Fleet fleet(make_config(names));
  fleet.take_over(first, 5001);
  for (const std::size_t host : {1, 2}) round[host] = Observation{.boot = 8};
  EXPECT_EQ(fleet.forgive_restarts(round), 0) << "two may fail";
  for (const std::size_t host : {1, 2}) {
    EXPECT_EQ(fleet.record_restart(host, *round[host], 5002).size(), 2);
  }
  for (const std::size_t host : {3, 4}) round[host] = Observation{.boot = 8};
  EXPECT_EQ(fleet.forgive_restarts(round), 2) << "but not four of five";
  for (const std::size_t host : {3, 4, 5}) {
    EXPECT_TRUE(fleet.record_restart(host, {.boot = 8}, 5003).empty());
  }
}

TEST(Fleet, WhatIsDoneToAllIsNoFailureOfAny) {
  const std::vector<std::string> names{"a", "b", "c", "d", "e"};
  Fleet fleet = restored_fleet(names);
  std::vector<std::optional<Observation>> round(5, Observation{.tentative = true, .boot = 8});
  EXPECT_EQ(fleet.forgive_restarts(round), 0) << "not yet";
  round.assign(5, Observation{.boot = 8});
  round[3] = Observation{.boot = 7};
  round[4].reset();  // on its way
  EXPECT_EQ(fleet.forgive_restarts(round), 3);
  EXPECT_EQ(fleet.forgive_restarts(round), 0) << "told once";
  for (std::size_t host = 0; host < names.size(); ++host) {
    EXPECT_TRUE(fleet.record_restart(host, {.boot = host == 3 ? 7u : 8u}, 5000).empty());
    fleet.record(host, {}, 5000);
  }
  EXPECT_EQ(fleet.record_restart(0, {.boot = 9}, 5001).size(), 2) << "from then on";
}

TEST(Fleet, AnOutageThatSomebodyEntersCountsAsMissedHeartbeats) {
  Fleet fleet(make_config({"a", "b"}));
  for (std::size_t host : {0, 1}) {
    for (double time = 10; time <= 100; time += 10) fleet.record(host, kUp, time);
  }
  const auto [record, day] = fleet.with_outage(0, 75, 95);
  EXPECT_EQ(fleet.probability(0), 0) << "nothing is known yet";
  fleet.add_outage(0, 75, 95);
  EXPECT_DOUBLE_EQ(fleet.probability(0), 0.2) << "those at 80 and 90 s";
  EXPECT_EQ(record.estimate, "xx.");
  EXPECT_EQ(day.day.outages, 1);
  fleet.add_outage(1, -5000, -4000);
  EXPECT_EQ(fleet.probability(1), 0) << "long ago";
  EXPECT_GT(fleet.rate(1, 100), 0);
}

TEST(Fleet, ABootThatASlurmdReportsCountsOnce) {
  Fleet fleet(make_config({"a"}));
  const auto answer = [&](std::uint64_t boot, double booted, double time) {
    const Observation observation{.boot = boot, .booted = booted};
    const auto restart = fleet.record_restart(0, observation, time);
    fleet.record(0, observation, time);
    return restart.size();
  };
  EXPECT_EQ(answer(0, 1000, 5000), 0);
  EXPECT_EQ(answer(0, 1030, 5010), 0) << "the same boot, counted back from another time";
  EXPECT_EQ(answer(0, 0, 5020), 0) << "Slurm does not answer";
  EXPECT_EQ(answer(0, 5030, 5090), 2) << "down and up again";
  EXPECT_EQ(answer(0, 5025, 5100), 0);
  EXPECT_EQ(answer(7, 5025, 5110), 0) << "heartbeats begin";
  EXPECT_EQ(answer(8, 5025, 6000), 2) << "which notice the next boot first";
  EXPECT_EQ(answer(8, 5980, 6010), 0) << "that Slurm tells, too";
  fleet.record(0, kDown, 7000);
  EXPECT_EQ(answer(8, 7020, 7100), 0) << "an outage was noticed";
  EXPECT_EQ(answer(8, 7020, 7110), 0);
}

TEST(Fleet, HistoryBeginsWithTheFirstAnswer) {
  Fleet fleet(make_config({"a"}));
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(fleet.record(0, kMissed, 1 + i));
  EXPECT_EQ(fleet.record(0, kMissed, 3), (Transition{"a", false, 1, false}));
  EXPECT_FALSE(fleet.record(0, kMissed, 4)) << "reported once";
  EXPECT_EQ(fleet.probability(0), 1) << "down all the same";
  EXPECT_EQ(fleet.record(0, kUp, 5), (Transition{"a", true, 5, false}));
  EXPECT_EQ(fleet.probability(0), 0) << "there is no outage of a node that had not started";
  for (int i = 0; i < 2; ++i) fleet.record(0, kMissed, 6 + i);
  EXPECT_EQ(fleet.record(0, kMissed, 8), (Transition{"a", false, 6, true})) << "now it is one";
}

TEST(Fleet, NeverAnsweredSurvivesARestartAndAChangeOfConfiguration) {
  Fleet before(make_config({"a"}));
  for (int i = 0; i < 3; ++i) before.record(0, kMissed, 1 + i);
  Fleet after(make_config({"a"}));
  after.restore(before.unsaved());
  EXPECT_EQ(after.probability(0), 1);
  EXPECT_EQ(after.record(0, kMissed, 10), (Transition{"a", false, 10, false}));
  Fleet other(make_config({"b"}));
  EXPECT_TRUE(other.take_over(before, 11).empty()) << "no outage, so none ends";
}

TEST(Fleet, SnapshotLeavesOutWhoWasNeverPolled) {
  Fleet fleet(make_config({"a", "b"}));
  fleet.record(1, kUp, 5);
  EXPECT_THAT(fleet.snapshot(6).hosts, ElementsAre(SnapshotHost{"b", 0, 5, true}));
}

TEST(Fleet, GoesOnAfterARestart) {
  Fleet before(make_config({"a", "gone", "b"}));
  for (std::size_t host = 0; host < before.size(); ++host) before.record(host, kUp, 1);
  for (int i = 0; i < 4; ++i) before.record(0, kMissed, 2 + i);
  before.record(2, kMissed, 2);
  before.record(2, kMissed, 3);

  Fleet after(make_config({"new", "b", "a"}));
  EXPECT_EQ(after.restore(before.unsaved()), 0);
  EXPECT_FALSE(after.up(2));
  EXPECT_TRUE(after.up(1));
  EXPECT_EQ(after.probability(1), 0);
  EXPECT_EQ(after.probability(0), 0);
  // The outage goes on; the time between is nobody's, so it counts as another one.
  EXPECT_EQ(after.record(2, kMissed, 100), (Transition{"a", false, 100}));
  EXPECT_FALSE(after.record(2, kMissed, 101));
  // One more miss in a row makes three.
  EXPECT_EQ(after.record(1, kMissed, 100), (Transition{"b", false, 100}));
}

TEST(Fleet, AnOutageThatSpansARestartIsOne) {
  Fleet before(make_config({"a", "b", "gone"}));
  for (std::size_t host = 0; host < before.size(); ++host) {
    before.record(host, kUp, 1);
    before.record(host, kDown, 2);
  }
  EXPECT_THAT(before.lasting_outages(), ElementsAre("a", "b", "gone"));
  Fleet after(make_config({"a", "b"}));
  after.restore(before.unsaved(), before.unsaved_days(true), {"a", "b", "gone"}, 5);
  EXPECT_THAT(after.lasting_outages(), ElementsAre("a", "b"));
  EXPECT_FALSE(after.record(0, kDown, 100)) << "it goes on";
  EXPECT_EQ(after.record(0, kUp, 101), (Transition{"a", true, 101})) << "and is seen to end";
  EXPECT_EQ(after.record(1, kUp, 100), (Transition{"b", true, 5, true, "heartbeat", false}))
      << "back before anybody looked again";
  EXPECT_TRUE(after.lasting_outages().empty());
  EXPECT_EQ(after.record(1, kDown, 102), (Transition{"b", false, 102, true, "slurm"}));
  EXPECT_EQ(after.record(1, kUp, 103), (Transition{"b", true, 103}));
}

TEST(Fleet, AnOutageThatNobodyLookedAtEndsWithItsHost) {
  Fleet before(make_config({"a"}));
  before.record(0, kUp, 1);
  before.record(0, kDown, 2);
  Fleet after(make_config({"a"}));
  after.restore(before.unsaved(), {}, {"a"}, 5);
  Fleet other(make_config({"b"}));
  EXPECT_THAT(other.take_over(after, 100),
              ElementsAre(Transition{"a", true, 5, true, "heartbeat", false}));
}

TEST(Fleet, AnEstimateOfAnotherMethodBeginsAnew) {
  Fleet before(make_config({"a"}));
  before.record(0, kUp, 1);
  before.record(0, kMissed, 2);
  before.record(0, kMissed, 3);
  HealthdConfig other = make_config({"a"});
  other.estimator.method = "ewma";
  Fleet after(other);
  EXPECT_EQ(after.restore(before.unsaved()), 1);
  EXPECT_EQ(after.probability(0), 0);
}

TEST(Fleet, AnotherConfigurationDoesNotEndOutages) {
  Fleet before(make_config({"a", "b"}));
  for (std::size_t host : {0, 1}) {
    before.record(host, kUp, 0.5);
    for (int i = 0; i < 3; ++i) before.record(host, kMissed, 1 + i);
  }
  Fleet after(make_config({"b"}));
  EXPECT_THAT(after.take_over(before, 10), ElementsAre(Transition{"a", true, 10}));
  EXPECT_FALSE(after.record(0, kMissed, 11)) << "b's outage is the same one";
  EXPECT_EQ(after.snapshot(12).hosts.size(), 1);
}

TEST(Fleet, OnlyWhatChangedIsSaved) {
  Fleet fleet(make_config({"a", "b"}));
  EXPECT_FALSE(fleet.state_unsaved());
  for (std::size_t host : {0, 1}) fleet.record(host, kUp, 1);
  EXPECT_TRUE(fleet.state_unsaved()) << "seen for the first time";
  fleet.mark_saved();
  EXPECT_FALSE(fleet.state_unsaved());
  for (std::size_t host : {0, 1}) fleet.record(host, kUp, 2);
  EXPECT_TRUE(fleet.unsaved().empty()) << "healthy hosts cost nothing";
  fleet.record(1, kMissed, 3);
  const auto unsaved = fleet.unsaved();
  ASSERT_EQ(unsaved.size(), 1);
  EXPECT_EQ(unsaved[0].name, "b");
  EXPECT_FALSE(fleet.state_unsaved()) << "a single miss";
  fleet.record(1, kDown, 4);
  EXPECT_TRUE(fleet.state_unsaved());
}

TEST(Fleet, IsDownAtOnceWhenASourceIsCertain) {
  Fleet fleet(make_config({"a"}));
  fleet.record(0, kUp, 1);
  EXPECT_EQ(fleet.record(0, kDown, 2), (Transition{"a", false, 2, true, "slurm"}));
  EXPECT_EQ(fleet.probability(0), 1);
  EXPECT_FALSE(fleet.record(0, kMissed, 3)) << "the same outage, whoever sees it";
  EXPECT_EQ(fleet.record(0, kUp, 4), (Transition{"a", true, 4}));
}

TEST(Fleet, ASourceThatIsPendingKeepsAnOutageFromEnding) {
  Fleet fleet(make_config({"a"}));
  fleet.record(0, kUp, 1);
  fleet.record(0, kDown, 2);
  EXPECT_FALSE(fleet.record(0, {.up = true, .tentative = true}, 3));
  EXPECT_EQ(fleet.probability(0), 1);
  EXPECT_TRUE(fleet.record(0, kUp, 4));
}

TEST(Fleet, CountsOutagesByTheTimeThatAHostWasUp) {
  constexpr double kBegin = 20000 * 86400.0;
  Fleet fleet(make_config({"a", "b"}));
  double time = kBegin;
  for (; time <= kBegin + 2 * 86400; time += 300) fleet.record(0, kUp, time);
  EXPECT_EQ(fleet.rate(0, time), 0);
  fleet.record(0, kDown, time);
  EXPECT_NEAR(fleet.rate(0, time), 1 / 48.0, 1e-9);
  time += 86400;
  fleet.record(0, kUp, time);
  EXPECT_NEAR(fleet.rate(0, time), 1 / 48.0, 1e-9) << "time down does not count";

  fleet.record(1, kDown, time);
  EXPECT_EQ(fleet.rate(1, time), 0) << "never up, so nothing has failed";

  Fleet after(make_config({"a"}));
  fleet.record(0, kDown, time + 1);
  after.restore(fleet.unsaved(), fleet.unsaved_days(true));
  EXPECT_NEAR(after.rate(0, time), 2 / 48.0, 1e-4);
  after.record(0, kDown, time + 100);
  EXPECT_NEAR(after.rate(0, time), 2 / 48.0, 1e-4) << "the same outage, after a restart";
  EXPECT_EQ(after.rate(0, time + 40 * 86400.0), 0) << "too long ago";
}

}  // namespace
}  // namespace tofa::health::fleet_test
