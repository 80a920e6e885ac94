// SPDX-License-Identifier: BSD-3-Clause
// Whatever the disk does, it does in the order in which it was asked to, and no snapshot comes
// before what it shows.
#include "healthd/write_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

namespace tofa::health::write_queue_test {
namespace {

SaveBatch batch_at(double round) {
  return {.transitions = {{"a", false, round}}, .last_round = round};
}

Publication snapshot_at(double time) {
  return {{.time = time, .hosts = {}, .outages = {}, .warnings = {}}, "snapshot.json"};
}

const StoreTask kTask = [](Store&) {};

TEST(WriteQueue, WhatWaitsBecomesOneStep) {
  WriteQueue queue;
  EXPECT_TRUE(queue.empty());
  for (double round : {1.0, 2.0, 3.0}) {
    queue.save(batch_at(round));
    queue.publish(snapshot_at(round));
  }
  const WriteQueue::Step step = queue.take();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(step.number, 6);
  ASSERT_TRUE(step.batch && step.publication);
  EXPECT_EQ(step.batch->transitions.size(), 3);
  EXPECT_EQ(step.batch->last_round, 3);
  EXPECT_EQ(step.publication->snapshot.time, 3);
  EXPECT_FALSE(step.task);
}

TEST(WriteQueue, NothingOvertakesATask) {
  WriteQueue queue;
  queue.save(batch_at(1));
  const std::uint64_t number = queue.run(kTask);
  queue.publish(snapshot_at(2));
  queue.save(batch_at(2));
  WriteQueue::Step step = queue.take();
  EXPECT_EQ(step.number, number);
  EXPECT_EQ(step.batch->last_round, 1);
  EXPECT_TRUE(step.task);
  EXPECT_FALSE(step.publication);
  step = queue.take();
  EXPECT_EQ(step.batch->last_round, 2);
  EXPECT_TRUE(queue.empty());
}

TEST(WriteQueue, ATaskCanBeTakenBackUntilItIsBegun) {
  WriteQueue queue;
  const std::uint64_t save = queue.save(batch_at(1));
  const std::uint64_t task = queue.run(kTask);
  EXPECT_FALSE(queue.withdraw(save));
  EXPECT_TRUE(queue.withdraw(task));
  EXPECT_FALSE(queue.withdraw(task));
  const WriteQueue::Step step = queue.take();
  EXPECT_TRUE(step.batch);
  EXPECT_FALSE(step.task);
  const std::uint64_t begun = queue.run(kTask);
  queue.take();
  EXPECT_FALSE(queue.withdraw(begun));
}

TEST(WriteQueue, WhatCouldNotBeSavedGoesWithTheNext) {
  WriteQueue queue;
  queue.save(batch_at(1));
  queue.give_back(*queue.take().batch);
  EXPECT_TRUE(queue.empty()) << "it is not tried again by itself";
  queue.publish(snapshot_at(1));
  EXPECT_FALSE(queue.take().batch);
  queue.save(batch_at(2));
  WriteQueue::Step step = queue.take();
  ASSERT_EQ(step.batch->transitions.size(), 2);
  EXPECT_EQ(step.batch->transitions[0].time, 1);
  // Also where more has been handed over meanwhile.
  queue.save(batch_at(3));
  queue.give_back(*std::move(step.batch));
  step = queue.take();
  ASSERT_EQ(step.batch->transitions.size(), 3);
  EXPECT_EQ(step.batch->transitions[0].time, 1);
  EXPECT_EQ(step.batch->transitions[2].time, 3);
  EXPECT_EQ(step.batch->last_round, 3);
}

// One who hands over batches and snapshots of the same round, runs tasks, takes some back, and
// takes steps, of which some cannot be saved, as it comes.
TEST(WriteQueue, PublishedIsSaved) {
  const bool holds = rc::check([](const std::vector<unsigned char>& deeds) {
    WriteQueue queue;
    double round = 0;
    std::set<double> saved;
    bool refused = false;  // and nothing has been saved since
    for (const unsigned char deed : deeds) {
      switch (deed % 5) {
        case 0:
          queue.save(batch_at(++round));
          queue.publish(snapshot_at(round));
          continue;
        case 1:
          queue.run(kTask);
          continue;
        case 2:
          (void)queue.withdraw(deed);
          continue;
        default:
          break;
      }
      if (queue.empty()) continue;
      WriteQueue::Step step = queue.take();
      if (step.batch && deed % 5 == 3) {
        queue.give_back(*std::move(step.batch));
        refused = true;
      } else if (step.batch) {
        RC_ASSERT(std::is_sorted(
            step.batch->transitions.begin(), step.batch->transitions.end(),
            [](const Transition& a, const Transition& b) { return a.time < b.time; }));
        for (const Transition& transition : step.batch->transitions) {
          RC_ASSERT(saved.insert(transition.time).second);
        }
        refused = false;
      }
      if (!step.publication || refused) continue;
      RC_ASSERT(saved.size() == static_cast<std::size_t>(step.publication->snapshot.time));
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace tofa::health::write_queue_test
