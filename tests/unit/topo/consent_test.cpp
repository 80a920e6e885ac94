// SPDX-License-Identifier: BSD-3-Clause
// All orders in which processes can make a call, hear of each other and give up: all end, and all
// processes do the same.
#include "consent.h"

#include <gmock/gmock.h>

#include <set>
#include <utility>
#include <vector>

namespace {

using testing::ElementsAre;

struct Answers {
  std::vector<std::pair<int, bool>> list;
  static void add(void* context, int other, bool all) {
    static_cast<Answers*>(context)->list.emplace_back(other, all);
  }
};

TEST(Consent, EachThatIsReadyGetsOneAnswer) {
  Answers answers;
  std::vector<unsigned char> told(2);
  consent consent;
  consent_begin(&consent, 2, told.data(), Answers::add, &answers);
  consent_ready(&consent, 1);
  consent_ready(&consent, 1);
  EXPECT_TRUE(answers.list.empty());
  EXPECT_EQ(consent_missing(&consent), 0);
  consent_ready(&consent, 0);
  EXPECT_EQ(consent.verdict, CONSENT_ALL);
  EXPECT_EQ(consent_missing(&consent), -1);
  consent_give_up(&consent);
  EXPECT_THAT(answers.list, ElementsAre(std::pair(0, true), std::pair(1, true)));
}

TEST(Consent, LatecomersAreToldThatRankZeroHasGivenUp) {
  Answers answers;
  std::vector<unsigned char> told(2);
  consent consent;
  consent_begin(&consent, 2, told.data(), Answers::add, &answers);
  consent_ready(&consent, 1);
  consent_give_up(&consent);
  consent_give_up(&consent);
  EXPECT_THAT(answers.list, ElementsAre(std::pair(1, false)));
  consent_ready(&consent, 0);
  consent_ready(&consent, 0);
  EXPECT_THAT(answers.list, ElementsAre(std::pair(1, false), std::pair(0, false)));
}

TEST(Consent, AloneThereIsNobodyToAsk) {
  Answers answers;
  consent consent;
  consent_begin(&consent, 0, nullptr, Answers::add, &answers);
  EXPECT_EQ(consent.verdict, CONSENT_ALL);
}

enum Step { coming, asking, own_way, reordering, over };

// A process, in one of the calls on the communicator after another.
struct Process {
  int call = 0;
  Step step = coming;
  auto operator<=>(const Process&) const = default;
};

// What other processes do in each call: those that know that rank 0 has the component are ready.
using Readiness = std::vector<std::vector<bool>>;  // [call][other]

struct World {
  std::vector<Process> others;
  Process root;
  std::vector<int> sent;            // messages to rank 0 that it has not taken, by other process
  std::vector<unsigned char> told;  // of the consent of rank 0's call
  consent_verdict verdict = CONSENT_OPEN;
  std::vector<std::set<Step>> ways;  // that were taken in each call
  auto operator<=>(const World&) const = default;
};

class Model {
 public:
  Model(Readiness readiness, bool root_has) : ready_(std::move(readiness)), root_has_(root_has) {
    World world;
    const std::size_t others = ready_.front().size();
    world.others.resize(others);
    world.sent.resize(others);
    world.told.resize(others);
    world.ways.resize(ready_.size());
    explore(world);
  }

  int ends = 0, reordered = 0;

 private:
  void explore(const World& world) {
    if (!seen_.insert(world).second) return;
    bool moved = false;
    const auto go_on = [&](const World& next) {
      moved = true;
      explore(next);
    };
    move_root(world, go_on);
    for (std::size_t i = 0; i < world.others.size(); ++i) move_other(world, i, go_on);
    if (!moved) check_end(world);
  }

  void check_end(const World& world) {
    ++ends;
    EXPECT_EQ(world.root.step, over);
    for (const Process& other : world.others) EXPECT_EQ(other.step, over);
    for (const auto& ways : world.ways) EXPECT_EQ(ways.size(), 1U);
    for (const int sent : world.sent) EXPECT_EQ(sent, 0) << "a message that nobody takes";
    if (world.ways.back().count(reordering) > 0) ++reordered;
  }

