// SPDX-License-Identifier: BSD-3-Clause
// hop-bytes: bytes times the hops they take.
#include "mapping/objective.hpp"

namespace tofa {

extern constexpr ObjectiveEntry kHopBytes{
    .name = "hop-bytes",
    .value = [](const Metrics& metrics, double /*abort_cost*/) { return metrics.hop_bytes; },
};

}  // namespace tofa
