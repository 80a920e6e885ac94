// SPDX-License-Identifier: BSD-3-Clause
// Outages by node, and equation 1 checked against walking the route link by link.
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "support.hpp"
#include "tofa/outage.hpp"

namespace tofa {
namespace {

std::unique_ptr<Topology> torus() {
  return parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 3, 2]\nnodes = \"n[00-23]\"\nhop_cost = 2\n",
      "torus");
}

TEST(OutageMap, CountsSuspectsAndStrangers) {
  const auto topology = torus();
  const OutageMap map({{"n03", 0.25, -1}, {"n04", 0, -1}, {"login", 1, -1}}, *topology);
  EXPECT_EQ(map.probability(3), 0.25);
  EXPECT_TRUE(map.suspect(3));
  EXPECT_FALSE(map.suspect(4));
  EXPECT_FALSE(map.suspect(1000));
  EXPECT_EQ(map.suspects(), 1U);
  EXPECT_EQ(map.unknown_hosts(), 1U);
}

TEST(OutageMap, WorseOfTwoNamesCounts) {
  const auto topology = torus();
  const OutageMap map({{"n03", 0.25, -1}, {"n03.site.org", 0.1, -1}}, *topology);
  EXPECT_EQ(map.probability(3), 0.25);
  EXPECT_EQ(map.suspects(), 1U);
}

TEST(FaultWeights, WithoutSuspectsIsTheHopCost) {
  const auto topology = torus();
  const FaultWeights weights(*topology, OutageMap());
  EXPECT_EQ(weights.weight(0, 1), 2);
  EXPECT_EQ(weights.weight(0, 0), 0);
}

TEST(FaultWeights, LinkWithASuspectEndCostsAHundredAndOne) {
  const auto topology = torus();
  const FaultWeights weights(*topology, OutageMap({{"n01", 0.5, -1}}, *topology));
  EXPECT_EQ(weights.weight(0, 1), 2 * 101);
  EXPECT_EQ(weights.weight(0, 2), 2 * (101 + 101));  // through n01
  EXPECT_EQ(weights.weight(0, 3), 2);                // the other way round
}

TEST(FaultWeights, AgreesWithWalkingTheRoute) {
  const auto topology = torus();
  const bool passed = rc::check("equation 1, link by link", [&] {
    const auto node = rc::gen::inRange<Node>(0, topology->nodes());
    OutageList outages;
    for (const Node suspect : *rc::gen::container<std::vector<Node>>(node)) {
      outages.push_back({topology->name(suspect), 0.02, -1});
    }
    const OutageMap map(outages, *topology);
    const FaultWeights weights(*topology, map);
    const Node from = *node;
    const Node to = *node;
    std::vector<Link> route;
    topology->route(from, to, route);
    double expected = 0;
    for (const Link link : route) {
      const bool marked =
          map.suspect(topology->link_source(link)) || map.suspect(topology->link_target(link));
      expected += topology->hop_cost() * (marked ? 101 : 1);
    }
    RC_ASSERT(weights.weight(from, to) == expected);
  });
  EXPECT_TRUE(passed);
}

}  // namespace
}  // namespace tofa
