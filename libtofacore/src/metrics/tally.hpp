// SPDX-License-Identifier: BSD-3-Clause
// What passing over the pairs of ranks adds up, for the metrics of a mapping. Of large tasks two
// lanes count a half of the pairs each, which is most of the time that such tasks are placed in.
#pragma once

#include <cstdint>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/outage.hpp"
#include "tofa/topology.hpp"

namespace tofa {

struct Tally {
  double hop_bytes = 0;
  double pair_cost = 0;
  double fault_weighted_cost = 0;
  std::vector<double> bytes_by_hops;  // up to the dilation
  std::vector<double> link_loads;     // bytes by directed link
  // The vertices that hold a rank; and those that forward its traffic, as far as they are suspect.
  std::vector<bool> touched;
};

enum class Links : std::uint8_t { count, ignore };

// All nodes of the mapping are of the topology. Where links are ignored, so is the cost of pairs.
Tally count_pairs(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                  const Mapping& mapping, Links links);

}  // namespace tofa
