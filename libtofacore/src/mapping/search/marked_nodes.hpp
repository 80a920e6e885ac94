// SPDX-License-Identifier: BSD-3-Clause
// How far each position of a grid is from the nearest of some that are marked. A shortest way
// between two positions that are further from these together than from each other meets none of
// them, which tells of most ways what looking along them would.
#pragma once

#include <cstdint>
#include <vector>

#include "tofa/grid.hpp"

namespace tofa {

// Hops, by position; more than the grid has anywhere where none is marked. `marked` by position.
std::vector<std::uint32_t> hops_to_marked(const Grid& grid, const std::vector<bool>& marked);

}  // namespace tofa
