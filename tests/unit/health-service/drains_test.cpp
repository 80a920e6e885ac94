// SPDX-License-Identifier: BSD-3-Clause
// Which nodes are drained and resumed: only those that are allowed, whatever admins and Slurm do
// meanwhile.
#include "healthd/drains.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "support.hpp"

namespace tofa::health::drains_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using K = ChangeKind;

constexpr std::int64_t kUs = 990;

DrainConfig config_with(double at_most) {
  return {.mode = DrainMode::act, .above = 0.5, .resume_below = 0.2, .at_most = at_most};
}

DrainHost host(const std::string& name, double low, double probability) {
  return {.host = name,
          .node = SlurmNode{.name = name, .state = SlurmState::idle},
          .usable = true,
          .probability = probability,
          .low = low};
}

SlurmNode drained_node(const std::string& name, const std::string& reason, std::int64_t uid) {
  return {.name = name,
          .state = SlurmState::idle,
          .flags = static_cast<unsigned>(SlurmFlag::drain),
          .reason = reason,
          .uid = uid};
}

Change row(const DrainAction& action) {
  return {.uid = kUs, .kind = action.kind, .host = action.host, .reason = action.reason};
}

std::vector<std::pair<K, std::string>> names(const std::vector<DrainAction>& actions) {
  std::vector<std::pair<K, std::string>> named;
  for (const DrainAction& action : actions) named.emplace_back(action.kind, action.host);
  return named;
}

TEST(Drains, NeverDrainsUnlessConfiguredTo) {
  EXPECT_EQ(DrainConfig().mode, DrainMode::never);
  EXPECT_THAT(Drains().plan(DrainConfig(), {host("a", 1, 1)}, false), IsEmpty());
}

TEST(Drains, ThoseThatAreSureToFailMostFirstAndNoMoreThanAllowed) {
  Drains drains;
  const std::vector hosts{host("a", 0.6, 0.7), host("b", 0.4, 0.99), host("c", 0.9, 0.95),
                          host("d", 0.7, 0.8)};
  const auto actions = drains.plan(config_with(2), hosts, false);
  EXPECT_THAT(names(actions), ElementsAre(std::pair(K::drain, "c"), std::pair(K::drain, "d")));
  EXPECT_EQ(actions[0].reason, "tofa: outage within 24 h, probability at least 0.9");
  drains.apply(row(actions[0]), true);
  EXPECT_THAT(names(drains.plan(config_with(1), hosts, false)),
              ElementsAre(std::pair(K::resume, "c")))
      << "Slurm has not drained it";
  EXPECT_EQ(most_drained(config_with(0.3), 9), 2);
}

TEST(Drains, AShareOfTheFleetIsAsManyAsPeopleReckon) {
  EXPECT_EQ(most_drained(config_with(0.29), 100), 29U);
  EXPECT_EQ(most_drained(config_with(0.57), 100), 57U);
  EXPECT_EQ(most_drained(config_with(0.5), 5), 2U);
  EXPECT_EQ(most_drained(config_with(3), 5), 3U);
}

TEST(Drains, NoneWhileTheNetworkIsInterrupted) {
  Drains drains;
  EXPECT_THAT(drains.plan(config_with(9), {host("a", 0.9, 0.9)}, true), IsEmpty());
  drains.apply({.uid = kUs, .kind = K::drain, .host = "a", .reason = "r"});
  DrainHost well = host("a", 0, 0.1);
  well.node = drained_node("a", "r", kUs);
  EXPECT_THAT(drains.plan(config_with(9), {well}, true), IsEmpty()) << "none is resumed either";
  EXPECT_THAT(names(drains.plan(config_with(9), {well}, false)),
              ElementsAre(std::pair(K::resume, "a")));
}

