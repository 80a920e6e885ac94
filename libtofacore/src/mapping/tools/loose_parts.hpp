// SPDX-License-Identifier: BSD-3-Clause
// What traffic falls apart into, as that of an ensemble of runs in one job, or of models that are
// coupled loosely. Few bytes between parts are overlooked, and so are a few far pairs
// (tools/strangers.hpp), as where runs exchange replicas.
#pragma once

#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// Parts that are worth places of their own, with their ranks in order, the largest first; all other
// ranks are the last part. By what carries most of the traffic (`strong`, its backbone, or null),
// if that falls apart, or by all of it, or by all but a few pairs. Empty where nothing falls apart.
std::vector<std::vector<Rank>> loose_parts(const CommGraph& graph, const CommGraph* strong);

}  // namespace tofa
