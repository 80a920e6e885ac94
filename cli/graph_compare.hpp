// SPDX-License-Identifier: BSD-3-Clause
// `tofa graph compare`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_graph_compare(Command& graph);

}  // namespace tofa::cli
