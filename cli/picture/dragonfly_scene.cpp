// SPDX-License-Identifier: BSD-3-Clause
// Dragonflies in space: a circle of groups, a circle of routers in each, and below every router its
// nodes; the cables between groups cross the large circle.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "picture/scene.hpp"
#include "tofa/error.hpp"

namespace tofa::cli {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kRouterGap = 0.5;   // between the nodes of two routers
constexpr double kGroupGap = 2;      // between two groups
constexpr double kRouterHeight = 2;  // above the nodes
constexpr unsigned kMostCaptions = 36;

// A circle on which `count` things of that size have room.
double radius_for(unsigned count, double size) {
  return count == 1 ? 0 : size / (2 * std::sin(std::numbers::pi / count));
}

Point3 on_circle(Point3 middle, double radius, unsigned at, unsigned count, double begin) {
  const double angle = begin + kTurn * at / count;
  return {middle.x + radius * std::sin(angle), middle.y - radius * std::cos(angle), middle.z};
}

}  // namespace

Scene dragonfly_scene(const Topology& topology, const Hierarchy& hierarchy) {
  const unsigned groups = hierarchy.fan_out.at(0);
  const unsigned routers = hierarchy.fan_out.at(1);
  const unsigned nodes = hierarchy.fan_out.at(2);
  // Routers are numbered group by group, and nodes router by router.
  if (std::uint64_t{groups} * routers + topology.nodes() != topology.vertices())
    throw Error(ErrorKind::unmet, "this dragonfly has more switches than routers");
  const auto side = static_cast<unsigned>(std::ceil(std::sqrt(nodes)));  // of a router's nodes
  // So far apart, squares have room whichever way they stand to each other.
  const double router_radius =
      radius_for(routers, std::max(side + kRouterGap, side * std::numbers::sqrt2));
  const double group_radius =
      radius_for(groups, 2 * router_radius + side * std::numbers::sqrt2 + kGroupGap);

  Scene scene;
  scene.shape = "dragonfly";
  std::vector<Point3> places(topology.vertices());
  std::vector<unsigned> below(std::size_t{groups} * routers);  // nodes at each router so far
  for (std::uint32_t router = 0; router < groups * routers; ++router) {
    const unsigned group = router / routers;
    const Point3 middle = on_circle({0, 0, kRouterHeight}, group_radius, group, groups, 0);
    places[topology.nodes() + router] =
        on_circle(middle, router_radius, router % routers, routers, kTurn * group / groups);
  }
  for (Node node = 0; node < topology.nodes(); ++node) {
    if (topology.host(node) != node) continue;
    const std::uint32_t router = hierarchy.leaf[node] / nodes;
    const Point3 above = places[topology.nodes() + router];
    const unsigned at = below[router]++;
    const double first = (side - 1) / 2.0;
    places[node] = {above.x + at % side - first, above.y + std::floor(at / side) - first, 0};
  }
  add_vertices(scene, topology, places, std::vector<bool>(places.size(), true));
  add_wires(scene, topology);
  const unsigned step = (groups + kMostCaptions - 1) / kMostCaptions;
  for (unsigned group = 0; group < groups; group += step) {
    const double out = group_radius + router_radius + 1.5 * side + 0.5;
    scene.captions.push_back(
        {on_circle({0, 0, 0}, out, group, groups, 0), fmt::format("group {}", group)});
  }
  scene.node_radius = 0.32;
  scene.yaw = 12;
  scene.pitch = 38;
  scene.notes.emplace_back(
      "Groups stand in a circle, in each its routers above their nodes; cables between groups cross "
      "the circle.");
  return scene;
}

}  // namespace tofa::cli
