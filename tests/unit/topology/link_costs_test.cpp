// SPDX-License-Identifier: BSD-3-Clause
// Bandwidths as topology files give them, and what links and routes cost by them and by what others
// use.
#include "tofa/link_costs.hpp"

#include <gmock/gmock.h>

#include "support.hpp"
#include "tofa/topology.hpp"

namespace tofa::link_costs_test {
namespace {

using testing::HasSubstr;

const std::string kTorus = "[topology]\nkind = \"torus\"\nshape = [4, 3]\nnodes = \"n[00-11]\"\n";
const std::string kTree =
    "[topology]\nkind = \"tree\"\nbandwidth = [1e9, 4e9]\n"
    "[[switch]]\nname = \"s0\"\nnodes = \"a[0-1]\"\n[[switch]]\nname = \"s1\"\nnodes = \"b[0-1]\"\n"
    "[[switch]]\nname = \"top\"\nswitches = \"s[0-1]\"\n";

std::vector<Link> route(const Topology& topology, const char* from, const char* to) {
  std::vector<Link> links;
  topology.route(*topology.find(from), *topology.find(to), links);
  return links;
}

TEST(LinkBandwidths, OneForAllLinksMakesNoneCostMore) {
  const auto topology = parse_topology(kTorus + "bandwidth = 5e9\n", "t.toml");
  EXPECT_EQ(topology->bandwidth(7), 5e9);
  EXPECT_EQ(topology->link_costs(), nullptr);
  EXPECT_EQ(parse_topology(kTorus, "t.toml")->bandwidth(7), 0) << "nobody said";
}

TEST(LinkBandwidths, ByDimensionOfAGrid) {
  const auto topology = parse_topology(kTorus + "bandwidth = [9.4e9, 4.7e9]\n", "t.toml");
  const auto links = route(*topology, "n00", "n05");
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(topology->bandwidth(links[0]), 9.4e9);
  EXPECT_EQ(topology->bandwidth(links[1]), 4.7e9);
  ASSERT_NE(topology->link_costs(), nullptr);
  EXPECT_EQ(topology->link_costs()->of_route(links), 1 + 2);
}

TEST(LinkBandwidths, ByLevelOfATreeFromTheNodesUp) {
  const auto topology = parse_topology(kTree, "t.toml");
  const auto links = route(*topology, "a0", "b1");
  ASSERT_EQ(links.size(), 4U);
  EXPECT_EQ(topology->bandwidth(links[0]), 1e9);
  EXPECT_EQ(topology->bandwidth(links[1]), 4e9);
  EXPECT_EQ(topology->bandwidth(links[2]), 4e9);
  EXPECT_EQ(topology->bandwidth(links[3]), 1e9);
}

TEST(LinkBandwidths, ByLevelAlsoWhereSwitchesHaveNoNodes) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"fat-tree\"\ndown = [2, 2]\nup = [1, 2]\nnodes = \"n[0-1]\"\n"
      "bandwidth = [1e9, 2e9]\n",
      "t.toml");
  EXPECT_EQ(topology->bandwidth(route(*topology, "n0", "n1").front()), 1e9);
  EXPECT_EQ(topology->bandwidth(topology->links() - 1), 2e9);
  const auto group = parse_topology(
      "[topology]\nkind = \"dragonfly\"\ngroups = 1\nrouters = 2\nnodes_per_router = 2\n"
      "nodes = \"n[0-3]\"\nbandwidth = [1e9, 2e9, 3e9]\n",
      "t.toml");
  EXPECT_EQ(group->bandwidth(route(*group, "n0", "n3")[1]), 2e9);
}

TEST(LinkBandwidths, ANodeAtTheCoreOfATreeIsOnTheFirstLevel) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"tree\"\nbandwidth = [1e9, 2e9, 4e9]\n"
      "[[switch]]\nname = \"leaf\"\nnodes = \"n[0-1]\"\n"
      "[[switch]]\nname = \"middle\"\nswitches = \"leaf\"\n"
      "[[switch]]\nname = \"core\"\nswitches = \"middle\"\nnodes = \"login\"\n",
      "t.toml");
  const auto links = route(*topology, "n0", "login");
  ASSERT_EQ(links.size(), 4U);
  EXPECT_EQ(topology->bandwidth(links[0]), 1e9);
  EXPECT_EQ(topology->bandwidth(links[1]), 2e9);
  EXPECT_EQ(topology->bandwidth(links[2]), 4e9);
  EXPECT_EQ(topology->bandwidth(links[3]), 1e9);
}

TEST(LinkBandwidths, ByKindOfLinkInADragonfly) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"dragonfly\"\ngroups = 3\nrouters = 2\nnodes_per_router = 2\n"
      "global_links = 1\nnodes = \"n[00-11]\"\nbandwidth = [1e9, 2e9, 3e9]\n",
      "t.toml");
  std::vector<double> seen;
  for (Link link = 0; link < topology->links(); ++link) {
    const bool of_node = topology->link_source(link) < 12 || topology->link_target(link) < 12;
    EXPECT_EQ(topology->bandwidth(link) == 1e9, of_node);
    seen.push_back(topology->bandwidth(link));
  }
  EXPECT_THAT(seen, testing::Contains(2e9));
  EXPECT_THAT(seen, testing::Contains(3e9));
}

TEST(LinkBandwidths, OfASingleCableBeforeThatOfAll) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"graph\"\nnodes = \"a,b,c\"\nbandwidth = 1e9\n"
      "[[link]]\nends = [\"a\", \"b\"]\nbandwidth = 2e9\nlength = 2\n"
      "[[link]]\nends = [\"b\", \"c\"]\n",
      "t.toml");
  const auto links = route(*topology, "a", "c");
  ASSERT_EQ(links.size(), 3U);
  EXPECT_EQ(topology->bandwidth(links[1]), 2e9);
  EXPECT_EQ(topology->bandwidth(links[2]), 1e9);
}

