// SPDX-License-Identifier: BSD-3-Clause
// Which links measurements are about: by the names of both ends, by directions in a grid, or all
// links of a node.
#include <gtest/gtest.h>

#include "tofa/link_load.hpp"
#include "tofa/topology.hpp"

namespace tofa {
namespace {

class LinkUseOf : public testing::Test {
 protected:
  // Bytes per second on the link from one vertex to the next.
  double on(const Topology& topology, const std::string& from, const std::string& to) const {
    double most = -1;
    for (Link link = 0; link < topology.links(); ++link) {
      if (topology.vertex_name(topology.link_source(link)) == from &&
          topology.vertex_name(topology.link_target(link)) == to)
        most = std::max(most, use_.bytes_per_second[link]);
    }
    return most;
  }

  std::unique_ptr<Topology> torus_ = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 3]\nnodes = \"n[0-10]\"\nbandwidth = 2e9\n", "t");
  std::unique_ptr<Topology> tree_ = parse_topology(
      "SwitchName=s0 Nodes=a[0-1]\nSwitchName=s1 Nodes=b[0-1]\nSwitchName=top Switches=s[0-1]\n",
      "t");
  LinkUse use_;
};

TEST_F(LinkUseOf, NamedEnds) {
  use_ = link_use_of({{"n0", "n1", 5}, {"n0", "n1", 2}, {"n1", "n0", 0, 0.5}}, *torus_);
  EXPECT_EQ(on(*torus_, "n0", "n1"), 7) << "what is said of a link adds up";
  EXPECT_EQ(on(*torus_, "n1", "n0"), 1e9);
  EXPECT_EQ(on(*torus_, "n1", "n2"), 0);
  EXPECT_EQ(use_.measured, 2U);
  EXPECT_EQ(use_.unknown, 0U);
  EXPECT_TRUE(use_.stalls.empty());
}

TEST_F(LinkUseOf, DirectionsInAGrid) {
  use_ = link_use_of({{"n0", "x-", 5}, {"Y+", "n1", 6}, {"n1", "z+", 7}}, *torus_);
  EXPECT_EQ(on(*torus_, "n0", "n3"), 5) << "around the ring";
  EXPECT_EQ(on(*torus_, "n5", "n1"), 6) << "what comes from there";
  EXPECT_EQ(use_.unknown, 1U) << "there is no third dimension";
}

TEST_F(LinkUseOf, APositionWithoutANode) {
  use_ = link_use_of({{"n10", "x+", 5}}, *torus_);
  EXPECT_EQ(use_.measured, 1U);
  EXPECT_EQ(on(*torus_, "n10", "switch-0"), 5);
}

TEST_F(LinkUseOf, AllLinksOfANode) {
  use_ = link_use_of({{"a0", "*", 5}, {"*", "b1", 6}, {"s0", "top", 7}}, *tree_);
  EXPECT_EQ(on(*tree_, "a0", "s0"), 5);
  EXPECT_EQ(on(*tree_, "s0", "a0"), 0);
  EXPECT_EQ(on(*tree_, "s1", "b1"), 6);
  EXPECT_EQ(on(*tree_, "s0", "top"), 7);
  EXPECT_EQ(use_.measured, 3U);
}

TEST_F(LinkUseOf, ALongCableAsAWhole) {
  const auto graph = parse_topology(
      "[topology]\nkind = \"graph\"\nnodes = \"a,b\"\n[[link]]\nends = [\"a\", \"b\"]\nlength = 3\n",
      "g");
  use_ = link_use_of({{"a", "b", 9}}, *graph);
  EXPECT_EQ(use_.measured, 3U);
}

TEST_F(LinkUseOf, StallsAreTheWorstOfThoseSaid) {
  use_ =
      link_use_of({{"n0", "n1", 0, -1, 0.25}, {"n0", "n1", 0, -1, 0.5}, {"n1", "n2", 3}}, *torus_);
  ASSERT_EQ(use_.stalls.size(), torus_->links());
  EXPECT_EQ(*std::max_element(use_.stalls.begin(), use_.stalls.end()), 0.5);
}

TEST_F(LinkUseOf, AMeshHasNoLinksPastItsEdges) {
  const auto line = parse_topology(
      "[topology]\nkind = \"mesh\"\nshape = [4]\nnodes = \"n[0-3]\"\nbandwidth = 2e9\n", "t");
  use_ = link_use_of({{"n3", "n0", 0, 0.9}}, *line);
  EXPECT_EQ(use_.measured, 0U);
  EXPECT_EQ(use_.unknown, 1U);
  use_ = link_use_of({{"n0", "*", 5}, {"*", "n3", 6}}, *line);
  EXPECT_EQ(use_.measured, 2U);
  EXPECT_EQ(on(*line, "n0", "n1"), 5);
  EXPECT_EQ(on(*line, "n2", "n3"), 6);
}

TEST_F(LinkUseOf, AGridOfOnePositionHasNoLinkToItself) {
  const auto flat =
      parse_topology("[topology]\nkind = \"torus\"\nshape = [2, 1]\nnodes = \"n[0-1]\"\n", "t");
  use_ = link_use_of({{"n0", "n0", 5}}, *flat);
  EXPECT_EQ(use_.unknown, 1U);
  const auto pair =
      parse_topology("[topology]\nkind = \"mesh\"\nshape = [2]\nnodes = \"n[0-1]\"\n", "t");
  use_ = link_use_of({{"n0", "n1", 5}}, *pair);
  EXPECT_EQ(use_.measured, 1U);
}

TEST_F(LinkUseOf, StrangersAreCounted) {
  use_ = link_use_of({{"n0", "n2", 5}, {"x", "n1", 6}, {"*", "*", 7}}, *torus_);
  EXPECT_EQ(use_.measured, 0U);
  EXPECT_EQ(use_.unknown, 3U);
}

}  // namespace
}  // namespace tofa
