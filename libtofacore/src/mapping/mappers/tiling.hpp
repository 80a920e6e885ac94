// SPDX-License-Identifier: BSD-3-Clause
// Ranks that form a grid, cut in tiles of one shape that fill a node each: no search over single
// ranks comes near to that, and it takes no longer than looking at some of the pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "mapping/mappers/guest_grid.hpp"

namespace tofa {

// Grids of tiles of exactly `size` ranks, two tiles at least; a rank's position is that of its
// tile. Those of the shapes across whose borders the least traffic goes, by a sample of the pairs,
// the best first, `most` at most; none where no box of so many ranks divides the grid.
std::vector<GuestGrid> tilings(const CommGraph& graph, const GuestGrid& guest, unsigned size,
                               std::size_t most);

}  // namespace tofa
