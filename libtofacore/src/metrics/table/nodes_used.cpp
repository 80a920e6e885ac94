// SPDX-License-Identifier: BSD-3-Clause
// nodes_used: how many nodes hold a rank.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kNodesUsedMetric{
    .name = "nodes_used",
    .title = "nodes used",
    .unit = MetricUnit::count,
    .compared = true,
    .value = [](const Gathered& gathered) -> MetricValue { return gathered.sums.nodes_used; },
};

}  // namespace tofa
