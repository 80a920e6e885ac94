// SPDX-License-Identifier: BSD-3-Clause
// Traffic that needs no profile: of programs that cut a grid into blocks, one per rank, and
// exchange the borders of their blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// Ranks are where MPI_Cart_create puts them without reordering: the last dimension counts fastest.
struct GridTraffic {
  std::vector<unsigned> shape;
  bool periodic = false;  // in all dimensions
  // Points, that in the middle counted: 2 d + 1 for partners across faces in d dimensions, 3^d for
  // those across edges and corners, too; 0 is the former.
  unsigned stencil = 0;
  Bytes bytes = 1;  // to each partner
};

// Whether the name of a graph describes a grid, `grid:...`, and is no file.
bool names_grid(std::string_view name);

// From SHAPE[:periodic][:stencil=POINTS][:bytes=N], as 8x8x8:periodic, with or without `grid:`
// before. Throws Error (bad_input) that begins with `name`.
GridTraffic parse_grid_traffic(std::string_view text, const std::string& name);

// Throws Error (bad_input) that begins with `name`: no such stencil, no extents, or too much.
Traffic grid_traffic(const GridTraffic& grid, const std::string& name);

}  // namespace tofa
