// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph recover`: see graph_recover.cpp.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_graph_recover(Command& graph);

}  // namespace tofa::cli
