// SPDX-License-Identifier: BSD-3-Clause
// The list of metrics, in the order of JSON reports. Text has plain counts first.
#include <array>

#include "tofa/metrics.hpp"

namespace tofa {

extern const Metric kRanksMetric, kBytesMetric, kHopBytesMetric, kAverageHopsMetric,
    kDilationMetric, kMaxLinkLoadMetric, kCompletionTimeMetric, kFaultWeightedCostMetric,
    kAbortProbabilityMetric, kNodesUsedMetric;

std::span<const Metric* const> metric_registry() {
  static constexpr std::array metrics{
      &kRanksMetric,
      &kBytesMetric,
      &kHopBytesMetric,
      &kAverageHopsMetric,
      &kDilationMetric,
      &kMaxLinkLoadMetric,
      &kCompletionTimeMetric,
      &kFaultWeightedCostMetric,
      &kAbortProbabilityMetric,
      &kNodesUsedMetric,
  };
  return metrics;
}

}  // namespace tofa
