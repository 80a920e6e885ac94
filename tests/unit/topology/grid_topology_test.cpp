// SPDX-License-Identifier: BSD-3-Clause
// Torus and mesh: dimension order, the shorter way round, and who wins when both ways are equally
// long.
#include "topology/grid_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa::grid_topology_test {
namespace {

using testing::ElementsAre;

// Names of the nodes a route passes, the last one included.
std::vector<std::string> path(const Topology& topology, const char* from, const char* to) {
  std::vector<Link> links;
  topology.route(*topology.find(from), *topology.find(to), links);
  std::vector<std::string> names;
  for (const Link link : links) names.push_back(topology.name(topology.link_target(link)));
  return names;
}

std::unique_ptr<Topology> grid(const std::string& extra, const std::string& kind = "torus") {
  return parse_topology(
      "[topology]\nkind = \"" + kind + "\"\nshape = [4, 4]\nnodes = \"n[00-15]\"\n" + extra,
      "grid.toml");
}

TEST(Grid, FirstDimensionVariesFastestAndIsRoutedFirst) {
  const auto torus = grid("");
  EXPECT_THAT(torus->coordinates(*torus->find("n06")), ElementsAre(2, 1));
  EXPECT_THAT(path(*torus, "n00", "n05"), ElementsAre("n01", "n05"));
}

TEST(Grid, OrderChangesWhichDimensionIsRoutedFirst) {
  EXPECT_THAT(path(*grid("order = \"yx\""), "n00", "n05"), ElementsAre("n04", "n05"));
}

TEST(Grid, TheShorterWayRoundIsTaken) {
  EXPECT_THAT(path(*grid(""), "n00", "n03"), ElementsAre("n03"));
  EXPECT_THAT(path(*grid("", "mesh"), "n00", "n03"), ElementsAre("n01", "n02", "n03"));
  EXPECT_THAT(path(*grid("wrap = [false, true]"), "n03", "n12"),
              ElementsAre("n02", "n01", "n00", "n12"));
}

TEST(Grid, TiesGoUpOrByTheParityOfTheDestination) {
  EXPECT_THAT(path(*grid(""), "n02", "n00"), ElementsAre("n03", "n00"));
  EXPECT_THAT(path(*grid(""), "n03", "n01"), ElementsAre("n00", "n01"));
  const auto gemini = grid("tie = \"destination-parity\"");
  EXPECT_THAT(path(*gemini, "n02", "n00"), ElementsAre("n03", "n00"));
  EXPECT_THAT(path(*gemini, "n03", "n01"), ElementsAre("n02", "n01"));
}

// Between coordinates half a ring apart, SimGrid's torus goes up, but for one pair: it says "up
// when the target is to the right and at most half a ring away, or the source is past the middle
// and the target at most at the middle behind it", and the middle itself is not past the middle.
TEST(Grid, SimGridGoesUpExceptFromTheMiddleToTheFirst) {
  const auto ring = grid("tie = \"simgrid\"");
  EXPECT_THAT(path(*ring, "n00", "n02"), ElementsAre("n01", "n02"));
  EXPECT_THAT(path(*ring, "n01", "n03"), ElementsAre("n02", "n03"));
  EXPECT_THAT(path(*ring, "n02", "n00"), ElementsAre("n01", "n00"));
  EXPECT_THAT(path(*ring, "n03", "n01"), ElementsAre("n00", "n01"));
  EXPECT_THAT(path(*ring, "n08", "n00"), ElementsAre("n04", "n00")) << "in any dimension";
  EXPECT_THAT(path(*ring, "n12", "n04"), ElementsAre("n00", "n04"));
}

class SimGridRing : public testing::TestWithParam<unsigned> {};

TEST_P(SimGridRing, GoesTheWayThatSimGridsConditionSays) {
  const unsigned extent = GetParam();
  const auto ring = parse_topology("[topology]\nkind=\"torus\"\ntie=\"simgrid\"\nshape=[" +
                                       std::to_string(extent) + "]\nnodes=\"n[0-" +
                                       std::to_string(extent - 1) + "]\"\n",
                                   "ring.toml");
  for (unsigned from = 0; from < extent; ++from) {
    for (unsigned to = 0; to < extent; ++to) {
      if (from == to) continue;
      const bool up = (to > from && to <= from + extent / 2) ||
                      (from > extent / 2 && (from + extent / 2) % extent >= to);
      std::vector<Link> links;
      ring->route(from, to, links);
      const Node first = ring->link_target(links.front());
      EXPECT_EQ(first, up ? (from + 1) % extent : (from + extent - 1) % extent)
          << from << " to " << to << " of " << extent;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Extents, SimGridRing, testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 16));

TEST(Grid, PositionsWithoutANodeForward) {
  const auto torus = parse_topology(
      "[topology]\nkind=\"torus\"\nshape=[5]\n[[node]]\nname=\"a\"\nat=[0]\n"
      "[[node]]\nname=\"b\"\nat=[2]\n",
      "t.toml");
  EXPECT_EQ(torus->nodes(), 2U);
  EXPECT_EQ(torus->vertices(), 5U);
  EXPECT_EQ(torus->hops(0, 1), 2U);
  EXPECT_EQ(torus->describe(), "torus 5 with 2 nodes");
}

TEST(Grid, SixDimensions) {
  const auto torus = parse_topology(
      "[topology]\nkind=\"torus\"\nshape=[2,3,2,3,2,3]\nnodes=\"n[000-215]\"\n", "t.toml");
  EXPECT_EQ(torus->hops(0, 215), 6U);
}

}  // namespace
}  // namespace tofa::grid_topology_test
