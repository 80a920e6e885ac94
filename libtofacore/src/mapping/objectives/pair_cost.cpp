// SPDX-License-Identifier: BSD-3-Clause
// pair-cost: bytes times what their way costs, by the rule that link costs were made with;
// hop-bytes where links are alike.
#include "mapping/objective.hpp"

namespace tofa {

extern constexpr ObjectiveEntry kPairCost{
    .name = "pair-cost",
    .value = [](const Metrics& metrics, double /*abort_cost*/) { return metrics.pair_cost; },
    .counts_loads = true,
    .counts_link_costs = true,
};

}  // namespace tofa
