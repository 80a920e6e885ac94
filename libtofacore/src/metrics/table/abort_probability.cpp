// SPDX-License-Identifier: BSD-3-Clause
// abort_probability: how likely a node that the mapping needs fails.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kAbortProbabilityMetric{
    .name = "abort_probability",
    .title = "abort probability",
    .unit = MetricUnit::probability,
    .compared = true,
    .value = [](const Gathered& gathered) -> MetricValue {
      return gathered.sums.abort_probability;
    },
};

}  // namespace tofa
