// SPDX-License-Identifier: BSD-3-Clause
// Topology files: what is read, and that every mistake gets a message with file, line, reason and
// remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/error.hpp"
#include "tofa/topology.hpp"

namespace tofa::topology_file_test {
namespace {

std::string message_for(const std::string& text) {
  try {
    parse_topology(text, "topology.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "(accepted)";
}

const std::string kHead =
    "[topology]\nkind = \"torus\"\nshape = [8, 8, 8]\nnodes = \"n[000-511]\"\n";

TEST(TopologyFile, ReadsTheDocumentedExample) {
  const auto topology = parse_topology(kHead, "t.toml");
  EXPECT_EQ(topology->describe(), "torus 8x8x8");
  EXPECT_EQ(topology->nodes(), 512U);
}

TEST(TopologyFile, NodeEntriesOverrideTheList) {
  const auto topology = parse_topology(
      "[topology]\nkind=\"mesh\"\nshape=[4]\nnodes=\"n[0-2]\"\n[[node]]\nname=\"n1\"\nat=[3]\n",
      "t.toml");
  EXPECT_EQ(topology->hops(*topology->find("n0"), *topology->find("n1")), 3U);
}

TEST(TopologyFile, ReadsCoordinateLines) {
  const auto topology =
      parse_topology("# nodes\na 0 0 0\nb 3 0 0 # far end\n\nc 1 2 0\r\n", "t.txt");
  EXPECT_EQ(topology->describe(), "torus 4x3x1 with 3 nodes");
  EXPECT_EQ(topology->hops(0, 1), 1U) << "it wraps";
}

TEST(TopologyFile, ReadsFlat) {
  const auto topology = parse_topology("[topology]\nkind = \"flat\"\nnodes = \"a,b\"\n", "t.toml");
  EXPECT_EQ(topology->hops(0, 1), 2U);
}

TEST(TopologyFile, AFlatNetworkHasNodes) {
  EXPECT_THAT(message_for("[topology]\nkind = \"flat\"\nnodes = \"\"\n"),
              testing::HasSubstr("no nodes"));
}

TEST(TopologyFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(message_for(kHead + "\n[[node]]\nname = \"n012\"\nat = [8, 0, 0]\n"),
            "topology.toml:8: node \"n012\" has coordinates [8,0,0] outside shape [8,8,8]");
  EXPECT_EQ(message_for("[topology]\nkind = \"torsu\"\n"),
            "topology.toml:2: unknown topology kind \"torsu\"; known are torus, mesh, flat, tree, "
            "fat-tree, dragonfly, graph");
  EXPECT_EQ(message_for("[topology]\nkind = \"torus\"\nshape = [2, 2]\nnodes = \"n[0-4]\"\n"),
            "topology.toml:4: nodes names 5 hosts, but shape [2,2] has only 4 positions; enlarge "
            "the shape or "
            "shorten the list");
  EXPECT_THAT(message_for(kHead + "warp = true\n"),
              testing::HasSubstr("topology.toml:5: unknown key \"warp\""));
  EXPECT_THAT(message_for("[topology]\nkind = \"torus\"\nshape = [8, -8]\nnodes = \"n[0-7]\"\n"),
              testing::StartsWith("topology.toml:3: shape has an extent"));
  EXPECT_THAT(
      message_for(
          "[topology]\nkind = \"torus\"\nshape = [65535, 65535, 65535]\nnodes = \"n[0-7]\"\n"),
      testing::StartsWith("topology.toml:3: shape [65535,65535,65535] has more than 100 million"));
  EXPECT_THAT(message_for("[topology]\nkind = \"torus\"\nshape = [1,1,1,1,1,1,1]\nnodes = \"n\"\n"),
              testing::HasSubstr("has 7 dimensions"));
  EXPECT_THAT(
      message_for("[topology]\nkind = \"torus\"\nshape = [2]\nnodes = \"n[0-99999999999]\"\n"),
      testing::StartsWith("topology.toml:4: nodes: "));
  EXPECT_THAT(message_for(kHead + "order = \"xyx\"\n"), testing::HasSubstr("\"xyz\" once"));
  EXPECT_THAT(message_for(kHead + "tie = \"odd\"\n"), testing::HasSubstr("destination-parity"));
  EXPECT_THAT(message_for(kHead + "hop_cost = -1\n"), testing::HasSubstr("above 0"));
  EXPECT_THAT(message_for(kHead + "wrap = [true]\n"), testing::HasSubstr("3 values"));
  EXPECT_THAT(message_for("[topology]\nkind = \"torus\"\nshape = [8"),
              testing::StartsWith("topology.toml:3: "));
  EXPECT_THAT(message_for("[topology]\nkind = \"torus\"\nshape = [2]\n"),
              testing::HasSubstr("no nodes"));
  EXPECT_THAT(message_for("[topology]\nkind = \"torus\"\nshape = [2]\nnodes = \"a,a\"\n"),
              testing::HasSubstr("\"a\" appears twice"));
  EXPECT_THAT(message_for("\xff\xfe"), testing::StartsWith("topology.toml:1: "));
  EXPECT_THAT(message_for(""), testing::HasSubstr("no [topology] table"));
}

TEST(TopologyFile, TwoNodesCannotShareAPlace) {
  EXPECT_THAT(
      message_for(
          "[topology]\nkind=\"torus\"\nshape=[2]\nnodes=\"a,b\"\n[[node]]\nname=\"b\"\nat=[0]\n"),
      testing::HasSubstr("\"a\" and \"b\" have the same coordinates [0]"));
}

TEST(CoordinateLines, SayWhatIsWrongAndWhere) {
  EXPECT_THAT(message_for("a 0 0\nb 1\n"),
              testing::StartsWith("topology.toml:2: node \"b\" has 1 coordinates"));
  EXPECT_THAT(message_for("a 0 0\nb 1 x\n"),
              testing::StartsWith("topology.toml:2: \"x\" is not a coordinate"));
  EXPECT_THAT(message_for("a 0 0\nb 1 -1\n"), testing::StartsWith("topology.toml:2: \"-1\""));
}

}  // namespace
}  // namespace tofa::topology_file_test