TEST(Drains, NobodyElsesNodes) {
  DrainHost likely = host("a", 0.9, 0.9);
  for (const SlurmFlag flag : {SlurmFlag::drain, SlurmFlag::silent, SlurmFlag::fail,
                               SlurmFlag::maint, SlurmFlag::rebooting, SlurmFlag::power}) {
    likely.node =
        SlurmNode{.name = "a", .state = SlurmState::idle, .flags = static_cast<unsigned>(flag)};
    EXPECT_THAT(Drains().plan(config_with(9), {likely}, false), IsEmpty());
  }
  likely.node = SlurmNode{.name = "a", .state = SlurmState::down};
  EXPECT_THAT(Drains().plan(config_with(9), {likely}, false), IsEmpty());
  likely.node = SlurmNode{.name = "a", .state = SlurmState::idle, .reason = "watched by Ann"};
  EXPECT_THAT(Drains().plan(config_with(9), {likely}, false), IsEmpty());
  likely.node.reset();
  EXPECT_THAT(Drains().plan(config_with(9), {likely}, false), IsEmpty());
  likely = host("a", 0.9, 0.9);
  likely.usable = false;
  EXPECT_THAT(Drains().plan(config_with(9), {likely}, false), IsEmpty());
}

TEST(Drains, ResumedOnlyWhenClearlyBetterAndStillOurs) {
  Drains drains;
  drains.apply({.uid = kUs, .kind = K::drain, .host = "a", .reason = "r"});
  DrainHost at = host("a", 0.3, 0.4);
  at.node = drained_node("a", "r", kUs);
  EXPECT_THAT(drains.plan(config_with(1), {at}, false), IsEmpty()) << "between the thresholds";
  at.probability = 0.1;
  EXPECT_THAT(names(drains.plan(config_with(1), {at}, false)),
              ElementsAre(std::pair(K::resume, "a")));
  for (const auto& [reason, uid] :
       {std::pair<std::string, std::int64_t>{"r, and a fan", kUs}, {"r", 0}}) {
    Drains again;
    again.apply({.uid = kUs, .kind = K::drain, .host = "a", .reason = "r"});
    at.node = drained_node("a", reason, uid);
    const auto actions = again.plan(config_with(1), {at}, false);
    EXPECT_THAT(names(actions), ElementsAre(std::pair(K::release, "a")));
  }
}

TEST(Drains, ANodeThatOthersResumedIsLeftAloneUntilItWasWell) {
  Drains drains;
  drains.apply({.uid = kUs, .kind = K::drain, .host = "a", .reason = "r"});
  const DrainHost likely = host("a", 0.9, 0.9);
  const auto actions = drains.plan(config_with(1), {likely}, false);
  EXPECT_THAT(names(actions), ElementsAre(std::pair(K::release, "a")));
  drains.apply(row(actions[0]), true);
  EXPECT_THAT(drains.plan(config_with(1), {likely}, false), IsEmpty());
  EXPECT_THAT(drains.plan(config_with(1), {host("a", 0, 0.1)}, false), IsEmpty());
  EXPECT_THAT(names(drains.plan(config_with(1), {likely}, false)),
              ElementsAre(std::pair(K::drain, "a")));
}

TEST(Drains, ADrainThatSlurmCarriesOutLateIsOurs) {
  Drains drains;
  std::vector hosts{host("a", 0.9, 0.9), host("b", 0.8, 0.8)};
  const auto drain = drains.plan(config_with(1), hosts, false, kUs);
  ASSERT_THAT(names(drain), ElementsAre(std::pair(K::drain, "a")));
  EXPECT_FALSE(drain[0].only_noted);
  drains.apply(row(drain[0]), true);
  const auto given_up = drains.plan(config_with(1), hosts, false, kUs);
  ASSERT_THAT(names(given_up), ElementsAre(std::pair(K::resume, "a")));
  EXPECT_TRUE(given_up[0].only_noted) << "Slurm has not done it in time";
  drains.apply(row(given_up[0]), true);
  hosts[0].node = drained_node("a", drain[0].reason, kUs);
  EXPECT_THAT(names(drains.plan(config_with(1), hosts, false)),
              ElementsAre(std::pair(K::drain, "b")))
      << "of no user, so nothing is known of it";
  const auto late = drains.plan(config_with(1), hosts, true, kUs);
  ASSERT_THAT(names(late), ElementsAre(std::pair(K::drain, "a"))) << "b would be one too many";
  EXPECT_TRUE(late[0].only_noted);
  EXPECT_EQ(late[0].reason, drain[0].reason);
  drains.apply(row(late[0]), true);
  hosts[0].low = hosts[0].probability = 0.1;
  const auto resume = drains.plan(config_with(1), hosts, false, kUs);
  ASSERT_THAT(names(resume), ElementsAre(std::pair(K::resume, "a")));
  EXPECT_FALSE(resume[0].only_noted);
}

