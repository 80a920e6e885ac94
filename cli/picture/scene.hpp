// SPDX-License-Identifier: BSD-3-Clause
// Where the parts of a machine are in space: a point for every node and switch, a wire for every
// cable between them. Grids stand as they are; trees stand on their nodes, with the switches above
// these; the groups of a dragonfly stand in a circle. Pure geometry, as layout.hpp is on paper.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa::cli {

// To the right, to the back, and up; neighbouring nodes are about 1 apart.
struct Point3 {
  double x = 0;
  double y = 0;
  double z = 0;
};

// From one point to another, for some directed links: both directions of a cable, or of all cables
// that run in parallel there.
struct SceneWire {
  std::uint32_t from;  // points
  std::uint32_t to;
  std::vector<Link> links;
};

struct SceneCaption {
  Point3 at;
  std::string text;
};

struct Scene {
  std::string shape;  // "grid", "tree" or "dragonfly"
  std::vector<Point3> points;
  // The vertices of the topology that stand at the first of the points, first the nodes, then what
  // only forwards. The points behind them are ends of wires that lead elsewhere.
  std::vector<std::uint32_t> vertices;
  std::size_t nodes = 0;  // so many of the vertices
  std::vector<SceneWire> wires;
  std::vector<SceneCaption> captions;
  double node_radius = 0.25;
  double yaw = 0;    // from where it is looked at first, in degrees: round the vertical,
  double pitch = 0;  // and from above; 90 is straight down
  std::vector<std::string> notes;  // how to read it, a sentence each
};

// What a browser draws without being slow.
inline constexpr std::size_t kMostScenePoints = 20'000;
inline constexpr std::size_t kMostSceneWires = 70'000;

// Throws Error (unmet) when there is no way to draw this kind of network, or it is too large.
Scene lay_out_scene(const Topology& topology);

// The ways there are, for `lay_out_scene` to choose from.
Scene grid_scene(const Topology& topology, const Grid& grid);
Scene tree_scene(const Topology& topology);
Scene dragonfly_scene(const Topology& topology, const Hierarchy& hierarchy);

// Points for the vertices in that order, each at its place, for ways to begin with. Wires between
// these, one for all links between two of them.
void add_vertices(Scene& scene, const Topology& topology, const std::vector<Point3>& place_of,
                  const std::vector<bool>& drawn);
void add_wires(Scene& scene, const Topology& topology);

}  // namespace tofa::cli
