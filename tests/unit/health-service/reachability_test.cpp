// SPDX-License-Identifier: BSD-3-Clause
// Hosts that fall silent together are behind a network that failed; hosts that fall silent one by
// one, or stay silent, have failed.
#include "healthd/reachability.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tofa/outage_cause.hpp"

namespace tofa::health::reachability_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr unsigned kDownAfter = 3;

// Rounds of one second.
class Fleets {
 public:
  explicit Fleets(std::size_t hosts, SwitchOfHost switches = {}, NetworkConfig config = {})
      : hosts_(hosts),
        reachability_(std::move(config), kDownAfter, std::move(switches),
                      std::vector<bool>(hosts, true)) {}

  // These hosts are out of service on purpose from now on.
  void plan(std::set<std::size_t> planned) { planned_ = std::move(planned); }
  void set_clock(double seconds) {
    time_ += seconds;
    reachability_.set_clock(seconds);
  }
  // What is told of a round in which these hosts did not answer.
  std::vector<NetworkEvent> round(const std::set<std::size_t>& silent) {
    observed_.assign(hosts_, Observation{});
    for (const std::size_t host : silent) {
      observed_[host] = Observation{.up = false, .seen = false, .cause = "heartbeat"};
    }
    for (const std::size_t host : planned_) observed_[host]->planned = true;
    return reachability_.judge(observed_, ++time_);
  }
  // Rounds in which no source said anything.
  void nobody_looks(int count) {
    observed_.assign(hosts_, std::nullopt);
    for (int i = 0; i < count; ++i) reachability_.judge(observed_, ++time_);
  }
  std::vector<NetworkEvent> rounds(int count, const std::set<std::size_t>& silent) {
    std::vector<NetworkEvent> told;
    for (int i = 0; i < count; ++i) {
      for (const NetworkEvent& event : round(silent)) told.push_back(event);
    }
    return told;
  }

  // Of the last round.
  bool unreachable(std::size_t host) const { return observed_[host]->unreachable; }
  const Observation& observed(std::size_t host) const { return *observed_[host]; }
  std::size_t unreachable() const { return reachability_.unreachable(); }
  bool interrupted() const { return reachability_.interrupted(); }

 private:
  std::size_t hosts_;
  double time_ = 0;
  std::set<std::size_t> planned_;
  std::vector<std::optional<Observation>> observed_;
  Reachability reachability_;
};

std::set<std::size_t> range(std::size_t from, std::size_t to) {
  std::set<std::size_t> hosts;
  for (std::size_t i = from; i < to; ++i) hosts.insert(i);
  return hosts;
}

TEST(Reachability, WhoSaysItWithTheNextAnswerOfASlowSourceJoins) {
  Fleets fleets(10);
  fleets.rounds(2, {});
  fleets.round({0, 1, 2, 3, 4, 5, 6, 7, 8});
  fleets.nobody_looks(14);
  fleets.round({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_TRUE(fleets.unreachable(9));
}

TEST(Reachability, APauseOfTheNetworkIsNoFailure) {
  Fleets fleet(40);
  fleet.round({});
  const auto told = fleet.round(range(0, 40));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].hosts, 40);
  EXPECT_FALSE(told[0].over);
  EXPECT_THAT(fleet.rounds(5000, range(0, 40)), IsEmpty()) << "it may be this machine's network";
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_TRUE(fleet.unreachable(i));
    EXPECT_FALSE(fleet.observed(i).certain);
  }
  const auto back = fleet.round({});
  ASSERT_THAT(back, SizeIs(1));
  EXPECT_TRUE(back[0].over);
  EXPECT_FALSE(fleet.interrupted());
  EXPECT_EQ(fleet.unreachable(), 0);
}

