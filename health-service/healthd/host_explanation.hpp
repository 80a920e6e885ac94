// SPDX-License-Identifier: BSD-3-Clause
// The answer to `tofa health explain`, one line of JSON:
//
//     {"version": 1, "host": H, "class": C, "state": S, "since": T, "polled": T,
//      "horizon": SECONDS, "probability": P, "method": M, "formula": TEXT,
//      "numbers": [{"name": N, "value": X, "text": TEXT}, ...], "excluded": EXCLUSION,
//      "outages": [{"start": T, "end": T, "cause": TEXT}, ...]}
//
// The numbers lead to the probability as the formula says. "excluded" is there where it is. The
// outages are the latest that the service tells of the host.
#pragma once

#include <string>

#include "healthd/fleet.hpp"
#include "healthd/history.hpp"
#include "tofa/health_snapshot.hpp"

namespace tofa::health {

std::string explain_host(const HostExplanation& explained, const HostExclusion* excluded,
                         const History& history, double horizon_seconds);

}  // namespace tofa::health
