// SPDX-License-Identifier: BSD-3-Clause
// fault-weighted: hop-bytes with the distances of equation 1 of the TOFA paper, in bytes.
#include "mapping/objective.hpp"

namespace tofa {

extern constexpr ObjectiveEntry kFaultWeighted{
    .name = "fault-weighted",
    .value = [](const Metrics& metrics,
                double /*abort_cost*/) { return metrics.fault_weighted_cost; },
    .counts_fault_weights = true,
};

}  // namespace tofa
