// SPDX-License-Identifier: BSD-3-Clause
// fault_weighted_cost: equation 1 of the TOFA paper, weighted with the traffic.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kFaultWeightedCostMetric{
    .name = "fault_weighted_cost",
    .title = "fault-weighted cost",
    .unit = MetricUnit::cost,
    .compared = false,
    .value = [](const Gathered& gathered) -> MetricValue {
      return gathered.sums.fault_weighted_cost;
    },
};

}  // namespace tofa
