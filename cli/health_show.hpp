// SPDX-License-Identifier: BSD-3-Clause
// `tofa health show`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_health_show(Command& health);

}  // namespace tofa::cli
