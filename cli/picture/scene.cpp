// SPDX-License-Identifier: BSD-3-Clause
// What all scenes share, and which way a network stands in space: see scene.hpp.
#include "picture/scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "picture/layout.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

Scene scene_of(const Topology& topology) {
  if (const Grid* grid = topology.grid(); grid != nullptr) return grid_scene(topology, *grid);
  if (has_levels(topology)) return tree_scene(topology);
  const std::optional<Hierarchy> hierarchy = topology.hierarchy();
  if (topology.kind() == "dragonfly" && hierarchy) return dragonfly_scene(topology, *hierarchy);
  throw Error(ErrorKind::unmet,
              fmt::format("there is no picture of a {} in space: grids (torus, mesh), trees (flat, "
                          "tree, fat-tree) and dragonflies can be drawn",
                          topology.kind()));
}

void check_size(const Topology& topology, std::size_t points, std::size_t wires) {
  if (points <= kMostScenePoints && wires <= kMostSceneWires) return;
  throw Error(ErrorKind::unmet,
              fmt::format("{} has too many parts to be turned in a browser: {} nodes and switches "
                          "with {} cables; pictures in space end at {} and {}",
                          topology.describe(), points, wires, kMostScenePoints, kMostSceneWires));
}

}  // namespace

void add_vertices(Scene& scene, const Topology& topology, const std::vector<Point3>& place_of,
                  const std::vector<bool>& drawn) {
  for (std::uint32_t vertex = 0; vertex < topology.vertices(); ++vertex) {
    const bool virtual_host = vertex < topology.nodes() && topology.host(vertex) != vertex;
    if (virtual_host || !drawn[vertex]) continue;
    if (vertex < topology.nodes()) ++scene.nodes;
    scene.vertices.push_back(vertex);
    scene.points.push_back(place_of[vertex]);
  }
}

void add_wires(Scene& scene, const Topology& topology) {
  std::map<std::uint32_t, std::uint32_t> point_of;  // by vertex
  for (std::uint32_t i = 0; i < scene.vertices.size(); ++i) point_of[scene.vertices[i]] = i;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Link>> pairs;
  for (Link link = 0; link < topology.links(); ++link) {
    const auto a = point_of.find(topology.link_source(link));
    const auto b = point_of.find(topology.link_target(link));
    if (a == point_of.end() || b == point_of.end() || a == b) continue;
    pairs[{std::min(a->second, b->second), std::max(a->second, b->second)}].push_back(link);
  }
  for (auto& [ends, links] : pairs)
    scene.wires.push_back({ends.first, ends.second, std::move(links)});
}

Scene lay_out_scene(const Topology& topology) {
  // Known before anything is drawn: two directions make a cable.
  check_size(topology, topology.vertices(), topology.links() / 2);
  Scene scene = scene_of(topology);
  check_size(topology, scene.points.size(), scene.wires.size());
  return scene;
}

}  // namespace tofa::cli
