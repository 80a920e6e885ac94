// SPDX-License-Identifier: BSD-3-Clause
// Pictures of machines: every node and every link is drawn, nothing overlaps, labels say which
// ranks are where, and a golden file for a small machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "cli/machines.hpp"
#include "picture/layout.hpp"
#include "picture/machine_state.hpp"
#include "picture/picture_svg.hpp"
#include "tofa/error.hpp"

namespace tofa::cli::picture_test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

std::unique_ptr<Topology> fat_tree(const std::string& down, const std::string& up,
                                   const std::string& nodes) {
  return machine("kind = \"fat-tree\"\ndown = [" + down + "]\nup = [" + up + "]\nnodes = \"" +
                 nodes + "\"");
}

Mapping in_order(Rank ranks) {
  Mapping mapping(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) mapping[rank] = rank;
  return mapping;
}

// What every layout must keep to.
void expect_complete(const Topology& topology, const Layout& layout) {
  std::set<Node> drawn;
  for (const Box& box : layout.boxes) {
    for (const Node node : box.nodes) EXPECT_TRUE(drawn.insert(node).second) << "drawn twice";
    EXPECT_GE(box.centre.x - layout.box_width / 2, 0);
    EXPECT_LE(box.centre.x + layout.box_width / 2, layout.width);
    EXPECT_GE(box.centre.y - layout.box_height / 2, 0);
    EXPECT_LE(box.centre.y + layout.box_height / 2, layout.height);
  }
  for (Node node = 0; node < topology.nodes(); ++node) {
    EXPECT_EQ(drawn.contains(node), topology.host(node) == node) << topology.name(node);
  }
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Point a = layout.boxes[i].centre;
      const Point b = layout.boxes[j].centre;
      EXPECT_TRUE(std::abs(a.x - b.x) >= layout.box_width ||
                  std::abs(a.y - b.y) >= layout.box_height)
          << layout.boxes[i].name << " overlaps " << layout.boxes[j].name;
    }
  }
}

std::set<Link> links_drawn(const Layout& layout) {
  std::set<Link> links;
  for (const Wire& wire : layout.wires) links.insert(wire.links.begin(), wire.links.end());
  return links;
}

TEST(GridLayout, DrawsEveryNodeAndLinkOfAnyShape) {
  for (const auto& [shape, last] : std::map<std::string, int>{{"16", 15},
                                                              {"512", 511},
                                                              {"5, 3", 14},
                                                              {"4, 2, 2", 15},
                                                              {"8, 8, 8", 511},
                                                              {"40, 3", 119},
                                                              {"3, 3, 2, 2", 35},
                                                              {"2, 2, 2, 2, 2, 3", 95}}) {
    SCOPED_TRACE(shape);
    const auto topology = torus(shape, "n[0-" + std::to_string(last) + "]");
    const Layout layout = lay_out(*topology, 3);
    expect_complete(*topology, layout);
    EXPECT_EQ(links_drawn(layout).size(), topology->links());
  }
}

TEST(GridLayout, NeighboursAreJoinedAndOtherLinksLeaveBothEnds) {
  const auto topology = torus("3", "n[0-2]");
  const Layout layout = lay_out(*topology, 1);
  ASSERT_EQ(layout.boxes.size(), 3U);
  std::size_t joined = 0;
  for (const Wire& wire : layout.wires) {
    EXPECT_EQ(wire.links.size(), 2U) << "both directions";
    joined += std::abs(wire.from.x - wire.to.x) > layout.box_width ? 1 : 0;
  }
  EXPECT_EQ(joined, 2U);
  EXPECT_EQ(layout.wires.size(), 4U) << "the way round the back is drawn at both ends";
  EXPECT_THAT(layout.notes, Contains(HasSubstr("go round")));
}

TEST(GridLayout, AMeshHasNoWayRound) {
  const auto topology = machine("kind = \"mesh\"\nshape = [3, 3]\nnodes = \"n[0-8]\"");
  const Layout layout = lay_out(*topology, 1);
  expect_complete(*topology, layout);
  EXPECT_EQ(layout.wires.size(), 12U);
  EXPECT_THAT(layout.notes, Not(Contains(HasSubstr("go round"))));
}

