// SPDX-License-Identifier: BSD-3-Clause
// Which nodes of an allocation ranks may use, and how many slots there are: decided here for all
// that place, remap and select. A dead node is one that is certain to fail.
#pragma once

#include <functional>

#include "tofa/place.hpp"

namespace tofa {

class Needs;

// The allocation without nodes that take no rank. Throws Error (bad_input) unless each node is one
// of the topology, and named once.
Allocation usable_nodes(const Allocation& allocation, const Topology& topology);

// Throws Error (unmet) when the allocation has too few slots.
void check_slots(const Allocation& allocation, Rank ranks);

// No node with more than so many slots.
Allocation with_at_most(Allocation allocation, unsigned slots);
// As many slots in all as ranks, as evenly as the nodes allow: every placement uses every node.
// There are enough slots.
Allocation spread(const Allocation& allocation, Rank ranks);

// The allocation without the nodes that `is_spared` names. When the other nodes have too few slots,
// only as many of theirs as are missing come back, those least likely to fail first; when they lack
// resources that are needed, those that have them. `needs` may be null.
Allocation without(const std::function<bool(Node)>& is_spared, const Allocation& allocation,
                   const OutageMap& outages, Rank ranks, const Needs* needs);

// The nodes that are not dead, which may be none.
Allocation alive_nodes(const Allocation& allocation, const OutageMap& outages);
// The allocation without dead nodes, but for those with resources that are needed and the others
// lack; all of it when the others are too few, since then the job fails whatever is done, if that
// is what the nodes do. `needs` may be null.
Allocation without_dead(const Allocation& allocation, const OutageMap& outages, Rank ranks,
                        const Needs* needs);
// Whether no node is dead, or none can be spared.
bool avoids_the_dead(const Allocation& allocation, const OutageMap& outages, Rank ranks);

}  // namespace tofa