TEST(Drains, OthersDrainsAreNotTakenForLateOnes) {
  DrainHost at = host("a", 0, 0.1);
  for (const auto& node : {drained_node("a", "tofa: by hand", 0), drained_node("a", "fan", kUs)}) {
    at.node = node;
    EXPECT_THAT(Drains().plan(config_with(1), {at}, false, kUs), IsEmpty());
  }
  Drains drains;
  drains.apply({.uid = kUs, .kind = K::drain, .host = "a", .reason = "tofa: r"});
  drains.apply({.uid = kUs, .kind = K::release, .host = "a", .reason = "tofa: r"});
  at.node = drained_node("a", "tofa: r, and a fan", kUs);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(drains.plan(config_with(1), {at}, false, kUs), IsEmpty()) << "given up";
  }
}

Change merge(const std::string& host, const std::string& into) {
  return {.kind = K::merge, .host = host, .into = into};
}

TEST(Drains, AHostWithAnotherNameGoesOnBeingDrained) {
  for (const bool noted_before : {false, true}) {
    Drains drains;
    drains.apply({.time = 5, .uid = kUs, .kind = K::drain, .host = "old", .reason = "tofa: r"});
    std::vector hosts{host("new", 0.3, 0.4), host("b", 0.9, 0.9)};
    hosts[0].node = drained_node("new", "tofa: r", kUs);
    const auto late = drains.plan(config_with(1), hosts, false, kUs);
    ASSERT_THAT(names(late), ElementsAre(std::pair(K::drain, "new"))) << "one place, not two";
    if (noted_before) drains.apply(row(late[0]), true);
    drains.apply(merge("old", "new"), true);
    ASSERT_EQ(drains.drained().size(), 1) << "counted once";
    EXPECT_EQ(drains.drained().begin()->first, "new");
    EXPECT_THAT(drains.plan(config_with(1), hosts, false, kUs), IsEmpty());
    EXPECT_EQ(drains.standings(config_with(1), hosts, false, kUs)[1].state, DrainState::limited);
    EXPECT_THAT(names(drains.plan(config_with(2), hosts, false, kUs)),
                ElementsAre(std::pair(K::drain, "b")));
    hosts[0].probability = 0.1;
    EXPECT_THAT(names(drains.plan(config_with(1), hosts, false, kUs)),
                ElementsAre(std::pair(K::resume, "new")));
  }
}

TEST(Drains, WhatOthersDecidedHoldsUnderAnotherNameToo) {
  Drains drains;
  drains.apply({.uid = kUs, .kind = K::drain, .host = "old", .reason = "r"});
  drains.apply({.uid = kUs, .kind = K::release, .host = "old", .reason = "r"});
  drains.apply(merge("old", "new"));
  EXPECT_THAT(drains.plan(config_with(1), {host("new", 0.9, 0.9)}, false), IsEmpty());
  // A name that is used again is that of another host.
  EXPECT_THAT(names(drains.plan(config_with(1), {host("old", 0.9, 0.9)}, false)),
              ElementsAre(std::pair(K::drain, "old")));
  // What was decided about the new name itself is newer.
  drains.apply({.uid = kUs, .kind = K::drain, .host = "older", .reason = "r"});
  drains.apply(merge("older", "new"));
  EXPECT_THAT(drains.drained(), IsEmpty());
}

TEST(Drains, AHostThatIsNoLongerConfiguredKeepsNoPlace) {
  Drains drains;
  drains.apply({.uid = kUs, .kind = K::drain, .host = "gone", .reason = "r"});
  const std::vector hosts{host("a", 0.9, 0.9)};
  EXPECT_EQ(drains.standings(config_with(1), hosts, false)[0].state, DrainState::to_drain);
  EXPECT_THAT(names(drains.plan(config_with(1), hosts, false)),
              ElementsAre(std::pair(K::drain, "a")));
  EXPECT_TRUE(drains.drained().contains("gone")) << "it is still known, should it come back";
  std::vector both{host("gone", 0.6, 0.7), hosts[0]};
  both[0].node = drained_node("gone", "r", kUs);
  EXPECT_THAT(drains.plan(config_with(1), both, false), IsEmpty());
}

// Of all of them, from the first case on.
int any_below(int end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, end));
}

// Slurm, admins and a daemon that is started again at times.
class World {
 public:
  World(std::size_t hosts, double at_most) : config_(config_with(at_most)) {
    for (std::size_t i = 0; i < hosts; ++i) hosts_.push_back(host(std::to_string(i), 0, 0));
  }

