// SPDX-License-Identifier: BSD-3-Clause
// Hops to marked positions: see marked_nodes.hpp. Hops are a sum over the dimensions, so that one
// after the other can be gone through, a line at a time.
#include "mapping/search/marked_nodes.hpp"

#include <algorithm>

namespace tofa {
namespace {

// Up and down a line, a hop more with each step; where it closes into a ring, around it twice.
void go_along(const Grid& grid, std::size_t d, std::uint32_t start,
              std::vector<std::uint32_t>& hops) {
  const unsigned extent = grid.extent(d);
  const unsigned steps = grid.wraps(d) ? 2 * extent : extent;
  const auto at = [&](unsigned i) -> std::uint32_t& {
    return hops[start + i % extent * grid.stride(d)];
  };
  for (unsigned i = 1; i < steps; ++i) at(i) = std::min(at(i), at(i - 1) + 1);
  for (unsigned i = steps - 1; i > 0; --i) at(i - 1) = std::min(at(i - 1), at(i) + 1);
}

}  // namespace

std::vector<std::uint32_t> hops_to_marked(const Grid& grid, const std::vector<bool>& marked) {
  std::uint32_t further = 1;  // than anything is from anything
  for (std::size_t d = 0; d < grid.dimensions(); ++d) further += grid.furthest(d);
  std::vector<std::uint32_t> hops(grid.positions());
  for (std::uint32_t position = 0; position < grid.positions(); ++position)
    hops[position] = marked[position] ? 0 : further;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    for (std::uint32_t position = 0; position < grid.positions(); ++position)
      if (grid.coordinate(position, d) == 0) go_along(grid, d, position, hops);
  }
  return hops;
}

}  // namespace tofa
