// SPDX-License-Identifier: BSD-3-Clause
// The routes met lately: never another's counters, whatever was added, and none of a communicator
// that is gone.
#include "route_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace tofa::route_cache_test {
namespace {

std::unique_ptr<route_cache> make_cache() {
  auto cache = std::make_unique<route_cache>();
  route_cache_clear(cache.get());
  return cache;
}

// Never looked at, only told apart.
partner* counters(uint64_t number) {
  return reinterpret_cast<partner*>(number * 64 + 64);  // NOLINT(performance-no-int-to-ptr)
}

TEST(RouteCache, KnowsNothingAtFirst) {
  auto cache = make_cache();
  EXPECT_EQ(route_cache_find(cache.get(), route_key(0, 0)), nullptr);
  EXPECT_EQ(route_cache_find(cache.get(), route_key(3, 70000)), nullptr);
}

TEST(RouteCache, TellsCommunicatorsAndDestinationsApart) {
  auto cache = make_cache();
  route_cache_add(cache.get(), route_key(1, 2), counters(12));
  route_cache_add(cache.get(), route_key(2, 1), counters(21));
  EXPECT_EQ(route_cache_find(cache.get(), route_key(1, 2)), counters(12));
  EXPECT_EQ(route_cache_find(cache.get(), route_key(2, 1)), counters(21));
  EXPECT_EQ(route_cache_find(cache.get(), route_key(1, 1)), nullptr);
}

TEST(RouteCache, KeepsTwoOfALine) {
  auto cache = make_cache();
  const uint64_t first = route_key(0, 0);
  std::map<const route_line*, std::vector<uint64_t>> lines;
  for (int destination = 0; destination < 4 * ROUTE_LINES; ++destination) {
    const uint64_t key = route_key(0, destination);
    lines[route_line_of(cache.get(), key)].push_back(key);
  }
  const std::vector<uint64_t>& same = lines[route_line_of(cache.get(), first)];
  ASSERT_GE(same.size(), 3U);
  for (int i = 0; i < 3; ++i) route_cache_add(cache.get(), same[i], counters(i));
  EXPECT_EQ(route_cache_find(cache.get(), same[0]), nullptr);
  EXPECT_EQ(route_cache_find(cache.get(), same[1]), counters(1));
  EXPECT_EQ(route_cache_find(cache.get(), same[2]), counters(2));
}

TEST(RouteCache, ForgetsACommunicator) {
  auto cache = make_cache();
  for (int destination = 0; destination < 40; ++destination) {
    route_cache_add(cache.get(), route_key(5, destination), counters(destination));
  }
  route_cache_add(cache.get(), route_key(6, 1), counters(100));
  route_cache_forget(cache.get(), 5);
  for (int destination = 0; destination < 40; ++destination) {
    EXPECT_EQ(route_cache_find(cache.get(), route_key(5, destination)), nullptr);
  }
  EXPECT_EQ(route_cache_find(cache.get(), route_key(6, 1)), counters(100));
}

// Communicators come and go, their numbers are given out again and mean other processes.
TEST(RouteCache, NeverAnswersWithTheCountersOfAnother) {
  auto cache = make_cache();
  std::mt19937 random(1);
  std::map<uint32_t, uint64_t> lives;
  uint64_t hits = 0;
  for (int step = 0; step < 200000; ++step) {
    const uint32_t communicator = random() % 8;
    if (random() % 1000 == 0) {
      route_cache_forget(cache.get(), communicator);
      ++lives[communicator];
      continue;
    }
    const int destination = static_cast<int>(random() % 50);
    const uint64_t key = route_key(communicator, destination);
    partner* truth = counters((lives[communicator] * 8 + communicator) * 50 + destination);
    partner* found = route_cache_find(cache.get(), key);
    if (found == nullptr) {
      route_cache_add(cache.get(), key, truth);
    } else {
      ASSERT_EQ(found, truth);
      ++hits;
    }
  }
  EXPECT_GT(hits, 1000U);
}

}  // namespace
}  // namespace tofa::route_cache_test
