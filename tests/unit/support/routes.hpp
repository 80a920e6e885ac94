// SPDX-License-Identifier: BSD-3-Clause
// Routes as people read them.
#pragma once

#include <string>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa::test {

// Names of the vertices a route passes, its end included.
inline std::vector<std::string> path(const Topology& topology, Node from, Node to) {
  std::vector<Link> links;
  topology.route(from, to, links);
  std::vector<std::string> names;
  names.reserve(links.size());
  for (const Link link : links) names.push_back(topology.vertex_name(topology.link_target(link)));
  return names;
}

inline std::vector<std::string> path(const Topology& topology, const char* from, const char* to) {
  return path(topology, *topology.find(from), *topology.find(to));
}

}  // namespace tofa::test
