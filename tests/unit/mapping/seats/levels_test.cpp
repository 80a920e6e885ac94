// SPDX-License-Identifier: BSD-3-Clause
// Levels are found by distances, and only where these are a tree's.
#include "mapping/seats/levels.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tofa {
namespace {

std::optional<MachineLevels> levels_of(const std::string& text) {
  const auto topology = parse_topology("[topology]\n" + text, "machine.toml");
  Allocation allocation;
  for (Node node = 0; node < topology->nodes(); ++node) allocation.push_back({node, 1});
  return MachineLevels::of(*topology, SeatPlan(allocation, topology->nodes()));
}

TEST(MachineLevels, OfAFatTreeAreThoseOfItsSwitches) {
  const auto levels = levels_of("kind = \"fat-tree\"\ndown = [2, 3]\nnodes = \"n[0-5]\"\n");
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->hops, (std::vector<unsigned>{2, 4}));
  EXPECT_EQ(levels->group[0], (std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(levels->group[1], (std::vector<std::uint32_t>(6, 0)));
}

TEST(MachineLevels, OfASingleSwitchAreOne) {
  const auto levels = levels_of("kind = \"flat\"\nnodes = \"n[0-3]\"\n");
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->hops, (std::vector<unsigned>{2}));
}

TEST(MachineLevels, OfCablesLaidLikeATreeCountTheirLengths) {
  const auto levels = levels_of(
      "kind = \"graph\"\nnodes = \"n[0-3]\"\nswitches = \"a,b,top\"\n"
      "[[link]]\nends = [\"a\", \"n[0,2]\"]\n[[link]]\nends = [\"b\", \"n[1,3]\"]\n"
      "[[link]]\nends = [\"top\", \"a,b\"]\nlength = 9\n");
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->hops, (std::vector<unsigned>{2, 20}));
  EXPECT_EQ(levels->group[0], (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

TEST(MachineLevels, WhereNoTwoNodesAreNearTheFirstAreFound) {
  const auto levels = levels_of(
      "kind = \"tree\"\n[[switch]]\nname = \"a\"\nnodes = \"n0\"\n"
      "[[switch]]\nname = \"b\"\nnodes = \"n[1-2]\"\n"
      "[[switch]]\nname = \"top\"\nswitches = \"a,b\"\n");
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->group[0], (std::vector<std::uint32_t>{0, 1, 1}));
}

// In any order of the nodes, and where some of them are not the job's.
RC_GTEST_PROP(MachineLevels, TellAllDistancesInATree, ()) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"fat-tree\"\ndown = [2, 3, 4]\nnodes = \"n[0-23]\"\n", "machine.toml");
  Allocation allocation;
  for (Node node = 0; node < topology->nodes(); ++node) allocation.push_back({node, 1});
  for (std::size_t i = allocation.size(); i > 1; --i)
    std::swap(allocation[i - 1], allocation[*rc::gen::inRange<std::size_t>(0, i)]);
  allocation.resize(*rc::gen::inRange<std::size_t>(2, allocation.size() + 1));
  const auto entries = static_cast<std::uint32_t>(allocation.size());
  const SeatPlan plan(allocation, entries);
  const auto levels = MachineLevels::of(*topology, plan);
  RC_ASSERT(levels.has_value());
  for (std::uint32_t a = 0; a < entries; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) {
      std::size_t level = 0;
      while (levels->group[level][a] != levels->group[level][b]) ++level;
      RC_ASSERT(topology->hops(plan.node(a), plan.node(b)) == levels->hops[level]);
    }
  }
  // Groups are numbered in the order in which they come.
  for (const std::vector<std::uint32_t>& group : levels->group) {
    std::uint32_t next = 0;
    for (const std::uint32_t of_entry : group) {
      RC_ASSERT(of_entry <= next);
      next = std::max(next, of_entry + 1);
    }
  }
}

TEST(MachineLevels, AreNoneWhereDistancesAreNotATrees) {
  EXPECT_FALSE(levels_of("kind = \"torus\"\nshape = [4]\nnodes = \"n[0-3]\"\n"));
  // A ring of switches.
  EXPECT_FALSE(
      levels_of("kind = \"graph\"\nnodes = \"n[0-3]\"\nswitches = \"s[0-3]\"\n"
                "[[link]]\nends = [\"s0\", \"n0,s1\"]\n[[link]]\nends = [\"s1\", \"n1,s2\"]\n"
                "[[link]]\nends = [\"s2\", \"n2,s3\"]\n[[link]]\nends = [\"s3\", \"n3,s0\"]\n"));
}

// Whatever is a tree's for a part of the nodes may not be for all.
TEST(MachineLevels, AreNoneOfADragonflyOfAnySize) {
  for (const auto& [groups, routers] : {std::pair{3, 2}, {9, 4}, {33, 16}}) {
    const std::string last = std::to_string(groups * routers * 2 - 1);
    EXPECT_FALSE(levels_of("kind = \"dragonfly\"\ngroups = " + std::to_string(groups) +
                           "\nrouters = " + std::to_string(routers) +
                           "\nnodes_per_router = 2\nnodes = \"n[0-" + last + "]\"\n"))
        << groups;
  }
}

TEST(MachineLevels, OfADragonflyAreRoughlyItsGroupsAndRouters) {
  const auto fly = parse_topology(
      "[topology]\nkind = \"dragonfly\"\ngroups = 3\nrouters = 2\nnodes_per_router = 2\n"
      "nodes = \"n[0-11]\"\n",
      "dragonfly.toml");
  const SeatPlan plan({{1, 1}, {2, 1}, {3, 1}, {11, 1}}, 4);
  const auto levels = MachineLevels::roughly(*fly, plan);
  ASSERT_TRUE(levels);
  EXPECT_EQ(levels->hops, (std::vector<unsigned>{2, 3, 5}));
  EXPECT_EQ(levels->group[0], (std::vector<std::uint32_t>{0, 1, 1, 5}));
  EXPECT_EQ(levels->group[1], (std::vector<std::uint32_t>{0, 0, 0, 2}));
  EXPECT_EQ(levels->group[2], (std::vector<std::uint32_t>{0, 0, 0, 0}));
}

TEST(ChooseEntries, TakesGroupsThatAreLargeEnoughAndNoMore) {
  const auto tree = parse_topology(
      "[topology]\nkind = \"fat-tree\"\ndown = [4, 3]\nnodes = \"n[0-11]\"\n", "tree.toml");
  // Two, four and three nodes of the groups.
  const SeatPlan plan({{0, 1}, {1, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}, {8, 1}, {9, 1}, {10, 1}}, 9);
  const auto levels = MachineLevels::of(*tree, plan);
  ASSERT_TRUE(levels);
  EXPECT_EQ(choose_entries(*levels, plan, 2), (Entries{0, 1}));
  EXPECT_EQ(choose_entries(*levels, plan, 3), (Entries{6, 7, 8}));
  EXPECT_EQ(choose_entries(*levels, plan, 6), (Entries{2, 3, 4, 5, 0, 1}));
  EXPECT_EQ(choose_entries(*levels, plan, 9).size(), 9);
}

}  // namespace
}  // namespace tofa
