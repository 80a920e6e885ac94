// SPDX-License-Identifier: BSD-3-Clause
// What waits for a slow disk is kept short, and nothing of it is lost.
#include "healthd/save_batch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa::health::save_batch_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

HostRecord record(const std::string& host, const std::string& estimate) {
  return {.name = host, .method = "ewma", .estimate = estimate};
}

TEST(SaveBatch, OfAHostOrDayTheLaterCounts) {
  SaveBatch earlier{.records = {record("a", "0.1"), record("b", "0.1")},
                    .days = {{"a", {1, 10, 0}}, {"a", {2, 10, 0}}},
                    .last_round = 20,
                    .clock = {{20, 5, "boot"}, 1}};
  const ClockMark clock{{30, 15, "boot"}, 2};
  SaveBatch later{.records = {record("c", "0.2"), record("a", "0.2")},
                  .days = {{"b", {2, 7, 1}}, {"a", {2, 20, 1}}},
                  .last_round = 30,
                  .clock = clock};
  const SaveBatch both = merge(std::move(earlier), std::move(later));
  EXPECT_THAT(both.records,
              ElementsAre(record("a", "0.2"), record("b", "0.1"), record("c", "0.2")));
  EXPECT_THAT(both.days, ElementsAre(HostDay{"a", {1, 10, 0}}, HostDay{"a", {2, 20, 1}},
                                     HostDay{"b", {2, 7, 1}}));
  EXPECT_EQ(both.last_round, 30);
  EXPECT_EQ(both.clock, clock);
}

TEST(SaveBatch, OutagesStayInTheirOrder) {
  SaveBatch batch;
  for (double time : {1.0, 2.0, 3.0}) {
    batch = merge(std::move(batch), {.transitions = {{"a", false, time}, {"a", true, time + 0.5}}});
  }
  EXPECT_THAT(batch.transitions,
              ElementsAre(Transition{"a", false, 1}, Transition{"a", true, 1.5},
                          Transition{"a", false, 2}, Transition{"a", true, 2.5},
                          Transition{"a", false, 3}, Transition{"a", true, 3.5}));
}

TEST(SaveBatch, WhatIsToBeForgottenIsNotForgotten) {
  SaveBatch batch{.forget = Forgetting{10, 1}};
  batch = merge(std::move(batch), {});
  ASSERT_TRUE(batch.forget);
  EXPECT_EQ(batch.forget->before, 10);
  batch = merge(std::move(batch), {.forget = Forgetting{20, 2}});
  EXPECT_EQ(batch.forget->before, 20);
}

TEST(SaveBatch, DoesNotGrowForEver) {
  SaveBatch batch;
  for (int round = 0; round < 300; ++round) {
    SaveBatch more{.days = {{"a", {5, static_cast<double>(round), 0}}}};
    for (int host = 0; host < 1000; ++host) {
      more.records.push_back(record("n" + std::to_string(host), std::to_string(round)));
      more.transitions.push_back({more.records.back().name, round % 2 == 0, 1.0 * round});
    }
    batch = merge(std::move(batch), std::move(more));
  }
  EXPECT_EQ(batch.records.size(), 1000);
  EXPECT_EQ(batch.records.front().estimate, "299");
  EXPECT_EQ(batch.days.size(), 1);
  EXPECT_EQ(batch.transitions.size(), kMostUnsavedTransitions);
  EXPECT_THAT(merge(SaveBatch{}, SaveBatch{}).transitions, IsEmpty());
}

}  // namespace
}  // namespace tofa::health::save_batch_test
