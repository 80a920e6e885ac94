// SPDX-License-Identifier: BSD-3-Clause
// Topology files: every node is found by its name, and routes are as long as they say and connect.
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tofa;
  constexpr Node kMostChecked = 16;
  fuzz::parse_or_refuse([&] {
    const auto topology = parse_topology(fuzz::as_text(data, size), "input");
    const Node checked = topology->nodes() < kMostChecked ? topology->nodes() : kMostChecked;
    for (Node from = 0; from < checked; ++from) {
      fuzz::require(topology->find(topology->name(from)) == from);
      for (Node to = 0; to < checked; ++to) check_route(*topology, from, to);
    }
  });
  return 0;
}
