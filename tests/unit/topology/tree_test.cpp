// SPDX-License-Identifier: BSD-3-Clause
// Trees, as Slurm's topology.conf and as TOML: what is read, how far nodes are apart, and that
// every mistake gets a message with file, line and remedy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support.hpp"
#include "support/random_cases.hpp"
#include "support/routes.hpp"

namespace tofa::tree_test {
namespace {

using test::path;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string slurm_error(const std::string& text) {
  return test::error_of([&] { parse_slurm_topology(text, "topology.conf"); });
}

TEST(Tree, RoutesMeetAtTheLowestCommonSwitch) {
  const auto tree = read_topology(test::fixture("trees/binary8.conf"));
  EXPECT_EQ(tree->describe(), "tree of 7 switches on 3 levels");
  EXPECT_THAT(path(*tree, "c0", "c1"), ElementsAre("pair0", "c1"));
  EXPECT_THAT(path(*tree, "c7", "c4"), ElementsAre("pair3", "half1", "pair2", "c4"));
  EXPECT_THAT(path(*tree, "c0", "c7"),
              ElementsAre("pair0", "half0", "top", "half1", "pair3", "c7"));
  EXPECT_EQ(tree->location(*tree->find("c5")), "top/half1/pair2");
}

TEST(Tree, NodesMayHangAtAnyLevel) {
  const auto tree = parse_slurm_topology(
      "SwitchName=top Switches=leaf Nodes=login\nSwitchName=leaf Nodes=n[0-1]\n", "t.conf");
  EXPECT_EQ(tree->hops(*tree->find("login"), *tree->find("n1")), 3U);
  EXPECT_THAT(path(*tree, "n0", "login"), ElementsAre("leaf", "top", "login"));
}

TEST(Tree, TomlSaysTheSameAsSlurm) {
  const auto toml = read_topology(test::fixture("trees/six_nodes.toml"));
  const auto slurm = parse_topology(
      "# as Slurm has it\nSwitchName=t0 Nodes=n[0-2]\nSwitchName=t1 Nodes=n[3-5]\n"
      "SwitchName=top Switches=t[0-1]\n",
      "topology.conf");
  for (Node a = 0; a < 6; ++a) {
    for (Node b = 0; b < 6; ++b) EXPECT_EQ(toml->hops(a, b), slurm->hops(a, b));
  }
}

TEST(SlurmTopology, KeysInAnyCaseQuotesBlanksCommentsAndContinuedLines) {
  const auto tree = parse_slurm_topology(
      "\n  # the leaves\nSWITCHNAME = s0 nodes=\"a, b\" # two\r\nswitchname=s1 \\  \n  "
      "Nodes=c \\\n LinkSpeed=50\nSwitchName=top Switches=s[0-1]",
      "t.conf");
  EXPECT_EQ(tree->nodes(), 3U);
  EXPECT_EQ(tree->hops(*tree->find("a"), *tree->find("b")), 2U);
  EXPECT_EQ(tree->hops(*tree->find("b"), *tree->find("c")), 4U);
}

TEST(SlurmTopology, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(
      slurm_error("SwitchName=a Nodes=n0\n\nSwitchName=top Switches=a,b\n"),
      "topology.conf:3: switch \"b\" is below \"top\" but not described; describe it with its "
      "nodes or switches");
  EXPECT_EQ(slurm_error("SwitchName=a Nodes=n0\nSwitchName=b Nodes=n1\n"),
            "topology.conf:2: switches \"a\" and \"b\" are not connected; describe the switch that "
            "is above both");
  EXPECT_EQ(slurm_error("SwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n1\n"),
            "topology.conf:2: node \"n1\" is below \"a\" and below \"b\"; list it once");
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=n,n\n"), StartsWith("topology.conf:1: node \"n\""));
  EXPECT_THAT(slurm_error("SwitchName=a Switches=b\nSwitchName=b Switches=a\n"),
              StartsWith("topology.conf:1: switch \"a\" is below itself"));
  EXPECT_THAT(slurm_error("SwitchName=a Switches=a\n"), HasSubstr("below itself"));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=x\nSwitchName=t Switches=a\nSwitchName=u "
                          "Switches=a\n"),
              StartsWith("topology.conf:3: switch \"a\" is below \"t\" and below \"u\""));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=x\nSwitchName=a Nodes=y\n"),
              StartsWith("topology.conf:2: switch \"a\" is already described on line 1"));
  EXPECT_THAT(slurm_error("SwitchName=a\n"), HasSubstr("neither nodes nor switches"));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=x Colour=red\n"),
              HasSubstr("unknown key \"Colour\""));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=x Nodes=y\n"), HasSubstr("Nodes appears twice"));
  EXPECT_THAT(slurm_error("SwitchName=a \\\n Nodes=\"x\n"),
              HasSubstr("topology.conf:1: the value"));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=\n"), HasSubstr("Nodes\" has no value"));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=x LinkSpeed=fast\n"),
              HasSubstr("LinkSpeed \"fast\""));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=x\ninclude other.conf\n"),
              StartsWith("topology.conf:2: \"include other.conf\" is not of the form KEY=VALUE"));
  EXPECT_THAT(slurm_error("Nodes=x\n"), HasSubstr("SwitchName=NAME"));
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=x[0-\n"), StartsWith("topology.conf:1: Nodes: "));
  EXPECT_THAT(slurm_error(""), HasSubstr("describes no switch"));
}

