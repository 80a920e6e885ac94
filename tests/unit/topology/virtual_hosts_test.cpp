// SPDX-License-Identifier: BSD-3-Clause
// Virtual hosts, as a topology file of any kind may place them on its nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support.hpp"
#include "support/random_cases.hpp"
#include "tofa/metrics.hpp"

namespace tofa::virtual_hosts_test {
namespace {

using testing::HasSubstr;

const std::string kFlat = "[topology]\nkind = \"flat\"\nnodes = \"n[0-7]\"\n";
const std::string kRing = "[topology]\nkind = \"torus\"\nshape = [8]\nnodes = \"n[0-6]\"\n";

std::string error_with(const std::string& text) {
  return test::error_of([&] { parse_topology(kFlat + text, "t.toml"); });
}

TEST(VirtualHosts, AreWhereTheirHostIs) {
  const auto topology = parse_topology(
      kRing + "[[host]]\nname = \"vm[1-2]\"\non = \"n1\"\n[[host]]\nname = \"x\"\non = \"n4\"\n",
      "t.toml");
  const auto node = [&](const char* name) { return *topology->find(name); };
  EXPECT_EQ(topology->nodes(), 10U);
  EXPECT_EQ(topology->host(node("vm2")), node("n1"));
  EXPECT_EQ(topology->host(node("n2")), node("n2"));
  EXPECT_EQ(topology->hops(node("vm1"), node("vm2")), 0U);
  EXPECT_EQ(topology->hops(node("vm1"), node("n1")), 0U);
  EXPECT_EQ(topology->hops(node("vm1"), node("x")), 3U);
  EXPECT_EQ(topology->coordinates(node("x")), std::vector<unsigned>{4});
}

TEST(VirtualHosts, FailWithTheirHostWhichCountsOnce) {
  const auto topology =
      parse_topology(kFlat + "[[host]]\nname = \"vm[1-3]\"\non = \"n1\"\n", "t.toml");
  const OutageMap outages({{"n1", 0.1, -1}, {"vm1", 0.55, -1}, {"vm2", 0.05, -1}}, *topology);
  const auto node = [&](const char* name) { return *topology->find(name); };
  EXPECT_DOUBLE_EQ(outages.probability(node("vm1")), 0.55);
  EXPECT_DOUBLE_EQ(outages.probability(node("vm2")), 0.1);
  EXPECT_DOUBLE_EQ(outages.probability(node("vm3")), 0.1);
  EXPECT_EQ(outages.suspects(), 4U);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(2);
  const auto abort = [&](const char* a, const char* b) {
    return evaluate(graph, *topology, outages, {node(a), node(b)}).abort_probability;
  };
  EXPECT_DOUBLE_EQ(abort("vm2", "vm3"), 0.1);
  EXPECT_DOUBLE_EQ(abort("vm3", "n1"), 0.1);
  EXPECT_DOUBLE_EQ(abort("vm1", "vm2"), 0.55);
  EXPECT_DOUBLE_EQ(abort("n2", "n3"), 0);
}

TEST(VirtualHosts, MayHaveResources) {
  const auto topology = parse_topology(kFlat +
                                           "[[host]]\nname = \"vm1\"\non = \"n1\"\n"
                                           "[[attributes]]\nnodes = \"vm1\"\ngres = { fpga = 1 }\n",
                                       "t.toml");
  EXPECT_EQ(topology->resource(*topology->find("vm1"), "fpga"), 1U);
  EXPECT_EQ(topology->resource(*topology->find("n1"), "fpga"), 0U);
}

TEST(VirtualHosts, MistakesAreExplained) {
  EXPECT_THAT(error_with("[[host]]\nname = \"vm1\"\non = \"n9\"\n"),
              HasSubstr("t.toml:4: virtual host \"vm1\" runs on \"n9\", which is no node"));
  EXPECT_THAT(error_with("[[host]]\nname = \"vm1\"\n"), HasSubstr("lacks name or on"));
  EXPECT_THAT(error_with("[[host]]\nname = \"n1\"\non = \"n2\"\n"), HasSubstr("appears twice"));
  EXPECT_THAT(error_with("[[host]]\nname = \"vm1\"\non = \"n1\"\ncpus = 2\n"),
              HasSubstr("unknown key \"cpus\""));
  EXPECT_THAT(error_with("host = 3\n"), HasSubstr("unknown key"));
}

// Routes and censuses of any topology, virtual hosts or not, fit together.
RC_GTEST_PROP(VirtualHostsProperty, RoutesAndCensusesAgree, ()) {
  const auto topology = test::any_topology();
  const Node a = test::any_node(*topology);
  const Node b = test::any_node(*topology);
  std::vector<Link> links;
  topology->route(a, b, links);
  RC_ASSERT(links.size() == topology->hops(a, b));
  std::uint32_t at = topology->host(a);
  for (const Link link : links) {
    RC_ASSERT(topology->link_source(link) == at);
    at = topology->link_target(link);
    RC_ASSERT(at < topology->vertices());
  }
  RC_ASSERT(at == topology->host(b));
  std::vector<bool> marked(topology->nodes());
  for (Node node = 0; node < topology->nodes(); ++node) marked[node] = *rc::gen::inRange(0, 3) == 0;
  const auto is_marked = [&](std::uint32_t vertex) {
    return (vertex < marked.size() && marked[vertex]);
  };
  unsigned expected = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    expected += is_marked(topology->link_source(links[i])) ||
                is_marked(topology->link_target(links[i])) || (i == 0 && marked[a]) ||
                (i + 1 == links.size() && marked[b]);
  }
  RC_ASSERT(topology->census(marked)->count(a, b) == expected);
}

}  // namespace
}  // namespace tofa::virtual_hosts_test
