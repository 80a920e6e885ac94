// SPDX-License-Identifier: BSD-3-Clause
// General graphs: shortest routes against brute force, cables of several hops, prescribed routes,
// and who forwards.
#include "topology/graph_topology.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support.hpp"
#include "support/random_cases.hpp"
#include "support/routes.hpp"

namespace tofa::graph_topology_test {
namespace {

using test::path;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::unique_ptr<Topology> graph(const std::string& text) {
  return parse_topology("[topology]\nkind = \"graph\"\n" + text, "t.toml");
}

std::string message(const std::string& text) {
  return test::error_of([&] { graph(text); });
}

std::string link(const std::string& a, const std::string& b, const std::string& length = "1") {
  return "[[link]]\nends = [\"" + a + "\", \"" + b + "\"]\nlength = " + length + "\n";
}

TEST(Graph, TakesTheShortestWay) {
  const auto topology =
      graph("nodes = \"n[0-2]\"\nswitches = \"s[0-2]\"\n" + link("s0", "n0") + link("n1", "s1") +
            link("s2", "n2") + link("s0", "s1", "3") + link("s1", "s2") + link("s0", "s2"));
  EXPECT_THAT(path(*topology, "n0", "n1"), ElementsAre("s0", "s2", "s1", "n1"));
  EXPECT_EQ(topology->hops(0, 1), 4U);
  EXPECT_EQ(topology->location(1), "- s1");
}

TEST(Graph, ALongCableIsSeveralHops) {
  const auto topology = graph("nodes = \"a,b\"\n" + link("a", "b", "3"));
  EXPECT_EQ(topology->hops(0, 1), 3U);
  EXPECT_THAT(path(*topology, "a", "b"), ElementsAre("a~b+1", "a~b+2", "b"));
  EXPECT_THAT(path(*topology, "b", "a"), ElementsAre("a~b+2", "a~b+1", "a"));
  EXPECT_EQ(topology->vertices(), 4U);
  EXPECT_EQ(topology->links(), 6U);
}

TEST(Graph, HostListsLinkAllToAll) {
  const auto topology =
      graph("nodes = \"n[0-3]\"\nswitches = \"s[0-1]\"\n" + link("s[0-1]", "n[0-3]"));
  EXPECT_EQ(topology->describe(), "graph of 2 switches and 8 cables");
  EXPECT_EQ(topology->hops(0, 3), 2U);
}

TEST(Graph, DestinationsShareEquallyShortWays) {
  const auto topology = graph("nodes = \"n[0-3]\"\nswitches = \"leaf[0-3],spine[0-1]\"\n" +
                              link("leaf0", "n0") + link("leaf1", "n1") + link("leaf2", "n2") +
                              link("leaf3", "n3") + link("leaf[0-3]", "spine[0-1]"));
  EXPECT_EQ(path(*topology, "n0", "n2")[1], "spine0");
  EXPECT_EQ(path(*topology, "n0", "n3")[1], "spine1");
}

TEST(Graph, NodesForwardOnlyWhereThereIsNoSwitchOrTheFileSaysSo) {
  const auto ring = graph("nodes = \"n[0-3]\"\n" + link("n0", "n1") + link("n1", "n2") +
                          link("n2", "n3") + link("n3", "n0"));
  EXPECT_EQ(ring->hops(0, 2), 2U);
  // n1 is at both switches: a way through it would be shorter than that through the core.
  const std::string dual =
      link("n0", "s0") + link("n1", "s[0-1]") + link("n2", "s1") + link("s0", "s1", "3");
  const std::string head = "nodes = \"n[0-2]\"\nswitches = \"s[0-1]\"\n";
  EXPECT_EQ(graph(head + dual)->hops(0, 2), 5U);
  EXPECT_EQ(graph(head + dual)->hops(1, 2), 2U);
  EXPECT_EQ(graph(head + "nodes_forward = true\n" + dual)->hops(0, 2), 4U);
}

TEST(Graph, PrescribedRoutesAreTakenBothWays) {
  const std::string net = "nodes = \"a,b\"\nswitches = \"s[0-2]\"\n" + link("a", "s0") +
                          link("s0", "b") + link("s0", "s1") + link("s1", "s2", "2") +
                          link("s2", "s0") + link("s2", "b");
  const auto topology = graph(net + "[[route]]\npath = [\"a\", \"s0\", \"s1\", \"s2\", \"b\"]\n");
  EXPECT_EQ(topology->hops(0, 1), 5U);
  EXPECT_EQ(topology->hops(1, 0), 5U);
  EXPECT_THAT(path(*topology, "b", "a"), ElementsAre("s2", "s1~s2+1", "s1", "s0", "a"));
  const auto loads = topology->link_loads();
  loads->send(0, 1, 7);
  const std::vector<double> carried = loads->take();
  EXPECT_EQ(std::count(carried.begin(), carried.end(), 7), 5);
  EXPECT_EQ(std::count(carried.begin(), carried.end(), 0), topology->links() - 5);
  EXPECT_THAT(message(net + "[[route]]\npath = [\"a\", \"s0\", \"b\"]\n"
                            "[[route]]\npath = [\"b\", \"s2\", \"s0\", \"a\"]\n"),
              HasSubstr("2 hops one way and 3 the other"));
  EXPECT_THAT(message(net + "[[route]]\npath = [\"a\", \"s1\", \"b\"]\n"),
              HasSubstr("from \"a\" to \"s1\", which no [[link]] connects"));
  EXPECT_THAT(message(net + "[[route]]\npath = [\"a\", \"s0\", \"a\"]\n"),
              HasSubstr("passes \"a\" twice"));
  EXPECT_THAT(message(net + "[[route]]\npath = [\"s0\", \"a\"]\n"), HasSubstr("not at a switch"));
  const std::string twice = "[[route]]\npath = [\"a\", \"s0\", \"b\"]\n";
  EXPECT_THAT(message(net + twice + twice), HasSubstr("a second route from \"a\" to \"b\""));
}

TEST(Graph, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(message("nodes = \"n[0-2]\"\nswitches = \"s\"\n" + link("n[0-1]", "s")),
            "t.toml:1: nodes \"n0\" and \"n2\" are not connected; add the [[link]] entries between "
            "them, or nodes_forward = true if nodes pass messages on");
  EXPECT_THAT(message("nodes = \"a,b\"\n"), HasSubstr("\"a\" and \"b\" are not connected"));
  EXPECT_THAT(message("nodes = \"a\"\n" + link("a", "c")),
              StartsWith("t.toml:5: \"c\" is neither in nodes nor in switches"));
  EXPECT_THAT(message("nodes = \"a,b\"\n" + link("a", "b", "0")),
              StartsWith("t.toml:6: length must be"));
  EXPECT_THAT(message("nodes = \"a,b\"\n" + link("a", "a")), HasSubstr("linked to itself"));
  EXPECT_THAT(message("nodes = \"a,b\"\nswitches = \"b\"\n"), HasSubstr("\"b\" appears twice"));
  EXPECT_THAT(message("nodes = \"a,b\"\n[[link]]\nends = [\"a\"]\n"), HasSubstr("needs two ends"));
  EXPECT_THAT(message("nodes = \"a,b\"\n[[link]]\nends = [\"a\", 1]\n"), HasSubstr("host list"));
  EXPECT_THAT(message("nodes = \"a,b\"\nnodes_forward = 1\n"), HasSubstr("true nor false"));
}

TEST(Graph, ShortFilesCannotAskForMuch) {
  EXPECT_THAT(message("nodes = \"a[0-9999],b[0-9999]\"\n" + link("a[0-9999]", "b[0-9999]")),
              HasSubstr("more than 500000 cables"));
  EXPECT_THAT(
      message("nodes = \"n[0-99999]\"\nswitches = \"s\"\n" + link("n[0-99999]", "s", "1000")),
      HasSubstr("hops in all cables"));
  EXPECT_THAT(message("nodes = \"n\"\nswitches = \"s[0-5000]\"\n" + link("s0", "s[1-5000]")),
              HasSubstr("4096 are possible"));
}

RC_GTEST_PROP(GraphProperty, DistancesAreThoseOfBruteForce, ()) {
  const std::string text = test::any_graph_file();
  const auto topology = parse_topology(text, "t.toml");
  const bool nodes_forward = text.find("nodes_forward = true") != std::string::npos;
  const std::uint32_t size = topology->vertices();
  constexpr unsigned kFar = 1'000'000;
  std::vector<std::vector<unsigned>> distance(size, std::vector<unsigned>(size, kFar));
  for (std::uint32_t v = 0; v < size; ++v) distance[v][v] = 0;
  for (Link l = 0; l < topology->links(); ++l) {
    distance[topology->link_source(l)][topology->link_target(l)] = 1;
  }
  for (std::uint32_t via = nodes_forward ? 0 : topology->nodes(); via < size; ++via) {
    for (std::uint32_t a = 0; a < size; ++a) {
      for (std::uint32_t b = 0; b < size; ++b) {
        distance[a][b] = std::min(distance[a][b], distance[a][via] + distance[via][b]);
      }
    }
  }
  for (Node a = 0; a < topology->nodes(); ++a) {
    for (Node b = 0; b < topology->nodes(); ++b) {
      RC_ASSERT(topology->hops(a, b) == distance[a][b]);
    }
  }
}

}  // namespace
}  // namespace tofa::graph_topology_test