  void step() {
    for (DrainHost& at : hosts_) disturb(at);
    if (any_below(8) == 0) restart();
    const bool interrupted = any_below(5) == 0;
    std::vector<DrainHost> seen = hosts_;
    const auto actions = drains_.plan(config_, seen, interrupted, kUs);
    check_what_is_told(actions, drains_.standings(config_, seen, interrupted, kUs));
    for (const DrainAction& action : actions) {
      carry_out(action, interrupted);
    }
    std::size_t ours = 0;
    for (const DrainHost& at : hosts_)
      ours += is_drained_by(*at.node, at.node->reason, kUs) ? 1 : 0;
    RC_ASSERT(ours <= most_drained(config_, hosts_.size()));
  }

 private:
  void disturb(DrainHost& at) {
    if (any_below(2) == 0) {
      at.probability = any_below(101) / 100.0;
      at.low = at.probability * any_below(101) / 100.0;
    }
    at.usable = any_below(6) != 0;
    const int admin = any_below(12);
    if (admin == 0) at.node = drained_node(at.host, "fan", 0);
    if (admin == 1) at.node = SlurmNode{.name = at.host, .state = SlurmState::idle};
  }

  void restart() {
    drains_ = Drains();
    for (const Change& change : rows_) drains_.apply(change);
  }

  void note(const DrainAction& action) {
    rows_.push_back(row(action));
    drains_.apply(rows_.back(), true);
  }

  // What is said to be done next is what is done, and no other host is said to be drained.
  void check_what_is_told(const std::vector<DrainAction>& actions,
                          const std::vector<DrainStanding>& told) const {
    RC_ASSERT(told.size() == hosts_.size());
    std::set<std::pair<K, std::string>> next;
    for (const DrainAction& action : actions) {
      if (!action.only_noted && action.kind != K::release) next.emplace(action.kind, action.host);
    }
    for (const DrainStanding& host : told) {
      RC_ASSERT(next.contains({K::drain, host.host}) == (host.state == DrainState::to_drain));
      RC_ASSERT(next.contains({K::resume, host.host}) == (host.state == DrainState::to_resume));
      if (host.state == DrainState::none) RC_ASSERT(!drains_.drained().contains(host.host));
      RC_ASSERT(!host.why.empty());
    }
  }

  void carry_out(const DrainAction& action, bool interrupted) {
    DrainHost& at = hosts_.at(std::stoul(action.host));
    const bool refused = any_below(5) == 0;
    if (action.kind == K::drain) {
      RC_ASSERT(!interrupted && at.usable && at.low > config_.above && may_be_drained(*at.node));
      note(action);
      if (!refused) at.node = drained_node(at.host, action.reason, kUs);
    } else if (action.kind == K::resume && !action.only_noted) {
      RC_ASSERT(!interrupted && at.usable && at.probability < config_.resume_below);
      RC_ASSERT(is_drained_by(*at.node, action.reason, kUs));
      if (refused) return;
      at.node = SlurmNode{.name = at.host, .state = SlurmState::idle};
      note(action);
    } else {
      RC_ASSERT(!is_drained_by(*at.node, action.reason, kUs));
      note(action);
    }
  }

  DrainConfig config_;
  Drains drains_;
  std::vector<DrainHost> hosts_;
  std::vector<Change> rows_;
};

TEST(Drains, WhateverHappensNeverTooManyAndNeverOthers) {
  EXPECT_TRUE(rc::check([] {
    World world(1 + static_cast<std::size_t>(any_below(5)), *rc::gen::element(1.0, 2.0, 0.5));
    const int steps = 1 + any_below(30);
    for (int i = 0; i < steps; ++i) world.step();
  }));
}

TEST(Drains, WhatStaysAsItIsIsDecidedOnce) {
  EXPECT_TRUE(rc::check([] {
    const double probability = any_below(101) / 100.0;
    DrainHost at = host("a", probability * any_below(101) / 100.0, probability);
    Drains drains;
    std::size_t changes = 0;
    for (int i = 0; i < 5; ++i) {
      for (const DrainAction& action : drains.plan(config_with(1), {at}, false)) {
        ++changes;
        drains.apply(row(action), true);
        at.node = action.kind == K::drain ? drained_node("a", action.reason, kUs)
                                          : SlurmNode{.name = "a", .state = SlurmState::idle};
      }
    }
    RC_ASSERT(changes <= 1);
  }));
}