TEST(GridLayout, PositionsWithoutANodeAreDots) {
  const auto topology = machine(
      "kind = \"torus\"\nshape = [3, 2]\n[[node]]\nname = \"a\"\nat = [0, 0]\n"
      "[[node]]\nname = \"b\"\nat = [2, 1]");
  const Layout layout = lay_out(*topology, 1);
  EXPECT_EQ(layout.boxes.size(), 2U);
  EXPECT_EQ(layout.holes.size(), 4U);
  EXPECT_EQ(links_drawn(layout).size(), topology->links());
}

TEST(TreeLayout, DrawsEveryNodeAndLink) {
  for (const auto& topology :
       {fat_tree("4, 4", "1, 2", "n[0-15]"), fat_tree("18, 18", "1, 9", "n[0-323]"),
        fat_tree("8, 4, 4", "1, 2, 2", "n[0-99]"), fat_tree("512", "1", "n[0-511]"),
        machine("kind = \"flat\"\nnodes = \"n[0-99]\"")}) {
    SCOPED_TRACE(topology->describe());
    const Layout layout = lay_out(*topology, 3);
    expect_complete(*topology, layout);
    std::set<Link> reachable;  // switches without a node below them are left out
    std::vector<Link> route;
    for (Node node = 1; node < topology->nodes(); ++node) {
      topology->route(0, node, route);
      topology->route(node, 0, route);
    }
    for (const Link link : route) EXPECT_TRUE(links_drawn(layout).contains(link));
  }
}

TEST(TreeLayout, NodesAndSwitchesOfAnyHeight) {
  const auto topology = parse_topology(
      "SwitchName=s1 Nodes=n[0-3]\nSwitchName=mid Switches=s1 Nodes=x1\n"
      "SwitchName=s2 Nodes=n[4-9]\nSwitchName=top Switches=mid,s2 Nodes=y[1-2]\n",
      "topology.conf");
  const Layout layout = lay_out(*topology, 2);
  expect_complete(*topology, layout);
  EXPECT_EQ(links_drawn(layout).size(), topology->links());
  std::vector<std::string> captions;
  for (const Caption& caption : layout.captions) captions.push_back(caption.text);
  EXPECT_THAT(captions, testing::UnorderedElementsAre("top", "mid", "s1", "s2"));
}

TEST(TreeLayout, LargeMachinesAreSummedUpBelowSwitches) {
  const auto topology = fat_tree("32, 16, 16", "1, 16, 16", "n[0-8191]");
  const Layout layout = lay_out(*topology, 4);
  EXPECT_EQ(layout.boxes.size(), 256U);
  for (const Box& box : layout.boxes) EXPECT_EQ(box.nodes.size(), 32U);
  EXPECT_THAT(layout.notes, Contains(HasSubstr("below one switch")));
}

TEST(Layout, SaysWhatCannotBeDrawn) {
  const auto refusal = [](const Topology& topology) -> std::string {
    try {
      lay_out(topology, 1);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(*machine("kind = \"dragonfly\"\ngroups = 3\nrouters = 2\n"
                               "nodes_per_router = 1\nnodes = \"n[0-5]\"")),
              HasSubstr("no picture of a dragonfly"));
  EXPECT_THAT(refusal(*torus("20, 20, 20", "n[0-7999]")), HasSubstr("8000 positions"));
  EXPECT_THAT(refusal(*machine("kind = \"flat\"\nnodes = \"n[0-4999]\"")),
              HasSubstr("too many to draw"));
}

TEST(RankLabel, ListsOrCounts) {
  EXPECT_EQ(list_ranks({}), "");
  EXPECT_EQ(list_ranks({3}), "3");
  EXPECT_EQ(list_ranks({0, 1, 2, 3, 7, 9, 10}), "0-3,7,9,10");
  EXPECT_EQ(rank_label({0, 1, 2, 3}, 3), "0-3");
  EXPECT_EQ(rank_label({0, 2, 4}, 4), "×3");
}

TEST(MachineState, RanksOfVirtualHostsAreAtTheirHostAndLoadsAreThoseOfTheMetrics) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4]\nnodes = \"n[0-3]\"\n"
      "[[host]]\nname = \"vm\"\non = \"n2\"\n",
      "machine.toml");
  const CommGraph graph(Traffic{3, {{0, 1, 100}, {1, 2, 60}, {2, 1, 60}}, ""});
  const MachineState state =
      state_of(graph, *topology, {}, {*topology->find("n0"), *topology->find("vm"), 2});
  EXPECT_EQ(state.ranks[2], (std::vector<Rank>{1, 2}));
  double most = 0;
  for (const double load : state.load) most = std::max(most, load);
  EXPECT_EQ(most, state.metrics.max_link_load);
}

