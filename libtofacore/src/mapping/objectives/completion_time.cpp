// SPDX-License-Identifier: BSD-3-Clause
// completion-time, the default: expected communication time in byte times, with what aborts cost.
#include "mapping/objective.hpp"

namespace tofa {

extern constexpr ObjectiveEntry kCompletionTime{
    .name = "completion-time",
    .value = completion_time,
    .counts_loads = true,
    .counts_risks = true,
    .counts_link_costs = true,
};

}  // namespace tofa
