// SPDX-License-Identifier: BSD-3-Clause
// Drawings on trees: nodes get as many ranks as they have slots, in as few groups as can be, and
// ranks lie beside those they talk to; where there is time for graphs, more so.
#include "mapping/mappers/drawn_levels.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <stdexcept>

#include "support/mapping_task.hpp"
#include "support/neighbours_in_space.hpp"
#include "topology/hosted.hpp"

namespace tofa::drawn_levels_test {
namespace {

std::unique_ptr<Topology> fat_tree() {
  return parse_topology(
      "[topology]\nkind = \"fat-tree\"\ndown = [4, 4, 4]\nup = [1, 2, 2]\nparallel = [1, 1, 1]\n"
      "nodes = \"n[0-63]\"\n",
      "tree.toml");
}

std::unique_ptr<Topology> dragonfly() {
  return parse_topology(
      "[topology]\nkind = \"dragonfly\"\ngroups = 9\nrouters = 4\nnodes_per_router = 2\n"
      "nodes = \"n[0-71]\"\n",
      "dragonfly.toml");
}

Allocation slots_of(const Topology& topology, unsigned slots) {
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, slots});
  return allocation;
}

double hops(const CommGraph& graph, const Topology& topology, const Mapping& mapping) {
  return evaluate(graph, topology, {}, mapping).average_hops_per_byte;
}

Mapping placed(const CommGraph& graph, const Topology& topology, const Allocation& allocation,
               double seconds) {
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap none;
  MappingTask task =
      test::task_of(graph, topology, none, allocation, trace, parse_objective("hop-bytes"));
  task.seconds = seconds;
  const SeatPlan plan(allocation, graph.ranks());
  const std::vector<Drawing> drawings = draw(graph, 32);
  if (drawings.empty()) throw std::invalid_argument("a graph without a shape");
  return DrawnLevels(task, plan, *MachineLevels::roughly(topology, plan)).cut(drawings.front());
}

constexpr double kNoTime = 1e-9;

TEST(DrawnLevels, FindWhatLiesWhereOnTreesAndDragonflies) {
  const CommGraph graph = test::neighbours_in_space(1024, 12);
  const auto tree = fat_tree();
  const auto fly = dragonfly();
  for (const Topology* topology : {tree.get(), fly.get()}) {
    const Allocation allocation = slots_of(*topology, 16);
    const double drawn = hops(graph, *topology, placed(graph, *topology, allocation, kNoTime));
    const double with_graphs = hops(graph, *topology, placed(graph, *topology, allocation, 1));
    EXPECT_LT(drawn, 0.45 * hops(graph, *topology, linear_mapping(allocation, 1024)));
    EXPECT_LT(with_graphs, 0.95 * drawn);
  }
}

RC_GTEST_PROP(DrawnLevelsProperty, KeepToTheSlots, ()) {
  const auto tree = fat_tree();
  Allocation allocation;
  std::uint64_t seats = 0;
  for (Node node = 0; node < tree->nodes(); ++node) {
    const auto slots = *rc::gen::inRange(0U, 6U);
    if (slots > 0) allocation.push_back({node, slots});
    seats += slots;
  }
  RC_PRE(seats >= 8);
  const auto ranks = static_cast<Rank>(*rc::gen::inRange<std::uint64_t>(8, seats + 1));
  const CommGraph graph = CommGraph::neighbours_in_rank_order(ranks);
  const Mapping mapping = placed(graph, *tree, allocation, *rc::gen::element(kNoTime, 1e-4, 0.1));
  std::map<Node, unsigned> used;
  for (const Node node : mapping) ++used[node];
  for (const auto& [node, slots] : allocation) {
    RC_ASSERT(used[node] <= slots);
    used.erase(node);
  }
  RC_ASSERT(used.empty());
}

TEST(DrawnLevels, UseFewGroups) {
  const auto tree = fat_tree();
  const CommGraph graph = test::neighbours_in_space(128, 8, true);
  std::set<Node> groups;  // of 16 nodes with 8 slots each
  for (const Node node : placed(graph, *tree, slots_of(*tree, 8), kNoTime)) {
    groups.insert(node / 16);
  }
  EXPECT_EQ(groups.size(), 1);
}

TEST(DrawnLevels, PlaceRanksOfAFlatMachineToo) {
  const auto flat =
      parse_topology("[topology]\nkind = \"flat\"\nnodes = \"n[0-15]\"\n", "flat.toml");
  const CommGraph graph = test::neighbours_in_space(256, 12, true);
  const Allocation allocation = slots_of(*flat, 16);
  EXPECT_LT(hops(graph, *flat, placed(graph, *flat, allocation, kNoTime)),
            0.6 * hops(graph, *flat, linear_mapping(allocation, 256)));
}

// Those of a node are 0 hops apart, and the node's own place is one of them.
TEST(DrawnLevels, KeepPartnersOnVirtualHostsOfANode) {
  std::vector<std::string> names;
  std::vector<Node> hosts;
  for (Node i = 0; i < 3 * 72; ++i) {
    names.push_back("v" + std::to_string(i));
    hosts.push_back(i / 3);
  }
  const auto topology = make_hosted_topology(dragonfly(), names, hosts);
  const Allocation allocation = slots_of(*topology, 1);
  const CommGraph graph = test::neighbours_in_space(4 * 72, 12, true);
  const Mapping mapping = placed(graph, *topology, allocation, kNoTime);
  EXPECT_EQ(std::set<Node>(mapping.begin(), mapping.end()).size(), 4 * 72);
  const auto fly = dragonfly();
  const double with_slots = hops(graph, *fly, placed(graph, *fly, slots_of(*fly, 4), kNoTime));
  EXPECT_DOUBLE_EQ(hops(graph, *topology, mapping), with_slots);
}

}  // namespace
}  // namespace tofa::drawn_levels_test
