// SPDX-License-Identifier: BSD-3-Clause
// ranks: how many ranks there are.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kRanksMetric{
    .name = "ranks",
    .title = "ranks",
    .unit = MetricUnit::count,
    .compared = false,
    .value = [](const Gathered& gathered) -> MetricValue { return gathered.sums.ranks; },
};

}  // namespace tofa
