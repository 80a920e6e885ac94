// SPDX-License-Identifier: BSD-3-Clause
// `tofa health backtest`.
#pragma once

#include "command_line.hpp"

namespace tofa::cli {

void add_health_backtest(Command& health);

}  // namespace tofa::cli
