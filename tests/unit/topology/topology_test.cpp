// SPDX-License-Identifier: BSD-3-Clause
// What must hold for every topology: routes are as long as the distance and unbroken, distances are
// symmetric, and the census of marked links agrees with walking the route.
#include "tofa/topology.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/random_cases.hpp"

namespace tofa::topology_test {
namespace {

using test::any_node;
using test::any_topology;

RC_GTEST_PROP(TopologyProperty, RouteIsAsLongAsTheDistanceAndUnbroken, ()) {
  const auto topology = any_topology();
  const Node from = any_node(*topology);
  const Node to = any_node(*topology);
  std::vector<Link> route;
  topology->route(from, to, route);
  RC_ASSERT(route.size() == topology->hops(from, to));
  std::uint32_t at = topology->host(from);
  for (const Link link : route) {
    RC_ASSERT(link < topology->links());
    RC_ASSERT(topology->has_link(link));
    RC_ASSERT(topology->link_source(link) == at);
    at = topology->link_target(link);
    RC_ASSERT(at < topology->vertices());
  }
  RC_ASSERT(at == topology->host(to));
}

RC_GTEST_PROP(TopologyProperty, DistanceIsSymmetricAndZeroOnlyOnOneHost, ()) {
  const auto topology = any_topology();
  const Node a = any_node(*topology);
  const Node b = any_node(*topology);
  RC_ASSERT(topology->hops(a, b) == topology->hops(b, a));
  RC_ASSERT((topology->hops(a, b) == 0) == (topology->host(a) == topology->host(b)));
}

RC_GTEST_PROP(TopologyProperty, CensusAgreesWithWalkingTheRoute, ()) {
  const auto topology = any_topology();
  std::vector<bool> marked(topology->nodes());
  for (std::size_t i = 0; i < marked.size(); ++i) marked[i] = *rc::gen::inRange(0, 4) == 0;
  const auto census = topology->census(marked);
  const Node from = any_node(*topology);
  const Node to = any_node(*topology);
  std::vector<Link> route;
  topology->route(from, to, route);
  const auto is_marked = [&](std::uint32_t vertex) {
    return vertex < marked.size() && marked[vertex];
  };
  unsigned expected = 0;
  for (std::size_t i = 0; i < route.size(); ++i) {
    // Routes of virtual hosts begin and end at what they run on.
    const bool at_end = (i == 0 && marked[from]) || (i + 1 == route.size() && marked[to]);
    expected += at_end || is_marked(topology->link_source(route[i])) ||
                is_marked(topology->link_target(route[i]));
  }
  RC_ASSERT(census->count(from, to) == expected);
}

RC_GTEST_PROP(TopologyProperty, CensusOfWeightsAgreesWithWalkingTheRoute, ()) {
  const auto topology = any_topology();
  std::vector<std::uint8_t> weights(topology->nodes());
  for (std::uint8_t& weight : weights) weight = *rc::gen::element<std::uint8_t>(0, 0, 1, 32, 255);
  const Node from = any_node(*topology);
  const Node to = any_node(*topology);
  std::vector<Link> route;
  topology->route(from, to, route);
  const auto weight_of = [&](std::uint32_t vertex) {
    return vertex < weights.size() ? unsigned{weights[vertex]} : 0;
  };
  unsigned expected = 0;
  for (const Link link : route)
    expected += weight_of(topology->link_source(link)) + weight_of(topology->link_target(link));
  RC_ASSERT(topology->census_of_weights(weights)->count(from, to) == expected);
}

RC_GTEST_PROP(TopologyProperty, LoadsOfLinksAreThoseOfRoutes, ()) {
  const auto topology = any_topology();
  const auto loads = topology->link_loads();
  std::vector<double> expected(topology->links());
  for (int message = *rc::gen::inRange(0, 12); message > 0; --message) {
    const Node from = any_node(*topology);
    const Node to = any_node(*topology);
    const double bytes = *rc::gen::inRange(1, 1000);
    loads->send(from, to, bytes);
    std::vector<Link> route;
    topology->route(from, to, route);
    for (const Link link : route) expected[link] += bytes;
  }
  RC_ASSERT(loads->take() == expected);
}

RC_GTEST_PROP(TopologyProperty, RoutesOfTreesGoUpAndThenDown, ()) {
  const auto topology = any_topology();
  bool levels = false;
  for (Link link = 0; link < topology->links(); ++link) levels |= topology->leads_up(link);
  std::vector<Link> route;
  topology->route(any_node(*topology), any_node(*topology), route);
  if (!levels) return;
  const auto turn = std::find_if_not(route.begin(), route.end(),
                                     [&](Link link) { return topology->leads_up(link); });
  RC_ASSERT(turn - route.begin() == static_cast<std::ptrdiff_t>(route.size() / 2) ||
            topology->kind() == "tree");
  RC_ASSERT(std::none_of(turn, route.end(), [&](Link link) { return topology->leads_up(link); }));
}

RC_GTEST_PROP(TopologyProperty, LinksOfAGridJoinNeighbours, ()) {
  const auto topology = any_topology();
  const Grid* grid = topology->grid();
  if (grid == nullptr) return;
  for (Link link = 0; link < topology->links(); ++link) {
    const auto from = topology->coordinates(topology->link_source(link));
    const auto to = topology->coordinates(topology->link_target(link));
    unsigned steps = 0;
    for (std::size_t d = 0; d < from.size(); ++d) {
      const unsigned apart = from[d] > to[d] ? from[d] - to[d] : to[d] - from[d];
      steps += std::min(apart, grid->extent(d) - apart);
    }
    RC_ASSERT(steps <= 1);  // 0 where a dimension has one position
  }
}

RC_GTEST_PROP(TopologyProperty, EveryNodeIsFoundByItsName, ()) {
  const auto topology = any_topology();
  const Node node = any_node(*topology);
  RC_ASSERT(topology->find(topology->name(node)) == node);
  RC_ASSERT(topology->find(topology->name(node) + ".cluster.example") == node);
}

TEST(Topology, FindsQualifiedNamesByTheirShortForm) {
  const auto topology = make_flat_topology({"a.site", "b.site", "b.other", "bc.site"});
  EXPECT_EQ(topology->find("a"), Node{0});
  EXPECT_EQ(topology->find("b.other"), Node{2});
  EXPECT_EQ(topology->find("b"), std::nullopt) << "two hosts have this short name";
  EXPECT_EQ(topology->find("c"), std::nullopt);
}

}  // namespace
}  // namespace tofa::topology_test
