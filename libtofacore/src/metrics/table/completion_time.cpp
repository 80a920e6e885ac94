// SPDX-License-Identifier: BSD-3-Clause
// completion_time: the expected communication time of a job that is run until no node fails.
#include <algorithm>

#include "metrics/gathered.hpp"

namespace tofa {

double communication_time(const Metrics& metrics) {
  constexpr double busiest_link = 1.5;  // what it counts for
  const double bytes = std::max<double>(static_cast<double>(metrics.bytes), 1);
  const double own = 2 * bytes / std::max<double>(metrics.ranks, 1);
  const double met = metrics.squared_load / bytes;
  return own + busiest_link * metrics.max_link_load + met;
}

// An attempt fails with probability P, so P / (1 - P) attempts fail before the one that succeeds,
// and each costs the job `abort_cost` times the communication of a whole run. That is more than the
// communication itself, since the work in between is lost as well and the job waits in the queue
// again.
double completion_time(const Metrics& metrics, double abort_cost) {
  const double survival = std::max(1 - metrics.abort_probability, kLeastSurvival);
  const double failures = metrics.abort_probability / survival;
  return communication_time(metrics) * (1 + abort_cost * failures);
}

extern constexpr Metric kCompletionTimeMetric{
    .name = "completion_time",
    .title = "",
    .unit = MetricUnit::cost,
    .compared = false,
    .value = [](const Gathered& gathered) -> MetricValue {
      return completion_time(gathered.sums, gathered.abort_cost);
    },
};

}  // namespace tofa
