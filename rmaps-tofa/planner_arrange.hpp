// SPDX-License-Identifier: BSD-3-Clause
// Keeping the traffic of a job until its ranks are bound; see planner_arrange.cpp.
#pragma once

#include "planner.h"
#include "tofa/comm_graph.hpp"

namespace tofa::planner {

tofa_traffic* keep_traffic(CommGraph graph);
void drop_traffic(tofa_traffic* traffic);

}  // namespace tofa::planner