TEST(LinkBandwidths, SurviveVirtualHosts) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"graph\"\nnodes = \"a,b\"\n[[link]]\nends = [\"a\", \"b\"]\n"
      "bandwidth = 2e9\n[[host]]\non = \"a\"\nname = \"vm\"\n",
      "t.toml");
  EXPECT_EQ(topology->bandwidth(route(*topology, "vm", "b").front()), 2e9);
}

TEST(LinkBandwidths, SayWhatIsWrong) {
  const auto error_with = [](const std::string& value) {
    return test::error_of(
        [&] { parse_topology(kTorus + "bandwidth = " + value + "\n", "t.toml"); });
  };
  EXPECT_THAT(error_with("0"), HasSubstr("t.toml:5: bandwidth must be bytes per second"));
  EXPECT_THAT(error_with("true"), HasSubstr("bytes per second"));
  EXPECT_THAT(error_with("\"9 GB/s\""), HasSubstr("bytes per second"));
  EXPECT_THAT(error_with("nan"), HasSubstr("bytes per second"));
  EXPECT_THAT(error_with("[]"), HasSubstr("empty list"));
  EXPECT_THAT(error_with("[1e9, 1e9, 1e9]"),
              HasSubstr("t.toml:5: bandwidth has 3 values, but there "
                        "are 2 dimensions"));
}

class LinkCostsOnALine : public testing::Test {
 protected:
  LinkCostsOnALine() {
    use_.bytes_per_second.resize(line_->links());
    use_.stalls.resize(line_->links());
    way_ = route(*line_, "n0", "n3");
  }

  OverRoute cost(LinkMeasure measure) {
    return RouteQuery(*line_, use_, {measure, RouteReduction::sum}).ask(0, 3).cost;
  }

  std::unique_ptr<Topology> line_ = parse_topology(
      "[topology]\nkind = \"mesh\"\nshape = [4]\nnodes = \"n[0-3]\"\nbandwidth = 8e9\n", "l.toml");
  LinkUse use_;
  std::vector<Link> way_;
};

TEST_F(LinkCostsOnALine, CountWhatIsLeft) {
  use_.bytes_per_second[way_[1]] = 6e9;
  const OverRoute all = cost(LinkMeasure::bandwidth);
  EXPECT_EQ(all.sum, 1 + 4 + 1);
  EXPECT_EQ(all.max, 4);
  EXPECT_EQ(all.min, 1);
  EXPECT_EQ(cost(LinkMeasure::hops).sum, 3);
  const RouteState state = RouteQuery(*line_, use_, {}).ask(0, 3);
  EXPECT_EQ(state.bandwidth_left.min, 2e9);
  EXPECT_EQ(state.bandwidth_left.sum, 8e9 + 2e9 + 8e9);
  EXPECT_EQ(RouteQuery(*line_, use_, {}).ask(3, 0).cost.sum, 3) << "links have a direction";
}

TEST_F(LinkCostsOnALine, CountStalls) {
  use_.stalls[way_[2]] = 0.5;
  EXPECT_EQ(cost(LinkMeasure::stalls).sum, 1 + 1 + 2);
  EXPECT_EQ(cost(LinkMeasure::bandwidth).sum, 3);
}

TEST_F(LinkCostsOnALine, CountWhatIsLeftWhereNobodyMeasuredStalls) {
  use_.stalls.clear();
  use_.bytes_per_second[way_[1]] = 6e9;
  EXPECT_EQ(cost(LinkMeasure::stalls).sum, 1 + 4 + 1);
  EXPECT_EQ(link_costs_of(*line_, use_, {LinkMeasure::stalls, RouteReduction::max}).rule(),
            (PairCostRule{LinkMeasure::bandwidth, RouteReduction::max}));
}

TEST_F(LinkCostsOnALine, NeverNothingLeft) {
  use_.bytes_per_second[way_[0]] = 1e12;
  use_.stalls[way_[1]] = 1;
  EXPECT_EQ(cost(LinkMeasure::bandwidth).max, 1 / kLeastShareLeft);
  EXPECT_EQ(cost(LinkMeasure::stalls).max, 1 / kLeastShareLeft);
}

TEST_F(LinkCostsOnALine, AreNoneWhereAllLinksAreFree) {
  weigh_links(*line_, use_, {});
  EXPECT_EQ(line_->link_costs(), nullptr);
  weigh_links(*line_, use_, {LinkMeasure::bandwidth, RouteReduction::max});
  ASSERT_NE(line_->link_costs(), nullptr);
  EXPECT_EQ(line_->link_costs()->of_route(way_), 1) << "no hop counts, the worst link does";
  EXPECT_EQ(line_->link_costs()->of_route({}), 0);
}

TEST(PairCostRule, KnowsItsWords) {
  EXPECT_EQ(parse_measure("stalls"), LinkMeasure::stalls);
  EXPECT_EQ(measure_name(LinkMeasure::bandwidth), "bandwidth");
  EXPECT_EQ(parse_reduction("min"), RouteReduction::min);
  EXPECT_EQ(reduction_name(RouteReduction::max), "max");
  EXPECT_THAT(test::error_of([] { parse_measure("load"); }),
              HasSubstr("known are hops, bandwidth, stalls"));
  EXPECT_THAT(test::error_of([] { parse_reduction(""); }), HasSubstr("known are sum, min, max"));
}

}  // namespace
}  // namespace tofa::link_costs_test
