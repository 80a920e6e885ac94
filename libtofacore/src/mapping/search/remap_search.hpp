// SPDX-License-Identifier: BSD-3-Clause
// Which ranks move, and where to, at a fixed number of moves. Of every node as many ranks leave as
// must; who they are and which free slots they take is what the search changes, one exchange after
// the other: a rank that moves takes another free slot, trades it with another that moves, or goes
// back home while one that stayed there leaves in its place.
#pragma once

#include "mapping/mapper.hpp"

namespace tofa {

// Better than `start`, or as good, on the objective, with as many moves away from `old`, and such
// that no single exchange is better yet, unless the work that is allowed ends before. `start`
// respects the slots, takes no rank from a node that has slots for all that it holds, and brings
// none to a node that some must leave.
Mapping search_moves(const MappingTask& task, const Mapping& old, const Mapping& start);

}  // namespace tofa
