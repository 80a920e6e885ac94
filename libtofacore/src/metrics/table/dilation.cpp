// SPDX-License-Identifier: BSD-3-Clause
// dilation: most hops between two ranks that talk.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kDilationMetric{
    .name = "dilation",
    .title = "dilation",
    .unit = MetricUnit::hops,
    .compared = true,
    .value = [](const Gathered& gathered) -> MetricValue { return gathered.sums.dilation; },
};

}  // namespace tofa
