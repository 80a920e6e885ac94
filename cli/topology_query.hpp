// SPDX-License-Identifier: BSD-3-Clause
// `tofa topology query`: what the way between two nodes is like at the moment.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

// Adds it below `tofa topology`.
void add_topology_query(Command& command);

}  // namespace tofa::cli
