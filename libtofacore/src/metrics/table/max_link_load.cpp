// SPDX-License-Identifier: BSD-3-Clause
// max_link_load: bytes over the busiest directed link.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kMaxLinkLoadMetric{
    .name = "max_link_load",
    .title = "maximum link load",
    .unit = MetricUnit::bytes,
    .compared = true,
    .value = [](const Gathered& gathered) -> MetricValue { return gathered.sums.max_link_load; },
};

}  // namespace tofa
