// SPDX-License-Identifier: BSD-3-Clause
// `tofa health explain`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_health_explain(Command& health);

}  // namespace tofa::cli
