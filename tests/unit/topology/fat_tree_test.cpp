// SPDX-License-Identifier: BSD-3-Clause
// Fat trees: the notation, and that D-mod-k spreads messages evenly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "support.hpp"
#include "support/routes.hpp"
#include "tofa/topology.hpp"

namespace tofa::fat_tree_test {
namespace {

using test::path;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::unique_ptr<Topology> fat_tree(const std::string& text) {
  return parse_topology("[topology]\nkind = \"fat-tree\"\n" + text, "t.toml");
}

using Vertices = std::pair<std::uint32_t, std::uint32_t>;

TEST(FatTree, HasTheSwitchesAndCablesOfThePgft) {
  // PGFT(2; 4,4; 1,2; 1,2): 16 nodes, 4 leaf switches, 2 spines, two cables between each.
  const auto tree =
      fat_tree("down = [4, 4]\nup = [1, 2]\nparallel = [1, 2]\nnodes = \"n[0-15]\"\n");
  EXPECT_EQ(tree->vertices(), 16U + 4 + 2);
  EXPECT_EQ(tree->links(), 2U * (16 + 4 * 2 * 2));
  std::map<Vertices, int> cables;
  for (Link link = 0; link < tree->links(); ++link) {
    ++cables[{tree->link_source(link), tree->link_target(link)}];
  }
  for (std::uint32_t leaf = 16; leaf < 20; ++leaf) {
    for (std::uint32_t spine = 20; spine < 22; ++spine) {
      EXPECT_EQ((cables[{leaf, spine}]), 2);
      EXPECT_EQ((cables[{spine, leaf}]), 2);
    }
  }
  EXPECT_EQ(tree->hops(0, 3), 2U);
  EXPECT_EQ(tree->hops(0, 4), 4U);
  EXPECT_EQ(tree->location(6), "[1,2]");
}

TEST(FatTree, TheDestinationDecidesTheWayUp) {
  const auto tree = fat_tree("down = [2, 2]\nup = [1, 2]\nnodes = \"n[0-3]\"\n");
  EXPECT_THAT(path(*tree, 0, 2), ElementsAre("switch-1-0", "switch-2-0", "switch-1-1", "n2"));
  EXPECT_THAT(path(*tree, 1, 2), ElementsAre("switch-1-0", "switch-2-0", "switch-1-1", "n2"));
  EXPECT_THAT(path(*tree, 0, 3), ElementsAre("switch-1-0", "switch-2-1", "switch-1-1", "n3"));
}

// The trees of the paper that have as much capacity on every level.
const char* const kFull[] = {
    "down = [4, 4]\nup = [1, 4]\nnodes = \"n[0-15]\"\n",
    "down = [4, 4]\nup = [1, 2]\nparallel = [1, 2]\nnodes = \"n[0-15]\"\n",
    "down = [2, 2, 2]\nup = [1, 2, 2]\nnodes = \"n[0-7]\"\n",
    "down = [3, 3, 2]\nup = [1, 3, 3]\nparallel = [1, 1, 1]\nnodes = \"n[00-17]\"\n",
};

// Links of one level and direction carry the same when everybody talks to everybody.
TEST(FatTree, DModKBalancesAllPairs) {
  for (const char* text : kFull) {
    const auto tree = fat_tree(text);
    std::vector<unsigned> load(tree->links());
    std::vector<Link> route;
    for (Node from = 0; from < tree->nodes(); ++from) {
      for (Node to = 0; to < tree->nodes(); ++to) {
        route.clear();
        tree->route(from, to, route);
        for (const Link link : route) ++load[link];
      }
    }
    std::map<std::string, std::vector<unsigned>> by_level;
    for (Link link = 0; link < tree->links(); ++link) {
      const auto level = [&](std::uint32_t vertex) {
        const std::string name = tree->vertex_name(vertex);
        return name[0] == 'n' ? "0" : name.substr(7, 1);
      };
      by_level[level(tree->link_source(link)) + ">" + level(tree->link_target(link))].push_back(
          load[link]);
    }
    for (const auto& [name, loads] : by_level) {
      EXPECT_EQ(*std::min_element(loads.begin(), loads.end()),
                *std::max_element(loads.begin(), loads.end()))
          << text << name;
    }
  }
}

// The theorem of the paper: no two messages of a shift share a link.
TEST(FatTree, ShiftsDoNotCollide) {
  for (const char* text : kFull) {
    const auto tree = fat_tree(text);
    for (Node shift = 1; shift < tree->nodes(); ++shift) {
      std::vector<unsigned> load(tree->links());
      std::vector<Link> route;
      for (Node from = 0; from < tree->nodes(); ++from) {
        route.clear();
        tree->route(from, (from + shift) % tree->nodes(), route);
        for (const Link link : route) ++load[link];
      }
      EXPECT_EQ(*std::max_element(load.begin(), load.end()), 1U) << text << "shift " << shift;
    }
  }
}

TEST(FatTree, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text) {
    return test::error_of([&] { fat_tree(text); });
  };
  EXPECT_THAT(message("nodes = \"n\"\n"), StartsWith("t.toml:1: down needs 1 to 16 values"));
  EXPECT_THAT(message("down = [2, 2]\nup = [1]\nnodes = \"n\"\n"),
              StartsWith("t.toml:4: up has 1 values, down has 2"));
  EXPECT_THAT(message("down = [2]\nup = []\nnodes = \"n\"\n"), HasSubstr("up has 0 values"));
  EXPECT_THAT(message("down = [2]\nparallel = [0]\nnodes = \"n\"\n"),
              StartsWith("t.toml:4: parallel has a value"));
  EXPECT_THAT(message("down = [2]\nnodes = \"n[0-2]\"\n"),
              StartsWith("t.toml:4: nodes names 3 hosts, but the network has only 2"));
  EXPECT_THAT(message("down = [2]\n"), HasSubstr("no nodes"));
  EXPECT_THAT(message("down = 2\n"), HasSubstr("not a list"));
  EXPECT_THAT(message("down = [2]\nnodes = \"a,a\"\n"), HasSubstr("\"a\" appears twice"));
  EXPECT_THAT(message("down = [60000, 60000]\nnodes = \"n\"\n"), HasSubstr("more than 1000000"));
  EXPECT_THAT(message("down = [2,2,2,2]\nup = [65535,65535,65535,65535]\nnodes = \"n\"\n"),
              HasSubstr("links"));
}

}  // namespace
}  // namespace tofa::fat_tree_test
