// SPDX-License-Identifier: BSD-3-Clause
// Choosing the nodes of a job among many: those that a placement of its ranks on all of them would
// use, which are close together, in the shape of its traffic, and not likely to fail.
#pragma once

#include "tofa/place.hpp"

namespace tofa {

// Places the ranks on the nodes that suit best of `candidates`; the mapping names them. Unless
// `node_count` is 0, these are exactly so many, or as many as there are ranks, each with one at
// least, and none that is certain to fail, if there are enough others: half of the time is for
// choosing them, half for placing on them. Throws Error (unmet) when the ranks do not fit on so
// many nodes, and as `place` does.
Placement select_nodes(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                       const Allocation& candidates, unsigned node_count,
                       const PlaceOptions& options);

}  // namespace tofa
