// SPDX-License-Identifier: BSD-3-Clause
// Every host is drawn once, where its machine has it.
#include "web/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/topology.hpp"

namespace tofa::health {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Layout, IsARowWithoutATopology) {
  EXPECT_THAT(lay_out({"a", "b"}, nullptr), ElementsAre(LayoutGroup{"", 0, {"a", "b"}}));
  EXPECT_THAT(lay_out({}, nullptr), IsEmpty());
}

TEST(Layout, HasThePlanesOfATorus) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [2, 2, 2]\nnodes = \"n[0-7]\"\n", "torus.toml");
  EXPECT_THAT(lay_out({"n1", "n0", "x", "n7.cluster", "n2"}, torus.get()),
              ElementsAre(LayoutGroup{"z = 0", 2, {"n0", "n1", "n2", ""}},
                          LayoutGroup{"z = 1", 2, {"", "", "", "n7.cluster"}},
                          LayoutGroup{"other hosts", 0, {"x"}}));
}

TEST(Layout, HasAPlaneForAllButTheFirstTwoDimensions) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"mesh\"\nshape = [1, 1, 1, 2]\nnodes = \"n[0-1]\"\n", "mesh.toml");
  EXPECT_THAT(lay_out({"n0", "n1"}, torus.get()), ElementsAre(LayoutGroup{"[*,*,0,0]", 1, {"n0"}},
                                                              LayoutGroup{"[*,*,0,1]", 1, {"n1"}}));
  const auto line =
      parse_topology("[topology]\nkind = \"mesh\"\nshape = [2]\nnodes = \"n[0-1]\"\n", "line.toml");
  EXPECT_THAT(lay_out({"n0", "n1"}, line.get()), ElementsAre(LayoutGroup{"", 2, {"n0", "n1"}}));
}

TEST(Layout, HasTheHostsBelowEachSwitch) {
  const auto tree = parse_topology(
      "SwitchName=s1 Nodes=n[0-1]\nSwitchName=s2 Nodes=n[2-3]\nSwitchName=top Switches=s[1-2]\n",
      "topology.conf");
  EXPECT_THAT(lay_out({"n3", "n0", "n1", "x"}, tree.get()),
              ElementsAre(LayoutGroup{"s1", 0, {"n0", "n1"}}, LayoutGroup{"s2", 0, {"n3"}},
                          LayoutGroup{"other hosts", 0, {"x"}}));
}

TEST(Layout, AsJson) {
  EXPECT_EQ(layout_json({{"s1", 2, {"n0", ""}}}),
            "[{\"name\":\"s1\",\"columns\":2,\"hosts\":[\"n0\",\"\"]}]\n");
}

}  // namespace
}  // namespace tofa::health
