// SPDX-License-Identifier: BSD-3-Clause
// All orders in which processes can make a call, hear of each other and give up: all end, and all
// processes do the same.
#include "consent.h"

#include "../topology_tags.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

namespace tofa::consent_test {
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
  EXPECT_FALSE(consent_is_ready(&consent, 0));
  consent_ready(&consent, 0);
  EXPECT_EQ(consent.verdict, CONSENT_ALL);
  EXPECT_TRUE(consent_is_ready(&consent, 0));
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

TEST(Consent, WithoutMemoryAllThatAreReadyAreRefused) {
  Answers answers;
  consent consent;
  consent_begin(&consent, 2, nullptr, Answers::add, &answers);
  EXPECT_EQ(consent.verdict, CONSENT_NOT_ALL);
  consent_ready(&consent, 1);
  consent_give_up(&consent);
  consent_ready(&consent, 0);
  EXPECT_FALSE(consent_is_ready(&consent, 0));
  EXPECT_THAT(answers.list, ElementsAre(std::pair(1, false), std::pair(0, false)));
}

TEST(TopologyTags, AreFarFromCollectivesAndWithinTheBitsOfNetworks) {
  constexpr int far = 1 << 16, first = -27, last = -(1 << 30);
  for (int number = first; number > last; number -= 131101) {
    const topology_tags tags = topology_tags_of(number);
    const int gone_by = -(static_cast<int>(0U - static_cast<unsigned>(number)) & 0xffffff);
    for (const int tag : {tags.question, tags.answer}) {
      ASSERT_TRUE(is_topology_tag(tag)) << number;
      ASSERT_GT(tag, -(1 << 23)) << number;
      ASSERT_GT(std::abs(tag - number), far) << number;
      ASSERT_GT(std::abs(tag - gone_by), far) << number << ": where a network keeps 24 bits of it";
    }
    ASSERT_NE(tags.question, tags.answer);
    ASSERT_EQ(tags.answer, topology_tags_of(number).answer);
    for (const int step : {1, 2, 3, 6, TOPOLOGY_QUESTIONS - 1})
      ASSERT_NE(topology_tags_of(number - step).question, tags.question);
  }
  EXPECT_FALSE(is_topology_tag(-27));
}

enum Step { coming, asking, own_way, reordering, over };

// A process, in one of the calls on the communicator after another.
struct Process {
  int call = 0;
  Step step = coming;
  auto operator<=>(const Process&) const = default;
};

// What processes do in each call: those that are to reorder, and know that rank 0 has the
// component, are ready. Rank 0 comes first.
using Readiness = std::vector<std::vector<bool>>;  // [call][process]

enum class Root { lacks, patient, gives_up };  // the component; it gives up at any time

struct World {
  std::vector<Process> others;
  Process root;
  std::vector<int> asked;           // the question to rank 0 that it has not taken, by process; 0
  std::vector<unsigned char> told;  // of the consent of rank 0's call
  consent_verdict verdict = CONSENT_OPEN;
  std::vector<std::set<Step>> ways;  // that were taken in each call
  auto operator<=>(const World&) const = default;
};

class Model {
 public:
  Model(Readiness readiness, Root kind) : ready_(std::move(readiness)), kind_(kind) {
    World world;
    const std::size_t others = ready_.front().size() - 1;
    world.others.resize(others);
    world.asked.resize(others);
    world.told.resize(others);
    world.ways.resize(ready_.size());
    all_ways.resize(ready_.size());
    explore(world);
  }

  int ends = 0;
  std::vector<std::set<Step>> all_ways;  // of each call

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
    for (const int asked : world.asked) EXPECT_EQ(asked, 0) << "a message that nobody takes";
    for (std::size_t call = 0; call < world.ways.size(); ++call)
      all_ways[call].insert(world.ways[call].begin(), world.ways[call].end());
  }

  bool is_ready(const Process& process, std::size_t number) const {
    return kind_ != Root::lacks && ready_[static_cast<std::size_t>(process.call)][number];
  }

