// SPDX-License-Identifier: BSD-3-Clause
// Resources of nodes, as a topology file of any kind may name them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"
#include "tofa/topology.hpp"

namespace tofa::node_attributes_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFlat = "[topology]\nkind = \"flat\"\nnodes = \"n[0-7]\"\n";
const std::string kRing = "[topology]\nkind = \"torus\"\nshape = [8]\nnodes = \"n[0-6]\"\n";

std::string error_with(const std::string& text) {
  return test::error_of([&] { parse_topology(kFlat + text, "t.toml"); });
}

TEST(NodeAttributes, OfManyNodesAndOfOne) {
  for (const std::string& network : {kFlat, kRing}) {
    const auto topology = parse_topology(network +
                                             "[[attributes]]\nnodes = \"n[1-3]\"\n"
                                             "gres = { fpga = 2, gpu = 1 }\n"
                                             "[[node]]\nname = \"n3\"\ngres = { fpga = 4 }\n",
                                         "t.toml");
    EXPECT_THAT(topology->resource_names(), ElementsAre("fpga", "gpu"));
    EXPECT_EQ(topology->resource(0, "fpga"), 0U);
    EXPECT_EQ(topology->resource(1, "fpga"), 2U);
    EXPECT_EQ(topology->resource(3, "fpga"), 4U);
    EXPECT_EQ(topology->resource(3, "gpu"), 1U);
    EXPECT_EQ(topology->resource(3, "tpu"), 0U);
  }
}

TEST(NodeAttributes, BesideAPlaceOfItsOwn) {
  const auto topology =
      parse_topology(kRing + "[[node]]\nname = \"n9\"\nat = [7]\ngres = { fpga = 1 }\n", "t.toml");
  EXPECT_EQ(topology->coordinates(*topology->find("n9")), std::vector<unsigned>{7});
  EXPECT_EQ(topology->resource(*topology->find("n9"), "fpga"), 1U);
}

TEST(NodeAttributes, MistakesAreExplained) {
  EXPECT_THAT(error_with("[[attributes]]\nnodes = \"n9\"\ngres = { fpga = 1 }\n"),
              HasSubstr("t.toml:6: node \"n9\" has resource \"fpga\", but no place"));
  EXPECT_THAT(error_with("[[attributes]]\nnodes = \"n1\"\n"), HasSubstr("gres = { fpga = 2 }"));
  EXPECT_THAT(error_with("[[attributes]]\ngres = { fpga = 1 }\n"), HasSubstr("add nodes = "));
  EXPECT_THAT(error_with("[[attributes]]\nnodes = \"n1\"\ngres = { fpga = -1 }\n"),
              HasSubstr("whole number from 0"));
  EXPECT_THAT(error_with("[[attributes]]\nnodes = \"n1\"\ncolour = 1\n"),
              HasSubstr("unknown key \"colour\""));
  EXPECT_THAT(error_with("[[attributes]]\nnodes = \"n[\"\ngres = { fpga = 1 }\n"),
              HasSubstr("t.toml:5: "));
  EXPECT_THAT(error_with("[attributes]\nnodes = \"n1\"\n"), HasSubstr("[[attributes]]"));
}

}  // namespace
}  // namespace tofa::node_attributes_test