  template <class GoOn>
  void move_root(const World& world, const GoOn& go_on) {
    World next = world;
    Process& root = next.root;
    if (root.step == coming) {
      next.told.assign(next.told.size(), 0);
      next.verdict = CONSENT_OPEN;
      take(next, root, root_has_ ? asking : own_way);
      go_on(next);
      return;
    }
    if (!root_has_) return finish(world, next, root, go_on);
    if (root.step == asking) {
      with_consent(next, [](consent& consent) { consent_give_up(&consent); });
      go_on(next);  // at any time
    }
    for (std::size_t i = 0; i < world.sent.size() && root.step != over; ++i) {
      if (world.sent[i] == 0 || world.told[i] != 0) continue;
      next = world;
      --next.sent[i];
      with_consent(next, [i](consent& consent) { consent_ready(&consent, static_cast<int>(i)); });
      go_on(next);
    }
    next = world;
    finish(world, next, next.root, go_on);
  }

  template <class GoOn>
  void move_other(const World& world, std::size_t i, const GoOn& go_on) {
    World next = world;
    Process& other = next.others[i];
    if (other.step != coming) return finish(world, next, other, go_on);
    const bool ready = root_has_ && ready_[static_cast<std::size_t>(other.call)][i];
    if (ready) ++next.sent[i];
    take(next, other, ready ? asking : own_way);
    go_on(next);
  }

  static void take(World& world, Process& process, Step step) {
    process.step = step;
    if (step != asking) world.ways[static_cast<std::size_t>(process.call)].insert(step);
  }

  template <class Change>
  static void with_consent(World& world, const Change& change) {
    struct consent consent = {};
    consent.others = static_cast<int>(world.told.size());
    consent.told = world.told.data();
    for (const unsigned char told : world.told) consent.ready += told;
    consent.verdict = world.verdict;
    consent.context = &world;
    consent.answer = [](void* context, int other, bool all) {
      World& answered = *static_cast<World*>(context);
      Process& process = answered.others[static_cast<std::size_t>(other)];
      EXPECT_EQ(process.step, asking) << "an answer that nobody waits for";
      take(answered, process, all ? reordering : own_way);
    };
    change(consent);
    world.verdict = consent.verdict;
    if (world.root.step != asking || world.verdict == CONSENT_OPEN) return;
    take(world, world.root, world.verdict == CONSENT_ALL ? reordering : own_way);
  }

  // Both ways end for a process when all have come as far.
  template <class GoOn>
  void finish(const World& world, World& next, Process& process, const GoOn& go_on) {
    if (process.step != own_way && process.step != reordering) return;
    const auto has_come = [&](const Process& each) {
      return each.call > process.call ||
             (each.call == process.call && each.step != coming && each.step != asking);
    };
    if (!has_come(world.root)) return;
    for (const Process& other : world.others)
      if (!has_come(other)) return;
    ++process.call;
    process.step = coming;
    if (process.call == static_cast<int>(ready_.size())) {
      --process.call;
      process.step = over;
    }
    go_on(next);
  }

  Readiness ready_;
  bool root_has_;
  std::set<World> seen_;
};

TEST(Consent, WhateverProcessesKnowAllDoTheSame) {
  for (const bool root_has : {true, false}) {
    for (int known = 0; known < 8; ++known) {
      const std::vector<bool> ready = {(known & 1) != 0, (known & 2) != 0, (known & 4) != 0};
      const Model model({ready}, root_has);
      EXPECT_GT(model.ends, 0);
      EXPECT_EQ(model.reordered > 0, root_has && known == 7) << known;
    }
  }
}

TEST(Consent, CallsOnOneCommunicatorDoNotMixUp) {
  for (int known = 0; known < 16; ++known) {
    const Readiness ready = {{(known & 1) != 0, (known & 2) != 0},
                             {(known & 4) != 0, (known & 8) != 0}};
    const Model model(ready, true);
    EXPECT_GT(model.ends, 0);
    EXPECT_EQ(model.reordered > 0, (known & 12) == 12) << known;
  }
}

}  // namespace