  // As Open MPI's tags: three collectives in each call.
  static int question_of(const Process& process) {
    return topology_tags_of(-27 - 3 * process.call).question;
  }

  template <class GoOn>
  void move_root(const World& world, const GoOn& go_on) {
    World next = world;
    Process& root = next.root;
    if (root.step == coming) {
      next.told.assign(next.told.size(), 0);
      next.verdict = CONSENT_OPEN;
      take(next, root, kind_ == Root::lacks ? own_way : asking);
      if (!is_ready(root, 0)) give_up(next);
      go_on(next);
      return;
    }
    if (kind_ == Root::lacks) return finish(world, next, root, go_on);
    if (root.step == asking && (kind_ == Root::gives_up || hopeless(world))) {
      give_up(next);
      go_on(next);
    }
    for (std::size_t i = 0; i < world.asked.size() && root.step != over; ++i) {
      if (world.asked[i] != question_of(world.root)) continue;
      next = world;
      next.asked[i] = 0;
      with_consent(next, [i](consent& consent) { consent_ready(&consent, static_cast<int>(i)); });
      go_on(next);
    }
    next = world;
    finish(world, next, next.root, go_on);
  }

  static void give_up(World& world) {
    with_consent(world, [](consent& consent) { consent_give_up(&consent); });
  }

  // Some process has taken Open MPI's way already: rank 0 would wait in vain.
  static bool hopeless(const World& world) {
    return world.ways[static_cast<std::size_t>(world.root.call)].count(own_way) > 0;
  }

  template <class GoOn>
  void move_other(const World& world, std::size_t i, const GoOn& go_on) {
    World next = world;
    Process& other = next.others[i];
    if (other.step != coming) return finish(world, next, other, go_on);
    const bool ready = is_ready(other, i + 1);
    if (ready) {
      EXPECT_EQ(next.asked[i], 0) << "two questions of one process";
      next.asked[i] = question_of(other);
    }
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
  Root kind_;
  std::set<World> seen_;
};

// All ways in which `calls` calls can be made by `processes`.
std::vector<Readiness> all_readiness(std::size_t calls, std::size_t processes) {
  std::vector<Readiness> all;
  for (unsigned bits = 0; bits < 1U << (calls * processes); ++bits) {
    Readiness readiness(calls, std::vector<bool>(processes));
    for (std::size_t i = 0; i < calls * processes; ++i)
      readiness[i / processes][i % processes] = (bits >> i & 1U) != 0;
    all.push_back(readiness);
  }
  return all;
}

bool all_are_ready(const std::vector<bool>& call) {
  return std::find(call.begin(), call.end(), false) == call.end();
}

// Whatever processes know and are asked for, and whoever is through with the first call before
// others: those of the second reorder exactly where all of them are ready, if rank 0 is patient.
TEST(Consent, AllProcessesDoTheSameAndCallsDoNotMixUp) {
  for (const std::size_t calls : {1U, 2U}) {
    for (const Readiness& readiness : all_readiness(calls, 3)) {
      for (const Root kind : {Root::lacks, Root::patient, Root::gives_up}) {
        const Model model(readiness, kind);
        EXPECT_GT(model.ends, 0);
        for (std::size_t call = 0; call < calls; ++call) {
          const bool possible = kind != Root::lacks && all_are_ready(readiness[call]);
          const bool certain = possible && kind == Root::patient;
          EXPECT_EQ(model.all_ways[call].count(reordering), possible)
              << testing::PrintToString(readiness);
          EXPECT_EQ(model.all_ways[call].count(own_way), !certain)
              << testing::PrintToString(readiness);
        }
      }
    }
  }
}

TEST(Consent, FourProcessesDoTheSame) {
  for (const Readiness& readiness : all_readiness(1, 4)) {
    const Model model(readiness, Root::gives_up);
    EXPECT_GT(model.ends, 0);
    EXPECT_EQ(model.all_ways[0].count(reordering), all_are_ready(readiness[0]));
  }
}

}  // namespace
}  // namespace tofa::consent_test