TEST(SlurmBlocks, AreSwitchesAndLargerOnesAreAboveThem) {
  const auto tree = parse_topology(
      "BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n[4-7]\nBlockName=b3 Nodes=n[8-11]\n"
      "BlockName=b4 Nodes=n[12-15]\nBlockName=b5 Nodes=n[16-19]\nBlockSizes=4,8\n",
      "topology.conf");
  EXPECT_EQ(tree->nodes(), 20U);
  EXPECT_THAT(path(*tree, "n0", "n3"), ElementsAre("b1", "n3"));
  EXPECT_THAT(path(*tree, "n0", "n4"), ElementsAre("b1", "b1..b2", "b2", "n4"));
  EXPECT_THAT(path(*tree, "n0", "n8"), ElementsAre("b1", "b1..b2", "b1..b5", "b3..b4", "b3", "n8"));
  EXPECT_THAT(path(*tree, "n16", "n0"), ElementsAre("b5", "b1..b5", "b1..b2", "b1", "n0"));
}

TEST(SlurmBlocks, SizesMayBeMissingOrComeFirst) {
  const auto pair = parse_topology("BlockName=a Nodes=x[0-1]\nBlockName=b Nodes=y\n", "t.conf");
  EXPECT_THAT(path(*pair, "x0", "y"), ElementsAre("a", "a..b", "b", "y"));
  const auto one = parse_topology("BlockSizes=2\nBlockName=a Nodes=x[0-1]\n", "t.conf");
  EXPECT_THAT(path(*one, "x0", "x1"), ElementsAre("a", "x1"));
  // 30 of the 32 nodes of a block are planned with, and 120 are more than there are.
  const auto spare = parse_topology(
      "BlockName=a Nodes=x[1-32]\nBlockName=b Nodes=x[33-64]\nBlockSizes=30,120\n", "t.conf");
  EXPECT_THAT(path(*spare, "x1", "x64"), ElementsAre("a", "a..b", "b", "x64"));
}

TEST(SlurmBlocks, SaysWhatIsWrongAndWhere) {
  const std::string block = "BlockName=a Nodes=x\n";
  EXPECT_THAT(slurm_error(block + "BlockSizes=4,12\n"),
              StartsWith("topology.conf:2: BlockSizes: 12 is not the first size, 4, times"));
  EXPECT_THAT(slurm_error(block + "BlockSizes=4,4\n"), HasSubstr("4 is not the first size"));
  EXPECT_THAT(slurm_error(block + "BlockSizes=4,0\n"), HasSubstr("not a list of numbers"));
  EXPECT_THAT(slurm_error(block + "BlockSizes=x\n"), HasSubstr("not a list of numbers"));
  EXPECT_THAT(slurm_error(block + "BlockSizes=4 Nodes=y\n"), HasSubstr("a line of its own"));
  EXPECT_THAT(slurm_error(block + "SwitchName=s Nodes=y\n"),
              StartsWith("topology.conf:2: switches (topology/tree) and blocks"));
  EXPECT_THAT(slurm_error("BlockSizes=4\nSwitchName=s Nodes=y\n"),
              StartsWith("topology.conf:2: switches (topology/tree) and blocks"));
  EXPECT_THAT(slurm_error("BlockSizes=4,5\n" + block), StartsWith("topology.conf:1: BlockSizes"));
  EXPECT_THAT(slurm_error("BlockName=a Switches=x\n"), HasSubstr("a block has Nodes only"));
  EXPECT_THAT(slurm_error("BlockName=a\n"), HasSubstr("block \"a\" has no nodes"));
  EXPECT_THAT(slurm_error(block + block), HasSubstr("already described on line 1"));
  EXPECT_THAT(slurm_error("BlockSizes=4\n"), HasSubstr("describes no switch"));
}

