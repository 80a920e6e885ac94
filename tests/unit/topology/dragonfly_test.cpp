// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies: every pair of groups is linked, cables have two ends, and routes are minimal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

#include "support.hpp"
#include "support/random_cases.hpp"
#include "support/routes.hpp"

namespace tofa::dragonfly_test {
namespace {

using test::path;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::unique_ptr<Topology> dragonfly(const std::string& text) {
  return parse_topology("[topology]\nkind = \"dragonfly\"\n" + text, "t.toml");
}

// 5 groups of 2 routers with 2 global links: every port is used once.
const std::string kBalanced =
    "groups = 5\nrouters = 2\nnodes_per_router = 2\nglobal_links = 2\nnodes = \"n[00-19]\"\n";

TEST(Dragonfly, AbsoluteArrangementCountsTheGroups) {
  const auto topology = dragonfly(kBalanced);
  EXPECT_EQ(topology->vertices(), 20U + 10);
  EXPECT_EQ(topology->links(), 2U * 20 + 10 * 1 + 10 * 2);
  // Group 0 leads to groups 1 and 2 from its router 0, to 3 and 4 from its router 1; group 3 leads
  // to group 0 from its router 0.
  EXPECT_THAT(path(*topology, 0, 12), ElementsAre("router-0-0", "router-0-1", "router-3-0", "n12"));
  EXPECT_THAT(path(*topology, 0, 14),
              ElementsAre("router-0-0", "router-0-1", "router-3-0", "router-3-1", "n14"));
  EXPECT_THAT(path(*topology, 0, 1), ElementsAre("router-0-0", "n01"));
  EXPECT_THAT(path(*topology, 0, 2), ElementsAre("router-0-0", "router-0-1", "n02"));
  EXPECT_EQ(topology->location(7), "router-1-1");
}

TEST(Dragonfly, OtherArrangementsLeadElsewhere) {
  const auto relative = dragonfly(kBalanced + "arrangement = \"relative\"\n");
  // From group 1: to 2, 3 (router 0), to 4, 0 (router 1).
  EXPECT_THAT(path(*relative, 4, 0), ElementsAre("router-1-0", "router-1-1", "router-0-0", "n00"));
  const auto circulant = dragonfly(kBalanced + "arrangement = \"circulant\"\n");
  // From group 1: to 2, 0 (router 0), to 3, 4 (router 1).
  EXPECT_THAT(path(*circulant, 4, 0), ElementsAre("router-1-0", "router-0-0", "n00"));
}

RC_GTEST_PROP(DragonflyProperty, CablesHaveTwoEnds, ()) {
  const auto topology = parse_topology(test::any_dragonfly_file(), "t.toml");
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> links;
  for (Link link = 0; link < topology->links(); ++link) {
    const std::uint32_t from = topology->link_source(link);
    const std::uint32_t to = topology->link_target(link);
    RC_ASSERT(from < topology->vertices() && to < topology->vertices());
    RC_ASSERT(from != to);
    ++links[{from, to}];
  }
  for (const auto& [ends, count] : links) RC_ASSERT((links[{ends.second, ends.first}]) == count);
}

RC_GTEST_PROP(DragonflyProperty, RoutesTakeOneGlobalHopAtMost, ()) {
  const auto topology = parse_topology(test::any_dragonfly_file(), "t.toml");
  const auto group = [&](std::uint32_t vertex) {
    const std::string name =
        vertex < topology->nodes() ? topology->location(vertex) : topology->vertex_name(vertex);
    return name.substr(7, name.rfind('-') - 7);
  };
  const Node from = test::any_node(*topology);
  const Node to = test::any_node(*topology);
  std::vector<Link> route;
  topology->route(from, to, route);
  const auto crossings = std::count_if(route.begin(), route.end(), [&](Link link) {
    return group(topology->link_source(link)) != group(topology->link_target(link));
  });
  RC_ASSERT(crossings == (group(from) == group(to) ? 0 : 1));
  RC_ASSERT(route.size() <= 5U);
}

TEST(Dragonfly, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text) {
    return test::error_of([&] { dragonfly(text); });
  };
  EXPECT_THAT(message("groups = 2\n"), StartsWith("t.toml:1: [topology] has no routers"));
  EXPECT_THAT(message("groups = 0\n"), StartsWith("t.toml:3: groups must be a whole number"));
  EXPECT_THAT(message("groups = 9\nrouters = 2\nnodes_per_router = 1\nglobal_links = 3\n"),
              StartsWith("t.toml:6: 9 groups need 8 global links per group, but 2 routers with 3"));
  EXPECT_THAT(message("groups = 2\nrouters = 2\nnodes_per_router = 1\nnodes = \"n[0-4]\"\n"),
              HasSubstr("nodes names 5 hosts, but the network has only 4"));
  EXPECT_THAT(message(kBalanced + "arrangement = \"random\"\n"),
              StartsWith("t.toml:8: arrangement must be"));
  EXPECT_THAT(message("groups = 65535\nrouters = 65535\nnodes_per_router = 65535\nnodes = \"n\"\n"),
              HasSubstr("more than"));
  EXPECT_THAT(message("groups = 1\nrouters = 65535\nnodes_per_router = 1\nnodes = \"n\"\n"),
              HasSubstr("more than"));
}

}  // namespace
}  // namespace tofa::dragonfly_test
