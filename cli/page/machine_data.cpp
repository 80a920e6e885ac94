// SPDX-License-Identifier: BSD-3-Clause
// The machine for a page: see machine_data.hpp. Points and loads are lists of bytes, so that
// thousands of nodes are some hundred KB.
#include "page/machine_data.hpp"

#include <fmt/core.h>

#include "page/packed.hpp"
#include "picture/heatmap_grid.hpp"

namespace tofa::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestRankList = 60;  // of ranks, in characters

// Of wires, in their order.
std::vector<double> loads_of(const Scene& scene, const MachineState& state) {
  std::vector<double> loads;
  for (const SceneWire& wire : scene.wires) loads.push_back(busiest_of(wire.links, state));
  return loads;
}

Json ranks_json(const Scene& scene, const MachineState& state) {
  Json list = Json::array();
  for (std::size_t i = 0; i < scene.nodes; ++i) {
    const std::vector<Rank>& ranks = state.ranks[scene.vertices[i]];
    list.push_back(ranks.empty() ? "" : rank_label(ranks, kLongestRankList));
  }
  return list;
}

// What is known of one mapping.
Json panel_json(const Scene& scene, const Topology& topology, const std::string& title,
                const MachineState& state, bool bytes) {
  const Metrics& metrics = state.metrics;
  std::string figures = fmt::format(
      "{:.3g} hops per {}, busiest link {}{}, {} nodes in use", metrics.average_hops_per_byte,
      bytes ? "byte" : "message", format_amount(metrics.max_link_load, bytes),
      topology.link_costs() != nullptr ? " as on the fastest" : "", metrics.nodes_used);
  if (metrics.abort_probability > 0)
    figures += fmt::format(", abort probability {:.3g}", metrics.abort_probability);
  return {{"title", title},
          {"figures", figures},
          {"loads", packed_floats(loads_of(scene, state))},
          {"ranks", ranks_json(scene, state)}};
}

Json captions_json(const Scene& scene) {
  Json list = Json::array();
  for (const SceneCaption& caption : scene.captions)
    list.push_back({{"at", {caption.at.x, caption.at.y, caption.at.z}}, {"text", caption.text}});
  return list;
}

}  // namespace

Json machine_json(const Scene& scene, const PageMachine& machine, const MachineStates& states,
                  bool bytes) {
  const Topology& topology = machine.topology;
  std::vector<double> points;
  for (const Point3& place : scene.points) points.insert(points.end(), {place.x, place.y, place.z});
  std::vector<std::uint32_t> wires;
  for (const SceneWire& wire : scene.wires) wires.insert(wires.end(), {wire.from, wire.to});
  Json names = Json::array();
  Json locations = Json::array();
  Json outages = Json::array();
  for (std::size_t i = 0; i < scene.vertices.size(); ++i) {
    const std::uint32_t vertex = scene.vertices[i];
    names.push_back(topology.vertex_name(vertex));
    if (i >= scene.nodes) continue;
    locations.push_back(topology.location(vertex));
    const double probability = machine.outages.probability(vertex);
    if (probability > 0) outages.push_back({i, probability});
  }
  return {{"title", topology.describe()},
          {"shape", scene.shape},
          {"yaw", scene.yaw},
          {"pitch", scene.pitch},
          {"radius", scene.node_radius},
          {"nodes", scene.nodes},
          {"points", packed_floats(points)},
          {"wires", packed_numbers(wires)},
          {"names", names},
          {"locations", locations},
          {"outages", outages},
          {"captions", captions_json(scene)},
          {"notes", scene.notes},
          {"bytes", bytes},
          {"panels",
           {panel_json(scene, topology, machine.before_title, states.before, bytes),
            panel_json(scene, topology, machine.after_title, states.after, bytes)}}};
}

}  // namespace tofa::cli
