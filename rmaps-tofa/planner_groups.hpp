// SPDX-License-Identifier: BSD-3-Clause
// Which ranks may go where, and how many ranks each node takes.
#pragma once

#include <cstddef>
#include <vector>

#include "planner.h"
#include "tofa/types.hpp"

namespace tofa::planner {

// Consecutive ranks that may go on the same nodes.
struct Group {
  Rank first = 0;
  Rank ranks = 0;
  // Indices into the nodes of the job, in the order the default fills them.
  std::vector<unsigned> nodes;
  std::vector<unsigned> filled;  // ranks that the default mapping puts on each of them
};

// All applications together where they may use the same nodes, so that their ranks can share them
// freely; otherwise one group per application.
std::vector<Group> group_apps(const tofa_job& job);

// Fills in `filled` of every group and returns how many more ranks each node of the job could take.
// With several CPUs per rank a rank takes as many slots, where that leaves room for all; when there
// are too few slots and the job may oversubscribe, the rest is spread evenly, as the runtime would.
// Throws Error (unmet) when the ranks do not fit.
std::vector<unsigned> fill_groups(const tofa_job& job, std::vector<Group>& groups);

// The default mapping of a group: blocks of ranks in list order.
std::vector<unsigned> default_mapping(const Group& group);

}  // namespace tofa::planner
