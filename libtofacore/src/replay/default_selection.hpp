// SPDX-License-Identifier: BSD-3-Clause
// Which nodes Slurm gives a job by itself. With switches (topology/tree, and select/cons_tres as of
// 22.05): nodes of the leaf switch that has the fewest free ones and still enough; where none has
// enough, of the leaf below the smallest switch that has, and on from there, the leaf that is
// nearest to those taken next; within a leaf in the order of their numbers. Without: from the run
// of consecutive free nodes that is the shortest of those that suffice, else the longest, and so
// on.
#pragma once

#include <vector>

#include "replay/free_nodes.hpp"
#include "replay/machine_groups.hpp"

namespace tofa {

// Nodes of `allowed` that fit, ascending; empty where they are too few.
std::vector<Node> default_selection(const MachineGroups& groups, const FreeNodes& free,
                                    const NodeSet& allowed, const NodeRequest& request);

}  // namespace tofa
