// SPDX-License-Identifier: BSD-3-Clause
// bytes: what ranks on any nodes exchange, in bytes.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kBytesMetric{
    .name = "bytes",
    .title = "bytes",
    .unit = MetricUnit::bytes,
    .compared = false,
    .value = [](const Gathered& gathered) -> MetricValue { return gathered.sums.bytes; },
};

}  // namespace tofa
