// SPDX-License-Identifier: BSD-3-Clause
// What a mapping costs. Loading a graph symmetrises it, so each pair's bytes are taken to travel
// half one way and half the other, over the routes of the topology.
#pragma once

#include <cstddef>

#include "tofa/comm_graph.hpp"
#include "tofa/outage.hpp"
#include "tofa/topology.hpp"

namespace tofa {

struct Metrics {
  Rank ranks = 0;
  Bytes bytes = 0;                   // sum of w over unordered pairs
  double hop_bytes = 0;              // sum of w(i,j) * hops(node(i), node(j))
  double average_hops_per_byte = 0;  // hop_bytes / bytes, 0 without traffic
  unsigned dilation = 0;             // most hops between two ranks that talk
  double max_link_load = 0;          // bytes over the busiest directed link
  double squared_load = 0;           // sum over directed links of the square of their bytes
  double fault_weighted_cost = 0;    // sum of w(i,j) * equation 1, mean of both directions
  double abort_probability =
      0;  // 1 - product of (1 - p) over nodes that hold a rank or forward its traffic
  std::size_t nodes_used = 0;  // nodes that hold a rank
};

// `mapping` has graph.ranks() entries, each a node of the topology. Throws Error otherwise.
Metrics evaluate(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                 const Mapping& mapping);

}  // namespace tofa
