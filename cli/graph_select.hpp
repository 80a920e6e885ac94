// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph select`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_graph_select(Command& graph);

}  // namespace tofa::cli
