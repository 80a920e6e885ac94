// SPDX-License-Identifier: BSD-3-Clause
// `tofa health exclude|include|event|export`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_health_control(Command& health);

}  // namespace tofa::cli
