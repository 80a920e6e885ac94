// SPDX-License-Identifier: BSD-3-Clause
// average_hops_per_byte: hops that a byte takes on average.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kAverageHopsMetric{
    .name = "average_hops_per_byte",
    .title = "average hops per byte",
    .unit = MetricUnit::hops_per_byte,
    .compared = true,
    .value = [](const Gathered& gathered) -> MetricValue {
      return gathered.sums.average_hops_per_byte;
    },
};

}  // namespace tofa
