// SPDX-License-Identifier: BSD-3-Clause
// Lanes: all of them run, whether they share a thread with those before or not.
#include "base/lanes.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace tofa::lanes_test {
namespace {

using Threads = std::array<std::thread::id, kLanes>;

Threads threads_of_lanes() {
  Threads threads;
  run_lanes([&](unsigned lane) { threads[lane] = std::this_thread::get_id(); });
  return threads;
}

void expect_that_errors_arrive() {
  for (unsigned failing = 0; failing < kLanes; ++failing) {
    std::array<bool, kLanes> ran{};
    EXPECT_THROW(run_lanes([&](unsigned lane) {
                   ran[lane] = true;
                   if (lane == failing) throw std::runtime_error("lane");
                 }),
                 std::runtime_error);
    for (const bool lane : ran) EXPECT_TRUE(lane);
  }
}

// Lanes within lanes, many times; how many there were.
int count_nested() {
  std::atomic<int> count = 0;
  for (int i = 0; i < 200; ++i) {
    run_lanes([&](unsigned) { run_lanes([&](unsigned) { ++count; }); });
  }
  return count;
}

TEST(Lanes, AllRunAndTheirErrorsArrive) {
  const Threads threads = threads_of_lanes();
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], threads[0]);
  expect_that_errors_arrive();
  EXPECT_EQ(count_nested(), 800);
}

TEST(Lanes, ShareAThreadWhileItIsKept) {
  const KeptLanes lanes;
  const Threads threads = threads_of_lanes();
  EXPECT_NE(threads[1], threads[0]);
  for (int i = 0; i < 200; ++i) EXPECT_EQ(threads_of_lanes(), threads);
  expect_that_errors_arrive();
  EXPECT_EQ(count_nested(), 800);
  EXPECT_EQ(threads_of_lanes(), threads);
}

// As where a placement is part of another task that keeps lanes.
TEST(Lanes, AreKeptByWhoeverKeepsThemLast) {
  const KeptLanes lanes;
  const Threads threads = threads_of_lanes();
  {
    const KeptLanes inner;
    EXPECT_NE(threads_of_lanes(), threads);
  }
  EXPECT_EQ(threads_of_lanes(), threads);
}

TEST(Lanes, WithinALaneShareAThread) {
  const KeptLanes lanes;
  std::array<Threads, kLanes> inner;
  const auto look = [&](unsigned lane) { inner[lane] = threads_of_lanes(); };
  run_lanes(look);
  EXPECT_NE(inner[0][1], inner[1][1]);
  const auto before = inner;
  for (int i = 0; i < 50; ++i) {
    run_lanes(look);
    EXPECT_EQ(inner, before);
  }
}

TEST(Lanes, OfTheOtherThreadAreNotThisOnes) {
  const KeptLanes lanes;
  const Threads threads = threads_of_lanes();
  Threads others;
  std::thread([&] { others = threads_of_lanes(); }).join();
  EXPECT_NE(others[1], threads[1]);
}

}  // namespace
}  // namespace tofa::lanes_test
