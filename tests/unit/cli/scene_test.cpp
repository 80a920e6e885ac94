// SPDX-License-Identifier: BSD-3-Clause
// Machines in space: every node and every link is there, nodes do not touch each other, and what is
// too large or of another kind is named.
#include "picture/scene.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "cli/machines.hpp"
#include "support.hpp"

namespace tofa::cli::scene_test {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;

double distance(const Point3& a, const Point3& b) {
  return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

// What every scene must keep to.
void expect_complete(const Topology& topology, const Scene& scene) {
  std::vector<int> seen(topology.vertices());
  for (const std::uint32_t vertex : scene.vertices) ++seen[vertex];
  for (std::uint32_t vertex = 0; vertex < topology.vertices(); ++vertex) {
    const bool virtual_host = vertex < topology.nodes() && topology.host(vertex) != vertex;
    EXPECT_EQ(seen[vertex], virtual_host ? 0 : 1) << topology.vertex_name(vertex);
  }
  ASSERT_GE(scene.points.size(), scene.vertices.size());
  for (std::size_t i = 0; i < scene.nodes; ++i) {
    EXPECT_LT(scene.vertices[i], topology.nodes());
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_GT(distance(scene.points[i], scene.points[j]), 2 * scene.node_radius)
          << topology.vertex_name(scene.vertices[i]) << " touches "
          << topology.vertex_name(scene.vertices[j]);
    }
  }
  // A link is one wire, or a short line at each of its ends.
  std::vector<int> ends(topology.links());
  for (const SceneWire& wire : scene.wires) {
    ASSERT_LT(wire.from, scene.points.size());
    ASSERT_LT(wire.to, scene.points.size());
    const bool whole = wire.to < scene.vertices.size();
    for (const Link link : wire.links) {
      ends[link] += whole ? 2 : 1;
      const std::uint32_t source = topology.link_source(link);
      const std::uint32_t target = topology.link_target(link);
      EXPECT_THAT((std::array{source, target}), Contains(scene.vertices[wire.from]));
      if (!whole) continue;
      EXPECT_THAT((std::array{source, target}), Contains(scene.vertices[wire.to]));
    }
  }
  EXPECT_THAT(ends, Each(2));
}

TEST(Scene, GridsOfAnyShapeAreComplete) {
  for (const auto& [shape, last] : std::map<std::string, int>{{"2", 1},
                                                              {"17", 16},
                                                              {"5, 3", 14},
                                                              {"2, 2, 2", 7},
                                                              {"8, 4, 2", 63},
                                                              {"4, 3, 2, 2", 47},
                                                              {"2, 3, 2, 2, 3, 2", 143}}) {
    SCOPED_TRACE(shape);
    const auto topology = torus(shape, "n[0-" + std::to_string(last) + "]");
    const Scene scene = lay_out_scene(*topology);
    EXPECT_EQ(scene.shape, "grid");
    EXPECT_EQ(scene.nodes, static_cast<std::size_t>(last) + 1);
    expect_complete(*topology, scene);
  }
}

TEST(Scene, AMeshHasNoShortLines) {
  const auto topology = machine("kind = \"mesh\"\nshape = [3, 3, 2]\nnodes = \"n[0-17]\"");
  const Scene scene = lay_out_scene(*topology);
  EXPECT_EQ(scene.points.size(), 18U);
  EXPECT_EQ(scene.wires.size(), 33U);
  EXPECT_THAT(scene.notes, IsEmpty());
  EXPECT_EQ(scene.captions.size(), 3U);
  const auto line = machine("kind = \"mesh\"\nshape = [9]\nnodes = \"n[0-8]\"");
  EXPECT_EQ(lay_out_scene(*line).wires.size(), 8U);
}

TEST(Scene, PositionsWithoutANodeAndVirtualHosts) {
  const auto topology = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4, 2]\nnodes = \"n[0-5]\"\n[[host]]\nname = \"vm0\"\n"
      "on = \"n3\"\n",
      "machine.toml");
  const Scene scene = lay_out_scene(*topology);
  EXPECT_EQ(scene.nodes, 6U);
  EXPECT_EQ(scene.vertices.size(), 8U);
  expect_complete(*topology, scene);
}

