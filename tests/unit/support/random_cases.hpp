// SPDX-License-Identifier: BSD-3-Clause
// Random grids, graphs, allocations and outages for property tests, small enough to check by brute
// force.
#pragma once

#include <rapidcheck.h>

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "support/random_files.hpp"
#include "tofa/place.hpp"
#include "topology/grid_topology.hpp"
#include "topology/hosted.hpp"

namespace tofa::test {

// Work is measured in seconds of an ordinary core, and the limit is far off, so that a slow machine
// or a sanitizer changes nothing.
inline PlaceOptions options_with_work(double seconds) {
  PlaceOptions options;
  options.work = PlannedWork{seconds};
  options.time_limit_seconds = 600;
  return options;
}

inline GridSpec any_grid_spec(const std::vector<unsigned>& shape) {
  GridSpec spec;
  spec.shape = shape;
  const std::size_t dims = shape.size();
  spec.wrap = *rc::gen::container<std::vector<bool>>(dims, rc::gen::arbitrary<bool>());
  spec.kind = "torus";
  complete_grid_spec(spec, true);
  spec.tie = *rc::gen::element(TieRule::positive, TieRule::destination_parity);
  // Any order of dimensions: rotate the natural one.
  const auto shift = *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(dims));
  std::rotate(spec.order.begin(), spec.order.begin() + shift, spec.order.end());
  std::uint32_t positions = 1;
  for (const unsigned extent : spec.shape) positions *= extent;
  // Leave some positions without a node, but not all.
  for (std::uint32_t position = 0; position < positions; ++position) {
    if (position > 0 && *rc::gen::inRange(0, 8) == 0) continue;
    spec.names.push_back("n" + std::to_string(position));
    spec.positions.push_back(position);
  }
  return spec;
}

inline GridSpec any_grid_spec() {
  const auto dims = *rc::gen::inRange<std::size_t>(1, 5);
  return any_grid_spec(*rc::gen::container<std::vector<unsigned>>(dims, rc::gen::inRange(1U, 6U)));
}

inline std::unique_ptr<Topology> any_network() {
  switch (*rc::gen::inRange(0, 8)) {
    case 0: {
      std::vector<std::string> names;
      const int count = *rc::gen::inRange(1, 30);
      for (int i = 0; i < count; ++i) names.push_back("f" + std::to_string(i));
      return make_flat_topology(names);
    }
    case 1:
      return parse_topology(any_tree_file(), "tree.conf");
    case 2:
      return parse_topology(any_fat_tree_file(), "fat_tree.toml");
    case 3:
      return parse_topology(any_dragonfly_file(), "dragonfly.toml");
    case 4:
      return parse_topology(any_graph_file(), "graph.toml");
    default:
      return std::make_unique<GridTopology>(any_grid_spec());
  }
}

// Gives some links a load, in every other case, and costs by any rule.
inline void weigh_some_links(Topology& topology) {
  if (topology.links() == 0 || *rc::gen::arbitrary<bool>()) return;
  LinkUse use;
  use.bytes_per_second.resize(topology.links());
  for (int i = 0; i < 5; ++i) {
    use.bytes_per_second[*rc::gen::inRange<Link>(0, topology.links())] =
        kAssumedBandwidth * *rc::gen::inRange(0, 100) / 100.0;
  }
  const auto reduction =
      *rc::gen::element(RouteReduction::sum, RouteReduction::min, RouteReduction::max);
  weigh_links(topology, use, {LinkMeasure::bandwidth, reduction});
}

// Sometimes with virtual hosts, and nodes that have resources.
inline std::unique_ptr<Topology> any_topology() {
  auto topology = any_network();
  if (*rc::gen::inRange(0, 3) == 0) {
    std::vector<std::string> names;
    const auto hosts = *rc::gen::container<std::vector<Node>>(
        *rc::gen::inRange(1U, 6U), rc::gen::inRange<Node>(0, topology->nodes()));
    for (std::size_t i = 0; i < hosts.size(); ++i) names.push_back("vm" + std::to_string(i));
    topology = make_hosted_topology(std::move(topology), names, hosts);
  }
  for (Node node = 0; node < topology->nodes(); ++node) {
    if (*rc::gen::inRange(0, 4) == 0)
      topology->set_resource(node, "fpga", *rc::gen::inRange(0U, 4U));
    if (*rc::gen::inRange(0, 4) == 0)
      topology->set_resource(node, "gpu", *rc::gen::inRange(0U, 4U));
  }
  return topology;
}

inline Node any_node(const Topology& topology) {
  return *rc::gen::inRange<Node>(0, topology.nodes());
}

// Up to `most` ranks with a handful of entries each.
inline CommGraph any_graph(Rank most) {
  Traffic traffic;
  traffic.ranks = *rc::gen::inRange<Rank>(1, std::max<Rank>(2, most + 1));
  const int count = *rc::gen::inRange(0, 60);
  for (int i = 0; i < count; ++i) {
    traffic.entries.push_back({*rc::gen::inRange<Rank>(0, traffic.ranks),
                               *rc::gen::inRange<Rank>(0, traffic.ranks),
                               *rc::gen::inRange<Bytes>(0, 100'000)});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

inline OutageMap any_outages(const Topology& topology) {
  OutageList list;
  for (Node node = 0; node < topology.nodes(); ++node) {
    if (*rc::gen::inRange(0, 6) == 0) {
      list.push_back({topology.name(node), *rc::gen::element(0.0, 0.01, 0.5, 1.0), -1});
    }
  }
  return OutageMap(list, topology);
}

// Every node with 1 to 3 slots, in shuffled order.
inline Allocation any_allocation(const Topology& topology) {
  std::vector<Node> nodes(topology.nodes());
  std::iota(nodes.begin(), nodes.end(), Node{0});
  Allocation allocation;
  const auto shift = *rc::gen::inRange<std::size_t>(0, nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    allocation.push_back({nodes[(i * 7 + shift) % nodes.size()], *rc::gen::inRange(1U, 4U)});
  }
  // 7 may divide the number of nodes: keep the first mention of each.
  std::vector<bool> seen(topology.nodes());
  std::erase_if(allocation, [&seen](const AllocationEntry& entry) {
    const bool twice = seen[entry.node];
    seen[entry.node] = true;
    return twice;
  });
  return allocation;
}

inline unsigned total_slots(const Allocation& allocation) {
  return static_cast<unsigned>(tofa::total_slots(allocation));
}

}  // namespace tofa::test
