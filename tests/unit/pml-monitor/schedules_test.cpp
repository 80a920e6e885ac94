// SPDX-License-Identifier: BSD-3-Clause
// Messages that are not sent would have done what the collective does: all hear of the root, the
// root hears of all, or all of all. That they are those of Open MPI is tried in real jobs.
#include "schedules.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

namespace tofa::schedules_test {
namespace {

using Sends = std::vector<uint32_t>;

Sends sends_of(schedule which, uint32_t rank, uint32_t size, uint32_t root = 0) {
  Sends sends;
  schedule_sends(
      which, rank, size, root,
      [](void* context, uint32_t receiver) { static_cast<Sends*>(context)->push_back(receiver); },
      &sends);
  return sends;
}

using Pairs = std::set<std::pair<uint32_t, uint32_t>>;

Pairs pairs_of(schedule which, uint32_t size, uint32_t root = 0) {
  Pairs pairs;
  for (uint32_t rank = 0; rank < size; ++rank) {
    for (uint32_t receiver : sends_of(which, rank, size, root)) {
      EXPECT_LT(receiver, size);
      EXPECT_NE(receiver, rank);
      pairs.emplace(rank, receiver);
    }
  }
  return pairs;
}

// Who can have heard of `start`, along any of the messages.
std::set<uint32_t> reached(const Pairs& pairs, uint32_t start) {
  std::set<uint32_t> known{start};
  for (bool grows = true; grows;) {
    grows = false;
    for (const auto& [from, to] : pairs) grows |= known.contains(from) && known.insert(to).second;
  }
  return known;
}

constexpr uint32_t kMost = 40;

TEST(Schedules, ABroadcastReachesEachRankOnce) {
  for (uint32_t size = 2; size < kMost; ++size) {
    for (uint32_t root = 0; root < size; ++root) {
      const Pairs pairs = pairs_of(SCHEDULE_BCAST, size, root);
      EXPECT_EQ(pairs.size(), size - 1);
      EXPECT_EQ(reached(pairs, root).size(), size);
    }
  }
  EXPECT_EQ(pairs_of(SCHEDULE_BCAST, 8),
            (Pairs{{0, 1}, {0, 2}, {0, 4}, {1, 3}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(Schedules, AReductionBringsEachRankToTheRootOnce) {
  for (uint32_t size = 2; size < kMost; ++size) {
    for (uint32_t root = 0; root < size; ++root) {
      const Pairs pairs = pairs_of(SCHEDULE_REDUCE, size, root);
      EXPECT_EQ(pairs.size(), size - 1);
      EXPECT_TRUE(sends_of(SCHEDULE_REDUCE, root, size, root).empty());
      for (uint32_t rank = 0; rank < size; ++rank) {
        EXPECT_TRUE(reached(pairs, rank).contains(root));
      }
    }
  }
  EXPECT_EQ(pairs_of(SCHEDULE_REDUCE, 6), (Pairs{{1, 0}, {2, 0}, {3, 2}, {4, 0}, {5, 4}}));
}

TEST(Schedules, InBarriersAndAllreduceAllHearOfAll) {
  for (schedule which : {SCHEDULE_BARRIER, SCHEDULE_ALLREDUCE}) {
    for (uint32_t size = 2; size < kMost; ++size) {
      const Pairs pairs = pairs_of(which, size);
      for (uint32_t rank = 0; rank < size; ++rank) EXPECT_EQ(reached(pairs, rank).size(), size);
    }
  }
  EXPECT_EQ(sends_of(SCHEDULE_BARRIER, 5, 6), Sends{1});
  EXPECT_EQ(sends_of(SCHEDULE_BARRIER, 1, 6), (Sends{0, 3, 5}));
  EXPECT_EQ(sends_of(SCHEDULE_ALLREDUCE, 2, 7), Sends{3});
  EXPECT_EQ(sends_of(SCHEDULE_ALLREDUCE, 1, 7), (Sends{3, 5, 0}));
  EXPECT_EQ(sends_of(SCHEDULE_ALLREDUCE, 6, 7), (Sends{5, 3}));
}

TEST(Schedules, AloneNobodySends) {
  for (int which = 0; which < SCHEDULES; ++which) {
    EXPECT_TRUE(sends_of(static_cast<schedule>(which), 0, 1).empty());
  }
}

TEST(Schedules, KnowTheLargestJobs) {
  constexpr uint32_t size = UINT32_MAX;
  EXPECT_EQ(sends_of(SCHEDULE_BCAST, size - 1, size, 0), Sends{});
  EXPECT_EQ(sends_of(SCHEDULE_BCAST, size - 1, size, size - 1).size(), 32U);
  EXPECT_EQ(sends_of(SCHEDULE_BARRIER, 0, size).size(), 32U);
  EXPECT_EQ(sends_of(SCHEDULE_ALLREDUCE, size - 1, size).size(), 31U);
}

}  // namespace
}  // namespace tofa::schedules_test
