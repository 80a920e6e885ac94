// SPDX-License-Identifier: BSD-3-Clause
// Cutting ranks in pieces with little traffic in between, by PT-SCOTCH, on all processes at once.
#pragma once

#include <cstdint>
#include <vector>

#include "processes.hpp"

namespace tofa::cli {

// The piece of each rank whose row is here; process i has the rows from `even_bounds()[i]` on. The
// same in every run with as many processes and this seed. Throws Error, on all processes alike.
std::vector<std::uint32_t> divide(Processes& processes, const RankRows& rows, unsigned pieces,
                                  std::uint64_t seed);

}  // namespace tofa::cli