TEST(Reachability, NodesThatFailOneByOneHaveFailed) {
  Fleets fleet(40);
  std::set<std::size_t> dead;
  for (std::size_t i = 0; i < 20; ++i) {
    dead.insert(i);
    EXPECT_THAT(fleet.rounds(4, dead), IsEmpty());
    for (const std::size_t host : dead) EXPECT_FALSE(fleet.unreachable(host));
  }
}

TEST(Reachability, AFewAtOnceHaveFailed) {
  Fleets fleet(40);
  EXPECT_THAT(fleet.rounds(10, {3, 4, 5, 6, 7, 8, 9}), IsEmpty());
  Fleets small(4);
  EXPECT_THAT(small.rounds(10, {0, 1}), IsEmpty()) << "at least three";
}

TEST(Reachability, WhatStaysSilentAfterwardsHasFailed) {
  Fleets fleet(10);
  fleet.rounds(5, range(0, 10));
  EXPECT_THAT(fleet.rounds(1, range(0, 8)), IsEmpty()) << "two answer";
  const auto told = fleet.round({0, 1, 2, 3, 4});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_TRUE(told[0].over);
  EXPECT_EQ(told[0].silent, 5);
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(fleet.unreachable(0)) << "counted from here, although they are half of the fleet";
    EXPECT_THAT(fleet.round({0, 1, 2, 3, 4}), IsEmpty());
  }
}

TEST(Reachability, WhatFallsSilentARoundLaterBelongsToIt) {
  Fleets fleet(10);
  EXPECT_THAT(fleet.round(range(0, 6)), SizeIs(1));
  EXPECT_THAT(fleet.round(range(0, 8)), IsEmpty());
  EXPECT_TRUE(fleet.unreachable(7));
  fleet.rounds(10, range(0, 8));
  fleet.rounds(3, range(0, 9));
  EXPECT_FALSE(fleet.unreachable(8)) << "much later: it has failed by itself";
}

TEST(Reachability, OneSwitchIsAnEventAlso) {
  SwitchOfHost switches(100);
  for (std::size_t i = 0; i < 100; ++i) switches[i] = static_cast<std::uint32_t>(i / 4);
  Fleets fleet(100, switches);
  const auto told = fleet.round({8, 9, 10, 11});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].behind, 2);
  EXPECT_TRUE(fleet.unreachable(8));
  EXPECT_THAT(fleet.rounds(4, {8, 9, 10, 11, 20, 21, 22}), IsEmpty());
  EXPECT_FALSE(fleet.unreachable(20)) << "one host behind that switch answers";
  EXPECT_TRUE(fleet.unreachable(8));
}

TEST(Reachability, HalfASwitchInOneRoundIsCompletedInTheNext) {
  Fleets fleet(40, SwitchOfHost(4, 7));
  EXPECT_THAT(fleet.round({0, 1}), IsEmpty());
  EXPECT_FALSE(fleet.unreachable(0)) << "a miss, which makes nobody down yet";
  EXPECT_THAT(fleet.round({0, 1, 2, 3}), SizeIs(1));
  EXPECT_TRUE(fleet.unreachable(0));
}

TEST(Reachability, AnEventThatLastsTooLongMakesItsHostsDown) {
  NetworkConfig impatient;
  impatient.patience = 20;
  Fleets fleet(100, SwitchOfHost(10, 7), impatient);
  fleet.rounds(20, range(0, 10));
  EXPECT_FALSE(fleet.observed(0).certain);
  EXPECT_TRUE(fleet.interrupted());
  const auto told = fleet.rounds(3, range(0, 10));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_TRUE(told[0].given_up);
  EXPECT_TRUE(fleet.observed(0).certain);
  EXPECT_TRUE(fleet.observed(0).unreachable) << "down, but not failed";
  EXPECT_EQ(fleet.observed(0).cause, kNetworkCause);
  EXPECT_FALSE(fleet.interrupted()) << "it does not hold up others for ever";
  EXPECT_EQ(fleet.unreachable(), 10);
  fleet.round({});
  EXPECT_TRUE(fleet.observed(0).up);
}

