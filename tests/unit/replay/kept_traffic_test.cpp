// SPDX-License-Identifier: BSD-3-Clause
// What is kept of the traffic of jobs, and what goes first.
#include "replay/kept_traffic.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace tofa::kept_traffic_test {
namespace {

constexpr Rank kNodes = 100;

std::unique_ptr<NodeTraffic> some_traffic() {
  auto traffic = std::make_unique<NodeTraffic>();
  traffic->blocks = CommGraph::neighbours_in_rank_order(kNodes);
  traffic->groups = traffic->blocks;
  return traffic;
}

// Room for three, which is not enough for four.
constexpr std::size_t kRoom =
    std::size_t{3} * 2 * kNodes * (sizeof(std::size_t) + 2 * sizeof(CommEdge)) + 1000;

std::string kept_of(KeptTraffic& kept, const std::string& keys) {
  std::string found;
  for (const char key : keys)
    if (kept.find(std::string(1, key)) != nullptr) found += key;
  return found;
}

TEST(KeptTraffic, WhatWasNotAskedForLongestGoesFirst) {
  KeptTraffic kept(kRoom);
  for (const char* key : {"a", "b", "c"}) kept.keep(key, some_traffic());
  EXPECT_NE(kept.find("a"), nullptr);
  kept.keep("d", some_traffic());
  EXPECT_EQ(kept.find("b"), nullptr);
  EXPECT_EQ(kept_of(kept, "abcd"), "acd");
}

TEST(KeptTraffic, WhatIsLargerThanAllRoomIsThereForTheNextJob) {
  KeptTraffic kept(1);
  for (const char* key : {"a", "b"}) {
    const NodeTraffic* traffic = kept.keep(key, some_traffic());
    ASSERT_NE(traffic, nullptr);
    EXPECT_EQ(traffic->blocks.ranks(), kNodes);
    ASSERT_NE(kept.find(key), nullptr);
    EXPECT_EQ(kept.find(key)->traffic.get(), traffic);
  }
  EXPECT_EQ(kept_of(kept, "ab"), "b");
}

TEST(KeptTraffic, KnowsThatThereIsNone) {
  KeptTraffic kept(kRoom);
  EXPECT_EQ(kept.keep("a", nullptr), nullptr);
  ASSERT_NE(kept.find("a"), nullptr);
  EXPECT_EQ(kept.find("a")->traffic, nullptr);
  constexpr int many = 1000;  // which take room, too
  for (int i = 0; i < many; ++i) kept.keep(std::to_string(i), nullptr);
  EXPECT_EQ(kept.find("a"), nullptr);
}

}  // namespace
}  // namespace tofa::kept_traffic_test
