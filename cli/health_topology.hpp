// SPDX-License-Identifier: BSD-3-Clause
// `tofa health topology`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_health_topology(Command& health);

}  // namespace tofa::cli