std::vector<DrainState> states(const std::vector<DrainStanding>& told) {
  std::vector<DrainState> states;
  for (const DrainStanding& host : told) states.push_back(host.state);
  return states;
}

TEST(DrainStandings, SayWhyForEachHost) {
  Drains drains;
  drains.apply({.time = 7, .uid = kUs, .kind = K::drain, .host = "d", .reason = "r"});
  drains.apply({.time = 8, .uid = kUs, .kind = K::drain, .host = "w", .reason = "r"});
  std::vector hosts{host("well", 0.1, 0.2), host("likely", 0.7, 0.8), host("more", 0.8, 0.9),
                    host("fan", 0.9, 0.9),  host("d", 0.6, 0.7),      host("w", 0, 0.1),
                    host("down", 0.9, 1)};
  hosts[3].node = drained_node("fan", "fan\nbroken", 0);
  hosts[3].node->by = "root";
  hosts[4].node = drained_node("d", "r", kUs);
  hosts[5].node = drained_node("w", "r", kUs);
  hosts[6].usable = false;
  const auto told = drains.standings(config_with(3), hosts, false, kUs);
  using S = DrainState;
  EXPECT_THAT(states(told), ElementsAre(S::none, S::limited, S::to_drain, S::others, S::drained,
                                        S::to_resume, S::none));
  EXPECT_EQ(told[0].why, "its probability is not surely above 0.5");
  EXPECT_EQ(told[1].why, "as many are drained as drain_at_most allows, 3");
  EXPECT_EQ(told[2].why, "its probability is surely above 0.5");
  EXPECT_EQ(told[3].why, "Slurm has a reason for it by root: fan broken");
  EXPECT_EQ(told[4].why, "its probability is not below 0.2");
  EXPECT_EQ(told[4].since, 7);
  EXPECT_EQ(told[4].reason, "r");
  EXPECT_EQ(told[5].why, "its probability is below 0.2");
  EXPECT_EQ(told[6].why, "it is down, or out of service on purpose");
  EXPECT_THAT(states(drains.standings(config_with(3), hosts, true, kUs)),
              ElementsAre(S::none, S::held, S::held, S::others, S::drained, S::held, S::none));
  for (const DrainStanding& host : drains.standings(DrainConfig(), hosts, false)) {
    EXPECT_EQ(host.state, host.since > 0 ? S::drained : S::none) << host.host;
  }
}

TEST(DrainStandings, AreToldInOneForm) {
  DrainBoard board{.config = config_with(2), .asked = 5, .most = 2, .trouble = "Slurm is away"};
  board.hosts = {{.host = "a", .state = DrainState::none, .why = "well"},
                 {.host = "b",
                  .state = DrainState::drained,
                  .probability = 0.9,
                  .low = 0.8,
                  .since = 3,
                  .reason = "tofa: x",
                  .why = "y"}};
  const auto all = nlohmann::json::parse(format_drains(board, {}));
  EXPECT_EQ(all, nlohmann::json::parse(R"({"version":1,"mode":"do","above":0.5,"resume_below":0.2,
      "horizon":86400.0,"most":2,"asked":5.0,"trouble":"Slurm is away","hosts":[{"host":"b",
      "state":"drained","probability":0.9,"low":0.8,"since":3.0,"reason":"tofa: x","why":"y"}]})"));
  const auto asked = nlohmann::json::parse(format_drains(board, {"c", "a"}))["hosts"];
  ASSERT_EQ(asked.size(), 2);
  EXPECT_EQ(asked[0]["why"], "Slurm has not been heard about it yet");
  EXPECT_EQ(asked[1]["why"], "well");
  EXPECT_EQ(nlohmann::json::parse(format_drains({}, {"c"}))["hosts"][0]["why"],
            "drain = \"never\"");
  Snapshot snapshot{1, 1, {{"a", 0, 1}, {"b", 0, 1}}, {}};
  mark_drains(board, snapshot);
  EXPECT_FALSE(snapshot.hosts[0].drain);
  EXPECT_EQ(snapshot.hosts[1].drain, (HostDrain{"drained", 3, "tofa: x", "y"}));
}

}  // namespace
}  // namespace tofa::health::drains_test
