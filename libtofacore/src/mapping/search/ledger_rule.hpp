// SPDX-License-Identifier: BSD-3-Clause
// Where a search keeps what every rank would pay anywhere (axis_ledger.hpp), since that is worth
// its upkeep.
#pragma once

#include <cstddef>

#include "mapping/mapper.hpp"

namespace tofa {

// Whether it is, and fits memory. On machines that are no grids that is where many share few nodes.
bool ledger_serves(const MappingTask& task);

// Numbers of each rank, at most.
std::size_t ledger_width(const MappingTask& task);

}  // namespace tofa
