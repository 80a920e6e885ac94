// SPDX-License-Identifier: BSD-3-Clause
// Placement on trees: the worked examples of Georgiou et al., Topology-aware job mapping (2018), in
// which TreeMatch is the mapper. A hop there is an edge of the tree, as it is here.
#include <gtest/gtest.h>

#include "support.hpp"
#include "support/random_cases.hpp"
#include "tofa/graph_io.hpp"
#include "tofa/place.hpp"

namespace tofa {
namespace {

class TreePlacement : public testing::Test {
 protected:
  Placement run(const std::string& graph, const std::vector<std::string>& hosts, unsigned slots = 1,
                const std::string& mapper = "auto") {
    return place_graph(CommGraph(read_traffic(test::fixture("trees/" + graph))), hosts, slots,
                       mapper);
  }

  Placement place_graph(const CommGraph& graph, const std::vector<std::string>& hosts,
                        unsigned slots, const std::string& mapper = "auto") {
    Allocation allocation;
    for (const std::string& host : hosts) allocation.push_back({*tree_->find(host), slots});
    PlaceOptions options = test::options_with_work(0.1);
    options.objective = parse_objective("hop-bytes");
    options.mapper = mapper;
    return place(graph, *tree_, {}, allocation, options);
  }

  std::uint32_t switch_of(Node node) const {
    std::vector<Link> route;
    tree_->route(node, node == 0 ? 1 : 0, route);
    return tree_->link_target(route.front());
  }

  std::unique_ptr<Topology> tree_;
};

TEST_F(TreePlacement, FourProcessesOnEightResources) {
  tree_ = read_topology(test::fixture("trees/binary8.conf"));
  const Placement placement =
      run("four_processes.bytes.mtx", {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"});
  EXPECT_EQ(placement.chosen.hop_bytes, 360);
  EXPECT_EQ(placement.linear.hop_bytes, 570);
}

TEST_F(TreePlacement, FourProcessesOnEvenResourcesOnly) {
  tree_ = read_topology(test::fixture("trees/binary8.conf"));
  EXPECT_EQ(run("four_processes.bytes.mtx", {"c0", "c2", "c4", "c6"}).chosen.hop_bytes, 660);
}

// n3 is taken. Slurm would use n0, n1, n2 and n4, and the second pair would talk across the top.
TEST_F(TreePlacement, PairsStayBelowTheirSwitchesAroundATakenNode) {
  tree_ = read_topology(test::fixture("trees/six_nodes.toml"));
  const Placement placement = run("four_groups.bytes.mtx", {"n0", "n1", "n2", "n4", "n5"});
  EXPECT_EQ(switch_of(placement.mapping[0]), switch_of(placement.mapping[3]));
  EXPECT_EQ(switch_of(placement.mapping[1]), switch_of(placement.mapping[2]));
  EXPECT_EQ(placement.chosen.hop_bytes, 2 * (2000 + 1000) + 4 * (20 + 10));
}

// The same with both processes of each group, which share a node when they talk enough.
TEST_F(TreePlacement, GroupsOfTwoProcessesShareNodes) {
  tree_ = read_topology(test::fixture("trees/six_nodes.toml"));
  const Traffic groups = read_traffic(test::fixture("trees/four_groups.bytes.mtx"));
  Traffic traffic;
  traffic.ranks = 8;
  for (const auto& [sender, receiver, bytes] : groups.entries) {
    traffic.entries.push_back({2 * sender, 2 * receiver, bytes});
  }
  for (Rank group = 0; group < 4; ++group) {
    traffic.entries.push_back({2 * group, 2 * group + 1, 5000});
  }
  traffic.normalise();
  const Placement placement = place_graph(CommGraph(traffic), {"n0", "n1", "n2", "n4", "n5"}, 2);
  for (Rank group = 0; group < 4; ++group) {
    const std::size_t first = std::size_t{2} * group;
    EXPECT_EQ(placement.mapping[first], placement.mapping[first + 1]);
  }
  EXPECT_EQ(placement.chosen.hop_bytes, 2 * (2000 + 1000) + 4 * (20 + 10));
}

TEST_F(TreePlacement, ScotchKnowsTheTree) {
  tree_ = read_topology(test::fixture("trees/binary8.conf"));
  const auto scotch = run("four_processes.bytes.mtx", {"c0", "c2", "c4", "c6"}, 1, "scotch");
  EXPECT_EQ(scotch.chosen.hop_bytes, 660);
}

}  // namespace
}  // namespace tofa