TEST(SlurmYaml, IsRefusedByName) {
  for (const char* text : {"---\n- topology: default\n", "# of Slurm\n- topology: t1\n  tree:\n"}) {
    EXPECT_THAT(test::error_of([&] { parse_topology(text, "topology.yaml"); }),
                HasSubstr("is a topology.yaml of Slurm, which is not read here"));
  }
}

TEST(SlurmTopology, ShortFilesCannotAskForMuch) {
  EXPECT_THAT(slurm_error("SwitchName=a Nodes=n[0-999999]\nSwitchName=b Nodes=m[0-999999]\n"),
              StartsWith("topology.conf:2: Nodes: "));
  std::string chain;
  for (int i = 0; i < 200; ++i) {
    chain += "SwitchName=s" + std::to_string(i) + " Switches=s" + std::to_string(i + 1) + "\n";
  }
  EXPECT_THAT(slurm_error(chain + "SwitchName=s200 Nodes=n\n"), HasSubstr("more than 64 levels"));
}

TEST(TreeFile, SaysWhatIsWrongAndWhere) {
  const auto message = [](const std::string& text) {
    return test::error_of([&] { parse_topology(text, "t.toml"); });
  };
  const std::string head = "[topology]\nkind = \"tree\"\n";
  EXPECT_THAT(message(head), StartsWith("t.toml:1: no switches"));
  EXPECT_THAT(message(head + "[[switch]]\nnodes = \"a\"\n"),
              StartsWith("t.toml:3: [[switch]] has no"));
  EXPECT_THAT(message(head + "switch = 1\n"), HasSubstr("unknown key \"switch\""));
  EXPECT_THAT(message("switch = 1\n" + head), HasSubstr("its own [[switch]]"));
  EXPECT_THAT(message(head + "[[switch]]\nname = \"s\"\nnodes = 3\n"),
              StartsWith("t.toml:5: nodes is not a host list"));
  EXPECT_THAT(message(head + "[[switch]]\nname = \"s\"\nswitches = \"x\"\n"),
              StartsWith("t.toml:3: switch \"x\" is below \"s\" but not described"));
}

// What SCOTCH and others are told about a tree: every node has a leaf of its own, and leaves are
// as far apart as the nodes are, or farther where a node hangs higher than others.
RC_GTEST_PROP(TreeProperty, TheHierarchyCoversTheTree, ()) {
  const auto tree = parse_topology(test::any_tree_file(), "t.conf");
  const auto hierarchy = tree->hierarchy();
  RC_ASSERT(hierarchy.has_value());
  RC_ASSERT(hierarchy->leaf.size() == tree->nodes());
  const Node a = test::any_node(*tree);
  const Node b = test::any_node(*tree);
  std::uint32_t left = hierarchy->leaf[a];
  std::uint32_t right = hierarchy->leaf[b];
  RC_ASSERT((left == right) == (a == b));
  unsigned apart = 0;
  for (std::size_t level = hierarchy->fan_out.size(); level-- > 0 && left != right;) {
    apart = hierarchy->hops[level];
    left /= hierarchy->fan_out[level];
    right /= hierarchy->fan_out[level];
  }
  RC_ASSERT(left == right);
  RC_ASSERT(apart >= tree->hops(a, b));
}

}  // namespace
}  // namespace tofa::tree_test
