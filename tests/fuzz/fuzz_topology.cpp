// SPDX-License-Identifier: BSD-3-Clause
// Topology files of every kind, and Slurm's topology.conf: every node is found by its name, routes
// are as long as they say and connect, distances are the same both ways, and links join vertices.
#include <vector>

#include "fuzz_target.hpp"
#include "tofa/topology.hpp"

namespace {

void check_route(const tofa::Topology& topology, tofa::Node from, tofa::Node to) {
  std::vector<tofa::Link> route;
  topology.route(from, to, route);
  tofa::fuzz::require(route.size() == topology.hops(from, to));
  std::uint32_t at = from;
  for (const tofa::Link link : route) {
    tofa::fuzz::require(link < topology.links() && topology.link_source(link) == at);
    at = topology.link_target(link);
  }
  tofa::fuzz::require(at == to);
}

void check_links(const tofa::Topology& topology) {
  constexpr tofa::Link kMostLinks = 1000;
  for (tofa::Link link = 0; link < topology.links() && link < kMostLinks; ++link) {
    const std::uint32_t source = topology.link_source(link);
    const std::uint32_t target = topology.link_target(link);
    tofa::fuzz::require(source < topology.vertices() && target < topology.vertices());
    tofa::fuzz::require(!topology.vertex_name(source).empty());
  }
}

void check_topology(const tofa::Topology& topology) {
  constexpr tofa::Node kMostChecked = 16;
  const tofa::Node checked = topology.nodes() < kMostChecked ? topology.nodes() : kMostChecked;
  for (tofa::Node from = 0; from < checked; ++from) {
    tofa::fuzz::require(topology.find(topology.name(from)) == from);
    for (tofa::Node to = 0; to < checked; ++to) {
      tofa::fuzz::require(topology.hops(from, to) == topology.hops(to, from));
      check_route(topology, from, to);
    }
  }
  check_links(topology);
  const auto hierarchy = topology.hierarchy();
  tofa::fuzz::require(!hierarchy || hierarchy->leaf.size() == topology.nodes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  const std::string_view text = fuzz::as_text(data, size);
  fuzz::parse_or_refuse([&] { check_topology(*parse_topology(text, "input")); });
  fuzz::parse_or_refuse([&] { check_topology(*parse_slurm_topology(text, "input")); });
  return 0;
}
