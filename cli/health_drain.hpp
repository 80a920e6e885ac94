// SPDX-License-Identifier: BSD-3-Clause
// `tofa health drain`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_health_drain(Command& health);

}  // namespace tofa::cli
