// SPDX-License-Identifier: BSD-3-Clause
// congestion: bytes over the busiest link.
#include "mapping/objective.hpp"

namespace tofa {

extern constexpr ObjectiveEntry kCongestion{
    .name = "congestion",
    .value =
        [](const Metrics& metrics, double /*abort_cost*/) {
          // Hop-bytes break ties: they exceed the busiest link's load by less than this factor.
          return metrics.max_link_load + metrics.hop_bytes * 1e-9;
        },
    .counts_loads = true,
    .counts_link_costs = true,
};

}  // namespace tofa