Picture example(const Topology& topology, const OutageMap& outages) {
  const CommGraph graph(
      Traffic{4, {{0, 3, 4000}, {3, 0, 4000}, {1, 2, 900}, {2, 1, 900}, {0, 1, 10}}, ""});
  Picture picture{"app & <friends>",
                  lay_out(topology, 1),
                  {"Before: ranks in list order", state_of(graph, topology, outages, in_order(4))},
                  {"After: hosts", state_of(graph, topology, outages, {0, 4, 5, 2})}};
  return picture;
}

TEST(PictureSvg, GoldenFile) {
  const auto topology = torus("4, 2", "n[0-7]");
  const OutageMap outages({{"n1", 1, -1, -1}, {"n3", 0.02, -1, -1}}, *topology);
  const std::string svg = picture_svg(example(*topology, outages), outages);
  const std::string golden = std::string(TOFA_FIXTURES) + "/picture/torus.svg";
  // To accept a change on purpose: look at the picture, then TOFA_UPDATE_GOLDEN=1
  // tofa_picture_tests.
  if (std::getenv("TOFA_UPDATE_GOLDEN") != nullptr) std::ofstream(golden) << svg;
  std::ifstream file(golden);
  EXPECT_EQ(svg, std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(PictureSvg, MarksFailingNodesAndSaysWhatTheyAre) {
  const auto topology = torus("4, 2", "n[0-7]");
  const OutageMap outages({{"n1", 1, -1, -1}, {"n3", 0.02, -1, -1}}, *topology);
  const std::string svg = picture_svg(example(*topology, outages), outages);
  EXPECT_THAT(svg, HasSubstr("n1: rank 1; outage probability 1<"));
  EXPECT_THAT(svg, HasSubstr("n1: no rank; outage probability 1<"));
  EXPECT_THAT(svg, HasSubstr("dead: certain to fail"));
  EXPECT_THAT(svg, HasSubstr("suspect: may fail"));
  EXPECT_THAT(svg, HasSubstr("app &amp; &lt;friends&gt;"));
  EXPECT_THAT(picture_svg(example(*topology, {}), {}), Not(HasSubstr("suspect")));
}

TEST(PictureSvg, WhereLinksDifferTheBusiestIsToldAsOnTheFastest) {
  const auto topology = torus("4, 2", "n[0-7]");
  Picture picture = example(*topology, {});
  EXPECT_THAT(picture_svg(picture, {}), Not(HasSubstr("fastest")));
  picture.unlike = true;
  EXPECT_THAT(picture_svg(picture, {}), HasSubstr("busiest link 3.9 KiB as on the fastest<"));
}

TEST(PictureSvg, NothingIsOfTheSizeOfTheMachineSquared) {
  const auto topology = torus("8, 8, 8", "n[0-511]");
  Traffic everyone{512, {}, ""};
  for (Rank i = 0; i < 512; ++i) everyone.entries.push_back({i, (i + 77) % 512, 1000});
  everyone.normalise();
  const CommGraph graph(everyone);
  const MachineState state = state_of(graph, *topology, {}, in_order(512));
  const Picture picture{"x", lay_out(*topology, 3), {"a", state}, {"b", state}};
  EXPECT_LT(picture_svg(picture, {}).size(), 600'000U);
}

}  // namespace
}  // namespace tofa::cli::picture_test
