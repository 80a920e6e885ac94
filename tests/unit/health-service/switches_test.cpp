// SPDX-License-Identifier: BSD-3-Clause
// Hosts of a tree know their switch, hosts of a torus have none.
#include "common/switches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/topology.hpp"

namespace tofa::health::switches_test {
namespace {

using ::testing::Each;

TEST(SwitchesOf, AreTheFirstAboveTheHosts) {
  const auto tree = parse_topology(
      "SwitchName=s1 Nodes=n[0-1]\nSwitchName=s2 Nodes=n[2-3]\nSwitchName=top Switches=s[1-2]\n",
      "topology.conf");
  const auto switches = switches_of({"n0", "n1", "n2", "stranger", "n3.cluster"}, *tree);
  EXPECT_TRUE(switches[0]);
  EXPECT_EQ(switches[0], switches[1]);
  EXPECT_NE(switches[0], switches[2]);
  EXPECT_FALSE(switches[3]);
  EXPECT_EQ(switches[2], switches[4]);
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [2, 2]\nnodes = \"n[0-3]\"\n", "torus.toml");
  EXPECT_THAT(switches_of({"n0", "n1"}, *torus), Each(std::nullopt)) << "it has no switches";
  const auto gap = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4]\n[[node]]\nname = \"n0\"\nat = [0]\n"
      "[[node]]\nname = \"n1\"\nat = [2]\n",
      "gap.toml");
  EXPECT_THAT(switches_of({"n0", "n1"}, *gap), Each(std::nullopt))
      << "nor has a place without node";
}

}  // namespace
}  // namespace tofa::health::switches_test