TEST(Reachability, APlannedHostThatIsSilentHidesNoSwitch) {
  Fleets fleet(40, SwitchOfHost(4, 7));
  fleet.plan({3});
  const auto told = fleet.round({0, 1, 2, 3});
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].hosts, 3);
  EXPECT_TRUE(fleet.unreachable(0));
  EXPECT_FALSE(fleet.unreachable(3)) << "it is where somebody wants it to be";
}

TEST(Reachability, APlannedHostThatAnswersTellsThatTheSwitchWorks) {
  Fleets fleet(40, SwitchOfHost(4, 7));
  fleet.plan({3});
  EXPECT_THAT(fleet.rounds(5, {0, 1, 2}), IsEmpty());
}

// Two thirds of the fleet are powered down, and half of the rest falls silent.
TEST(Reachability, HostsThatArePoweredDownArePartOfNoShare) {
  Fleets fleet(300);
  fleet.plan(range(0, 200));
  fleet.rounds(5, range(0, 200));
  const auto told = fleet.round(range(0, 250));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].hosts, 50);
  EXPECT_TRUE(fleet.unreachable(249));
}

TEST(Reachability, HostsThatArePoweredDownAreNoAnswerToWhetherThisMachineIsCutOff) {
  NetworkConfig impatient;
  impatient.patience = 20;
  Fleets fleet(300, {}, impatient);
  fleet.plan(range(0, 200));
  fleet.rounds(5, range(0, 200));
  EXPECT_THAT(fleet.rounds(50, range(0, 300)), SizeIs(1));
  EXPECT_FALSE(fleet.observed(299).certain);
  EXPECT_TRUE(fleet.unreachable(299));
}

// Of a host that Slurm alone knows, nothing says that it is down, and nothing that it is up.
TEST(Reachability, WhatNoSourceHasSeenIsNoAnswer) {
  Reachability reachability({}, kDownAfter, {}, std::vector<bool>(20, true));
  std::vector<std::optional<Observation>> round(20, Observation{.seen = false, .planned = true});
  for (std::size_t i = 0; i < 4; ++i) round[i] = Observation{.up = false, .seen = false};
  EXPECT_THAT(reachability.judge(round, 1), SizeIs(1)) << "all that are in service";
}

TEST(Reachability, HostsWhoseMaintenanceEndsBeforeTheyAreBackFallSilentThen) {
  Fleets fleet(40);
  fleet.plan(range(0, 40));
  EXPECT_THAT(fleet.rounds(10, range(0, 40)), IsEmpty());
  fleet.plan({});
  EXPECT_THAT(fleet.round(range(0, 40)), SizeIs(1)) << "somebody did that to all of them";
  EXPECT_TRUE(fleet.unreachable(0));
}

TEST(Reachability, TakingHostsOutOfServiceEndsNoEvent) {
  Fleets fleet(40);
  fleet.rounds(5, range(0, 10));
  fleet.plan(range(0, 8));
  EXPECT_THAT(fleet.rounds(5, range(0, 10)), IsEmpty());
  EXPECT_TRUE(fleet.unreachable(9)) << "it has not answered";
  fleet.plan(range(0, 10));
  const auto told = fleet.round(range(0, 10));
  ASSERT_THAT(told, SizeIs(1)) << "nobody is left";
  EXPECT_EQ(told[0].hosts, 0);
}

TEST(Reachability, WhatFallsSilentAfterAnEventWasGivenUpIsAnotherEvent) {
  NetworkConfig impatient;
  impatient.patience = 20;
  Fleets fleet(100, {}, impatient);
  fleet.rounds(30, range(0, 30));
  EXPECT_TRUE(fleet.observed(0).certain);
  const auto told = fleet.round(range(0, 60));
  ASSERT_THAT(told, SizeIs(1));
  EXPECT_EQ(told[0].hosts, 30);
  EXPECT_TRUE(fleet.unreachable(59));
  EXPECT_FALSE(fleet.observed(59).certain) << "it has missed one round";
  fleet.rounds(10, range(0, 60));
  EXPECT_FALSE(fleet.observed(59).certain);
}

