// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are numbered row by row, as most programs number their grids: then partners are a step
// in the last dimension apart, or a row, or a plane, and that shows however much else the job
// exchanges. A ring through all ranks, servers of files, or a few far partners hide a grid from who
// looks at partners alone (tofa/guest_grid.hpp).
#pragma once

#include <cstddef>
#include <optional>

#include "tofa/guest_grid.hpp"

namespace tofa {

// Who has more partners than so many times those of a typical rank collects from them.
inline constexpr std::size_t kMostTimesPartners = 3;

// The grid of two dimensions or more in which most of the bytes go to one of the ranks around, if
// there is one. Takes time proportional to the pairs and the ranks.
std::optional<GuestGrid> grid_in_rank_order(const CommGraph& graph);

}  // namespace tofa
