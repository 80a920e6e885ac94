// SPDX-License-Identifier: BSD-3-Clause
// Whoever takes part: every rank is below exactly one other, both agree on it, ranks come in order,
// and nobody has many below it.
#include "gather_tree.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <vector>

namespace tofa::gather_tree_test {
namespace {

using Present = std::vector<bool>;

bool is_present(void* context, uint32_t rank) {
  return (*static_cast<const Present*>(context))[rank];
}

std::vector<uint32_t> children_of(uint32_t rank, Present& present) {
  uint32_t* list = nullptr;
  const int count =
      tree_children(rank, static_cast<uint32_t>(present.size()), is_present, &present, &list);
  EXPECT_GE(count, 0);
  std::vector<uint32_t> children(list, list + count);
  std::free(list);
  return children;
}

void walk(uint32_t rank, Present& present, std::vector<uint32_t>& visited) {
  visited.push_back(rank);
  for (uint32_t child : children_of(rank, present)) {
    uint32_t parent = UINT32_MAX;
    ASSERT_TRUE(tree_parent(child, is_present, &present, &parent));
    ASSERT_EQ(parent, rank);
    ASSERT_LT(tree_patience(child, static_cast<uint32_t>(present.size())),
              tree_patience(rank, static_cast<uint32_t>(present.size())));
    walk(child, present, visited);
  }
}

TEST(GatherTree, VisitsEveryRankInOrder) {
  std::mt19937 random(1);
  for (uint32_t ranks = 1; ranks < 200; ++ranks) {
    for (unsigned absent : {0U, 1U, 4U}) {
      Present present(ranks, true);
      for (uint32_t rank = 1; rank < ranks; ++rank) present[rank] = random() % 8 >= absent;
      std::vector<uint32_t> visited, expected;
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        if (present[rank]) expected.push_back(rank);
      }
      walk(0, present, visited);
      ASSERT_EQ(visited, expected) << ranks << " ranks";
    }
  }
}

TEST(GatherTree, KeepsRankZeroFromACrowd) {
  Present present(100000, true);
  EXPECT_EQ(children_of(0, present).size(), 17U);
  EXPECT_EQ(children_of(99999, present).size(), 0U);
}

TEST(GatherTree, HasNoParentWhereNobodyTakesPart) {
  Present present(8, false);
  uint32_t parent = 0;
  EXPECT_FALSE(tree_parent(7, is_present, &present, &parent));
  present[0] = true;
  EXPECT_TRUE(tree_parent(7, is_present, &present, &parent));
  EXPECT_EQ(parent, 0U);
  EXPECT_FALSE(tree_parent(0, is_present, &present, &parent));
}

TEST(GatherTree, RankZeroWaitsToTheEnd) {
  EXPECT_EQ(tree_patience(0, 1), 1.0);
  EXPECT_EQ(tree_patience(0, 1000), 1.0);
  EXPECT_GE(tree_patience(999, 1000), 0.5);
}

}  // namespace
}  // namespace tofa::gather_tree_test
