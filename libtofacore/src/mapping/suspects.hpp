// SPDX-License-Identifier: BSD-3-Clause
// Keeping away from nodes that are likely to fail, before any search starts.
#pragma once

#include "mapping/mapper.hpp"

namespace tofa {

// The allocation without nodes whose outage probability is `least` or more. When the other nodes
// have too few slots, only as many of theirs as are missing come back; when they lack resources
// that are needed, those that have them. `needs` may be null.
Allocation without_suspects(const Allocation& allocation, const OutageMap& outages, double least,
                            Rank ranks, const Needs* needs);

}  // namespace tofa
