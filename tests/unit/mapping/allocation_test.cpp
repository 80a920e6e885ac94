// SPDX-License-Identifier: BSD-3-Clause
// What an allocation is worth: usable nodes, slots shared out, and what is left without dead nodes.
#include "mapping/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "mapping/seats/needs.hpp"
#include "support.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<unsigned> slots_of(const Allocation& allocation) {
  std::vector<unsigned> slots;
  for (const AllocationEntry& entry : allocation) slots.push_back(entry.slots);
  return slots;
}

std::vector<Node> nodes_of(const Allocation& allocation) {
  std::vector<Node> nodes;
  for (const AllocationEntry& entry : allocation) nodes.push_back(entry.node);
  return nodes;
}

class OnFourNodes : public testing::Test {
 protected:
  std::unique_ptr<Topology> topology_ = make_flat_topology({"a", "b", "c", "d"});
};

TEST_F(OnFourNodes, NodesWithoutSlotsAreNotUsed) {
  EXPECT_THAT(nodes_of(usable_nodes({{3, 1}, {1, 0}, {0, 2}}, *topology_)), ElementsAre(3U, 0U));
}

TEST_F(OnFourNodes, MistakesAreExplained) {
  EXPECT_THAT(test::error_of([this] {
                usable_nodes({{4, 1}}, *topology_);
              }),
              HasSubstr("names node 4, but the topology has 4 nodes"));
  EXPECT_THAT(test::error_of([this] {
                usable_nodes({{1, 1}, {1, 1}}, *topology_);
              }),
              HasSubstr("\"b\" is twice"));
  EXPECT_THAT(test::error_of([] {
                check_slots({{0, 1}, {1, 2}}, 4);
              }),
              HasSubstr("4 ranks need as many slots, but the 2 nodes of the allocation have 3"));
}

TEST_F(OnFourNodes, DeadNodesAreLeftOutWhereTheOthersHaveTheSlots) {
  const OutageMap outages({{"b", 1, -1}, {"c", 0.5, -1}}, *topology_);
  const Allocation all = {{0, 1}, {1, 4}, {2, 1}, {3, 1}};
  EXPECT_THAT(nodes_of(alive_nodes(all, outages)), ElementsAre(0U, 2U, 3U));
  EXPECT_THAT(nodes_of(without_dead(all, outages, 3, nullptr)), ElementsAre(0U, 2U, 3U));
  EXPECT_THAT(slots_of(without_dead(all, outages, 4, nullptr)), ElementsAre(1U, 4U, 1U, 1U));
}

TEST_F(OnFourNodes, SparedNodesComeBackAsFarAsSlotsAreMissing) {
  const OutageMap outages({{"a", 0.2, -1}, {"b", 0.1, -1}}, *topology_);
  const auto is_spared = [&outages](Node node) { return outages.suspect(node); };
  const Allocation all = {{0, 2}, {1, 2}, {2, 2}};
  EXPECT_THAT(nodes_of(without(is_spared, all, outages, 2, nullptr)), ElementsAre(2U));
  // The one less likely to fail first, and only with the slot that is missing.
  const Allocation three = without(is_spared, all, outages, 3, nullptr);
  EXPECT_THAT(nodes_of(three), ElementsAre(1U, 2U));
  EXPECT_THAT(slots_of(three), ElementsAre(1U, 2U));
}

TEST(Slots, AreSharedOutEvenly) {
  EXPECT_THAT(slots_of(with_at_most({{0, 1}, {1, 5}}, 3)), ElementsAre(1U, 3U));
  EXPECT_THAT(slots_of(spread({{0, 1}, {1, 5}, {2, 5}}, 8)), ElementsAre(1U, 4U, 3U));
  EXPECT_THAT(slots_of(with_room_for({{0, 2}, {1, 2}}, 7)), ElementsAre(4U, 3U));
}

RC_GTEST_PROP(SlotsProperty, SpreadGivesEveryRankOneSlotAndNoNodeTooMany, ()) {
  const auto topology = test::any_topology();
  const Allocation allocation = test::any_allocation(*topology);
  const Rank ranks = *rc::gen::inRange<Rank>(1, test::total_slots(allocation) + 1);
  const Allocation even = spread(allocation, ranks);
  RC_ASSERT(total_slots(even) == ranks);
  const unsigned most =
      std::max_element(even.begin(), even.end(), [](const auto& a, const auto& b) {
        return a.slots < b.slots;
      })->slots;
  for (std::size_t i = 0; i < even.size(); ++i) {
    RC_ASSERT(even[i].slots <= allocation[i].slots);
    RC_ASSERT(even[i].slots + 1 >= std::min(most, allocation[i].slots));
  }
}

}  // namespace
}  // namespace tofa
