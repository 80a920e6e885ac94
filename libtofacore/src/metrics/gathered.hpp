// SPDX-License-Identifier: BSD-3-Clause
// What evaluate() finds in its one pass over the traffic, for metrics to be worked out from.
#pragma once

#include <vector>

#include "tofa/metrics.hpp"

namespace tofa {

struct Gathered {
  const CommGraph& graph;
  const Topology& topology;
  const OutageMap& outages;
  const Mapping& mapping;
  double abort_cost;
  const Metrics& sums;  // all but `values`
  const std::vector<double>&
      bytes_by_hops;                      // traffic by how many hops it takes, up to the dilation
  const std::vector<double>& link_loads;  // bytes by directed link
  const std::vector<bool>& nodes;         // which hold a rank
};

}  // namespace tofa