// Patience that is shorter than it takes to call a host down.
TEST(Reachability, AHostThatFailsAloneBehindASwitchThatWasGivenUpHasFailed) {
  NetworkConfig impatient;
  impatient.patience = 20;
  Fleets fleet(40, SwitchOfHost(4, 7), impatient);
  fleet.rounds(30, range(0, 4));
  fleet.rounds(5, {1, 2, 3});
  EXPECT_THAT(fleet.rounds(5, range(0, 4)), IsEmpty());
  EXPECT_FALSE(fleet.unreachable(0));
  EXPECT_FALSE(fleet.interrupted());
}

TEST(Reachability, AClockThatIsSetMakesNoEventOlderOrYounger) {
  constexpr double years = 3e8;
  NetworkConfig impatient;
  impatient.patience = 20;
  for (const double step : {years, -years}) {
    Fleets fleet(100, SwitchOfHost(10, 7), impatient);
    fleet.rounds(10, range(0, 10));
    fleet.set_clock(step);
    EXPECT_THAT(fleet.rounds(10, range(0, 10)), IsEmpty());
    EXPECT_THAT(fleet.rounds(3, range(0, 10)), SizeIs(1)) << "now it is given up";
  }
}

TEST(Reachability, NoHostJoinsAnEventThatWasGivenUpWhileItWasYoung) {
  NetworkConfig impatient;
  impatient.patience = 0.5;
  Fleets fleet(100, {}, impatient);
  fleet.rounds(2, range(0, 20));
  EXPECT_TRUE(fleet.observed(0).certain);
  EXPECT_THAT(fleet.round(range(0, 21)), IsEmpty());
  EXPECT_FALSE(fleet.unreachable(20)) << "one that fails by itself";
}

TEST(Reachability, WhatASourceIsCertainOfHolds) {
  Fleets fleet(4);
  fleet.rounds(2, range(0, 4));
  std::vector<std::optional<Observation>> round(4, Observation{.up = false, .seen = false});
  round[1] = Observation{.up = false, .seen = false, .certain = true, .cause = "slurm"};
  Reachability reachability({}, kDownAfter, {}, std::vector<bool>(4, true));
  reachability.judge(round, 1);
  EXPECT_TRUE(round[0]->unreachable);
  EXPECT_FALSE(round[1]->unreachable);
  EXPECT_EQ(round[1]->cause, "slurm");
}

TEST(Reachability, HostsThatHaveNeverAnsweredAreNoPartOfIt) {
  Reachability reachability({}, kDownAfter, {}, std::vector<bool>(10, false));
  std::vector<std::optional<Observation>> round(10, Observation{.up = false, .seen = false});
  for (int i = 0; i < 5; ++i) EXPECT_THAT(reachability.judge(round, i), IsEmpty());
  EXPECT_FALSE(round[0]->unreachable);
}

// 1,000 hosts over a network that loses three of ten heartbeats, and one of ten in bursts.
TEST(Reachability, ALossyNetworkEndsWhenItEnds) {
  Fleets fleet(1000);
  std::minstd_rand random(7);
  for (int i = 0; i < 200; ++i) {
    std::set<std::size_t> silent;
    for (std::size_t host = 0; host < 1000; ++host) {
      if (random() % 10 < 3) silent.insert(host);
    }
    fleet.round(silent);
  }
  fleet.rounds(2, {});
  EXPECT_EQ(fleet.unreachable(), 0);
  EXPECT_THAT(fleet.rounds(5, {1, 2}), IsEmpty());
  EXPECT_FALSE(fleet.unreachable(1));
}

}  // namespace
}  // namespace tofa::health::reachability_test
