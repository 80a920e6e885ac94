// SPDX-License-Identifier: BSD-3-Clause
// What is held comes back as it was, also where little room is left, or the hosts are others.
#include "healthd/held_rounds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace tofa::health::held_rounds_test {
namespace {

const Observation kUp{};
const Observation kDown{.up = false, .seen = false, .certain = true, .cause = "folder a: fan"};
constexpr auto kNothing = std::nullopt;

std::vector<std::pair<double, ObservedRound>> take_all(HeldRounds& held,
                                                       std::vector<std::string>& causes) {
  std::vector<std::pair<double, ObservedRound>> rounds;
  while (!held.empty()) {
    HeldRounds::Round round = held.take();
    for (const auto& host : round.hosts) causes.emplace_back(host ? host->cause : "");
    for (auto& host : round.hosts) {
      if (host) host->cause = {};  // belongs to the next call
    }
    rounds.emplace_back(round.time, std::move(round.hosts));
  }
  return rounds;
}

TEST(HeldRounds, ComeBackInTheirOrder) {
  HeldRounds held;
  const std::vector<ObservedRound> rounds{
      {kUp, kNothing}, {kUp, kNothing}, {kDown, kUp}, {kNothing, kUp}, {kUp, kDown}};
  for (std::size_t i = 0; i < rounds.size(); ++i) held.add(rounds[i], 10.0 + double(i));
  EXPECT_EQ(held.size(), rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) {
    const HeldRounds::Round round = held.take();
    EXPECT_EQ(round.time, 10.0 + double(i));
    EXPECT_EQ(round.hosts, rounds[i]);
  }
  EXPECT_TRUE(held.empty());
}

TEST(HeldRounds, CausesOutliveTheirReports) {
  HeldRounds held;
  {
    std::string cause = "folder a: the fan of this node is broken";
    Observation observation = kDown;
    observation.cause = cause;
    held.add({observation}, 1);
    cause.assign(cause.size(), 'x');
  }
  held.add({kUp}, 2);
  EXPECT_EQ(held.take().hosts[0]->cause, "folder a: the fan of this node is broken");
  EXPECT_EQ(held.take().hosts[0]->cause, "");
}

TEST(HeldRounds, OnlyWhatDiffersTakesRoom) {
  HeldRounds held(/*most_observations=*/1'000'000, /*most_changes=*/3);
  for (int round = 0; round < 1000; ++round) held.add({kUp, kUp}, round);
  EXPECT_EQ(held.size(), 1000);
  EXPECT_EQ(held.dropped(), 0);
}

TEST(HeldRounds, TheOldestGoWhereThereAreTooMany) {
  HeldRounds held(/*most_observations=*/6, /*most_changes=*/100);
  held.add({kUp, kUp}, 1);
  held.add({kDown, kUp}, 2);
  for (int round = 3; round < 6; ++round) held.add({kDown, kDown}, round);
  EXPECT_EQ(held.dropped(), 2);
  ASSERT_EQ(held.size(), 3);
  const HeldRounds::Round first = held.take();
  EXPECT_EQ(first.time, 3);
  EXPECT_EQ(first.hosts, (ObservedRound{kDown, kDown})) << "not only what differs from a lost one";
  EXPECT_EQ(held.dropped(), 2) << "one that is taken is not lost";
}

TEST(HeldRounds, TheOldestGoWhereTheyDifferTooMuch) {
  HeldRounds held(/*most_observations=*/1000, /*most_changes=*/4);
  for (int round = 0; round < 10; ++round) held.add({round % 2 == 0 ? kUp : kDown}, round);
  EXPECT_EQ(held.size(), 4);
  EXPECT_EQ(held.take().time, 6);
}

TEST(HeldRounds, OneRoundAlwaysHasRoom) {
  HeldRounds held(1, 1);
  held.add({kUp, kDown, kUp}, 1);
  EXPECT_EQ(held.take().hosts, (ObservedRound{kUp, kDown, kUp}));
  held.add({kDown}, 2);  // other hosts, once it was empty
  EXPECT_EQ(held.dropped(), 0);
  EXPECT_EQ(held.take().hosts, ObservedRound{kDown});
}

TEST(HeldRounds, FollowHostsToTheirNewPlaces) {
  HeldRounds held;
  held.add({kUp, kDown, kUp}, 1);
  held.add({kDown, kDown, kNothing}, 2);
  held.take_over({2, kNothing, 0});  // the second is gone, and another one has its place
  held.add({kUp, kUp, kUp}, 3);
  EXPECT_EQ(held.take().hosts, (ObservedRound{kUp, kNothing, kUp}));
  EXPECT_EQ(held.take().hosts, (ObservedRound{kNothing, kNothing, kDown}));
  EXPECT_EQ(held.take().hosts, (ObservedRound{kUp, kUp, kUp}));
}

RC_GTEST_PROP(HeldRounds, AreWhatWasAdded, ()) {
  const auto words = *rc::gen::container<std::vector<std::vector<int>>>(
      rc::gen::container<std::vector<int>>(3, rc::gen::inRange(0, 4)));
  HeldRounds held;
  std::vector<ObservedRound> rounds;
  std::vector<std::string> expected;
  double time = 0;
  for (const auto& word : words) {
    ObservedRound round;
    for (const int kind : word) {
      std::optional<Observation> host;
      if (kind > 0) host = Observation{.up = kind == 1, .boot = std::uint64_t(kind)};
      if (host && kind == 3) host->cause = "slurm";
      expected.emplace_back(host ? host->cause : "");
      round.push_back(host);
    }
    held.add(round, ++time);
    for (auto& host : round) {
      if (host) host->cause = {};
    }
    rounds.push_back(std::move(round));
  }
  std::vector<std::string> causes;
  const auto taken = take_all(held, causes);
  RC_ASSERT(causes == expected);
  RC_ASSERT(taken.size() == rounds.size());
  for (std::size_t i = 0; i < rounds.size(); ++i) RC_ASSERT(taken[i].second == rounds[i]);
}

}  // namespace
}  // namespace tofa::health::held_rounds_test
