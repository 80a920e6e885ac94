// SPDX-License-Identifier: BSD-3-Clause
// The switch that the first link out of a node leads to. A node of a torus has none, also where
// there is a place without a node beside it.
#include "common/switches.hpp"

#include "tofa/topology.hpp"

namespace tofa::health {

SwitchOfHost switches_of(const std::vector<std::string>& hosts, const Topology& topology) {
  if (topology.grid() != nullptr) return SwitchOfHost(hosts.size());
  std::vector<std::optional<std::uint32_t>> by_node(topology.nodes());
  for (Link link = 0; link < topology.links(); ++link) {
    const std::uint32_t source = topology.link_source(link);
    const std::uint32_t target = topology.link_target(link);
    if (source < topology.nodes() && target >= topology.nodes() && !by_node[source]) {
      by_node[source] = target;
    }
  }
  SwitchOfHost switches(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (const auto node = topology.find(hosts[i])) switches[i] = by_node[topology.host(*node)];
  }
  return switches;
}

}  // namespace tofa::health