TEST(Scene, BlocksOfHigherDimensionsAreNamed) {
  const auto topology = torus("2, 2, 2, 2, 2", "n[0-31]");
  std::vector<std::string> texts;
  for (const SceneCaption& caption : lay_out_scene(*topology).captions)
    texts.push_back(caption.text);
  EXPECT_THAT(texts, Contains("u = 1, v = 0"));
  EXPECT_THAT(texts, Contains("z: 0 to 1"));
  EXPECT_EQ(texts.size(), 7U);
}

TEST(Scene, TreesStandOnTheirNodes) {
  for (const char* lines :
       {"kind = \"flat\"\nnodes = \"n[0-99]\"",
        "kind = \"fat-tree\"\ndown = [4, 4]\nup = [1, 2]\nnodes = \"n[0-15]\"",
        "kind = \"fat-tree\"\ndown = [6, 6]\nup = [1, 9]\nparallel = [1, 2]\n"
        "nodes = \"n[0-35]\"",
        "kind = \"fat-tree\"\ndown = [4, 4, 4]\nup = [1, 2, 4]\nnodes = \"n[0-63]\"",
        "kind = \"tree\"\n[[switch]]\nname = \"a\"\nnodes = \"n[0-40]\"\n[[switch]]\n"
        "name = \"b\"\nnodes = \"n[41-43]\"\n[[switch]]\nname = \"top\"\n"
        "switches = \"a,b\"\nnodes = \"x\""}) {
    SCOPED_TRACE(lines);
    const auto topology = machine(lines);
    const Scene scene = lay_out_scene(*topology);
    EXPECT_EQ(scene.shape, "tree");
    expect_complete(*topology, scene);
    for (const SceneWire& wire : scene.wires)
      EXPECT_GT(std::abs(scene.points[wire.from].z - scene.points[wire.to].z), 1);
    for (std::size_t i = 0; i < scene.nodes; ++i) EXPECT_EQ(scene.points[i].z, 0);
  }
}

TEST(Scene, ASmallTreeIsOneRowDeep) {
  const auto topology =
      machine("kind = \"fat-tree\"\ndown = [4, 4]\nup = [1, 2]\nnodes = \"n[0-15]\"");
  const Scene scene = lay_out_scene(*topology);
  for (std::size_t i = 1; i < scene.nodes; ++i) {
    EXPECT_EQ(scene.points[i].y, scene.points[0].y);
    EXPECT_GT(scene.points[i].x, scene.points[i - 1].x);
  }
}

TEST(Scene, Dragonflies) {
  for (const char* lines : {"groups = 9\nrouters = 4\nnodes_per_router = 2\nnodes = \"n[0-71]\"",
                            "groups = 5\nrouters = 2\nnodes_per_router = 9\nnodes = \"n[0-59]\"",
                            "groups = 3\nrouters = 16\nnodes_per_router = 5\nnodes = \"n[0-239]\"",
                            "groups = 1\nrouters = 1\nnodes_per_router = 3\nnodes = \"n[0-1]\""}) {
    SCOPED_TRACE(lines);
    const auto topology = machine(std::string("kind = \"dragonfly\"\n") + lines);
    const Scene scene = lay_out_scene(*topology);
    EXPECT_EQ(scene.shape, "dragonfly");
    expect_complete(*topology, scene);
  }
}

TEST(Scene, OfManyGroupsSomeAreNamed) {
  const auto topology = machine(
      "kind = \"dragonfly\"\ngroups = 80\nrouters = 1\nnodes_per_router = 1\nnodes = \"n[0-79]\"");
  const std::vector<SceneCaption> captions = lay_out_scene(*topology).captions;
  ASSERT_EQ(captions.size(), 27U);
  EXPECT_EQ(captions[1].text, "group 3");
}

TEST(Scene, WhatCannotBeDrawnIsNamed) {
  const auto why = [](const Topology& topology) {
    return test::error_of([&] { lay_out_scene(topology); });
  };
  EXPECT_THAT(why(*torus("32, 32, 32", "n[0-32767]")), HasSubstr("pictures in space end at 20000"));
  EXPECT_EQ(lay_out_scene(*torus("16, 16, 16", "n[0-4095]")).nodes, 4096U);
  EXPECT_THAT(why(*parse_topology("[topology]\nkind = \"graph\"\nnodes = \"a,b\"\n[[link]]\nends = "
                                  "[\"a\", \"b\"]\n",
                                  "machine.toml")),
              HasSubstr("there is no picture of a graph in space"));
}

}  // namespace
}  // namespace tofa::cli::scene_test
