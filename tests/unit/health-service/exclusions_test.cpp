// SPDX-License-Identifier: BSD-3-Clause
// Who is excluded follows from what was changed; what is excluded is neither observed as a failure
// nor used.
#include "healthd/exclusions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa::health::exclusions_test {
namespace {

Change exclude(const std::string& host, double time, std::optional<double> until = std::nullopt) {
  return {
      .time = time, .user = "alice", .host = host, .reason = "fan", .start = time, .end = until};
}

HealthdConfig make_config(const std::vector<std::string>& hosts) {
  HealthdConfig config;
  config.estimator = {.method = "gamma"};
  for (const std::string& host : hosts) config.hosts.push_back({host, {host, 7411}});
  return config;
}

TEST(Exclusions, TheLastChangeOfAHostHolds) {
  Exclusions exclusions;
  exclusions.apply(exclude("a", 10));
  exclusions.apply(exclude("b", 10));
  exclusions.apply({.time = 20, .kind = ChangeKind::event, .host = "b", .start = 1, .end = 2});
  ASSERT_NE(exclusions.find("a", 100), nullptr);
  EXPECT_EQ(*exclusions.find("a", 100), (HostExclusion{"fan", "alice", 10, 0}));
  EXPECT_NE(exclusions.find("b", 100), nullptr);
  EXPECT_EQ(exclusions.find("c", 100), nullptr);
  exclusions.apply({.time = 30, .kind = ChangeKind::include, .host = "a"});
  EXPECT_EQ(exclusions.find("a", 100), nullptr);
  exclusions.apply(exclude("b", 40, 50));
  EXPECT_EQ(exclusions.find("b", 45)->until, 50) << "replaced";
  EXPECT_EQ(exclusions.count(45), 1);
}

TEST(Exclusions, RunOutByThemselves) {
  Exclusions exclusions;
  exclusions.apply(exclude("a", 10, 50));
  EXPECT_NE(exclusions.find("a", 49.9), nullptr);
  EXPECT_EQ(exclusions.find("a", 50), nullptr);
  EXPECT_EQ(exclusions.count(50), 0);
  EXPECT_NE(exclusions.find("a", 20), nullptr) << "the clock was set back: it had been ahead";
}

TEST(Exclusions, WhatAnExcludedHostDoesIsPlanned) {
  Fleet fleet(make_config({"a", "b", "c"}));
  Exclusions exclusions;
  exclusions.apply(exclude("a", 10, 50));
  exclusions.apply(exclude("c", 10));
  for (const double time : {20.0, 60.0}) {
    std::vector<std::optional<Observation>> round(3,
                                                  Observation{.up = false, .cause = "heartbeat"});
    round[2].reset();
    exclusions.plan(fleet, round, time);
    EXPECT_EQ(round[0]->planned, time < 50);
    EXPECT_FALSE(round[1]->planned);
    ASSERT_TRUE(round[2]) << "it is known even where nobody looked";
    EXPECT_TRUE(round[2]->planned);
    EXPECT_FALSE(round[2]->seen);
  }
}

TEST(Exclusions, SuspendWhatIsCounted) {
  Fleet fleet(make_config({"a"}));
  Exclusions exclusions;
  exclusions.apply(exclude("a", 100, 200));
  constexpr double begin = 20'000 * kDay;
  exclusions.apply(exclude("a", begin, begin + 1000));
  fleet.record(0, Observation{}, begin - 1);
  for (int i = 0; i < 100; ++i) {
    std::vector<std::optional<Observation>> round{
        Observation{.up = false, .seen = false, .certain = true, .cause = "heartbeat"}};
    exclusions.plan(fleet, round, begin + i);
    EXPECT_FALSE(fleet.record(0, *round[0], begin + i)) << "no outage";
  }
  EXPECT_EQ(fleet.rate(0, begin + 100), 0);
  EXPECT_TRUE(fleet.up(0));
}

TEST(Exclusions, ArePublishedAsCertainToFail) {
  Snapshot snapshot{100, 1, {}, {}};
  snapshot.hosts = {{"a", 0.1, 99, true, 0.5, HostNote::unreachable, HazardsWithin{0.1, 0.2, 0.3}},
                    {"b", 0, 99, true},
                    {"c", 1, 99, false}};
  Exclusions exclusions;
  exclusions.apply(exclude("a", 10));
  exclusions.apply(exclude("b", 10, 100));
  exclusions.apply(exclude("c", 10, 101));
  const SnapshotHost b = snapshot.hosts[1];
  exclusions.mark(snapshot);
  EXPECT_EQ(snapshot.hosts[0].probability, 1);
  EXPECT_EQ(state_of(snapshot.hosts[0]), "planned");
  EXPECT_FALSE(snapshot.hosts[0].within);
  EXPECT_EQ(snapshot.hosts[0].excluded, (HostExclusion{"fan", "alice", 10, 0}));
  EXPECT_EQ(snapshot.hosts[1], b) << "it has run out";
  EXPECT_EQ(state_of(snapshot.hosts[2]), "down");
  EXPECT_EQ(snapshot.hosts[2].excluded->until, 101);
}

}  // namespace
}  // namespace tofa::health::exclusions_test
