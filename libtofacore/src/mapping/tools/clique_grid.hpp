// SPDX-License-Identifier: BSD-3-Clause
// Grids in whose rows, columns and so on everybody exchanges with everybody, as transposes of
// Fourier transforms and matrix products do (Cartesian products of complete graphs, or Hamming
// graphs). They are seen like grids of neighbours: by which partners of a rank know each other.
#pragma once

#include <optional>

#include "tofa/comm_graph.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {

// Such a grid of two dimensions or more, whatever the order of the ranks, in the pairs that carry
// at least so much, and about as much in all rows of a dimension. Positions in a row are in no
// order, since all are alike. Takes time proportional to the pairs where it finds one, and next to
// none where ranks have not all as many partners.
std::optional<GuestGrid> grid_of_cliques(const CommGraph& graph, Bytes least);

}  // namespace tofa
