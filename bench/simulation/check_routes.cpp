// SPDX-License-Identifier: BSD-3-Clause
// check_routes PLATFORM.xml TOPOLOGY.toml: whether SimGrid and tofa take the same way between every
// pair of nodes. Predictions are worth something only if they do.
#include <fmt/core.h>

#include <cstdio>
#include <exception>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

#include "tofa/topology.hpp"

namespace {

// The next node of a route that has come to `at` and takes the link
// torus_link_from_A_to_B_UP (from A to B) or torus_link_from_A_to_B_DOWN (from B to A).
std::string next_node(const std::string& at, const std::string& link) {
  unsigned a = 0;
  unsigned b = 0;
  char direction = 0;
  if (std::sscanf(link.c_str(), "torus_link_from_%u_to_%u_%c", &a, &b, &direction) != 3) {
    return "after link " + link;
  }
  const auto from = "n" + std::to_string(direction == 'U' ? a : b);
  return from == at ? "n" + std::to_string(direction == 'U' ? b : a) : "not from " + at;
}

std::vector<std::string> simgrid_route(const simgrid::s4u::Host& from,
                                       const simgrid::s4u::Host& to) {
  std::vector<simgrid::s4u::Link*> links;
  double latency = 0;
  from.route_to(&to, links, &latency);
  std::vector<std::string> nodes{from.get_name()};
  for (const auto* link : links) nodes.push_back(next_node(nodes.back(), link->get_name()));
  return nodes;
}

std::vector<std::string> tofa_route(const tofa::Topology& topology, tofa::Node from,
                                    tofa::Node to) {
  std::vector<tofa::Link> links;
  topology.route(from, to, links);
  std::vector<std::string> nodes{topology.name(from)};
  for (const tofa::Link link : links) nodes.push_back(topology.name(topology.link_target(link)));
  return nodes;
}

int compare(const simgrid::s4u::Engine& engine, const tofa::Topology& topology) {
  for (tofa::Node a = 0; a < topology.nodes(); ++a) {
    for (tofa::Node b = 0; b < topology.nodes(); ++b) {
      if (a == b) continue;
      const auto theirs = simgrid_route(*engine.host_by_name(topology.name(a)),
                                        *engine.host_by_name(topology.name(b)));
      if (theirs == tofa_route(topology, a, b)) continue;
      fmt::print(stderr, "routes from {} to {} differ\n", topology.name(a), topology.name(b));
      return 1;
    }
  }
  fmt::print("{}: the same routes between all {} nodes\n", topology.describe(), topology.nodes());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  simgrid::s4u::Engine engine(&argc, argv);
  if (argc != 3) {
    fmt::print(stderr, "usage: check_routes PLATFORM.xml TOPOLOGY.toml\n");
    return 2;
  }
  try {
    engine.load_platform(argv[1]);
    return compare(engine, *tofa::read_topology(argv[2]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "check_routes: {}\n", error.what());
    return 1;
  }
}
