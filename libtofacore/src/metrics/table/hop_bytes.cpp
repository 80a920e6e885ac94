// SPDX-License-Identifier: BSD-3-Clause
// hop_bytes: bytes times the hops they take.
#include "metrics/gathered.hpp"

namespace tofa {

extern constexpr Metric kHopBytesMetric{
    .name = "hop_bytes",
    .title = "hop-bytes",
    .unit = MetricUnit::bytes,
    .compared = false,
    .value = [](const Gathered& gathered) -> MetricValue { return gathered.sums.hop_bytes; },
};

}  // namespace tofa
