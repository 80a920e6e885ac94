// SPDX-License-Identifier: BSD-3-Clause
// Making and walking grids: see grid.hpp.
#include "tofa/grid.hpp"

namespace tofa {

Grid::Grid(const std::vector<unsigned>& shape, const std::vector<bool>& wraps)
    : dimensions_(shape.size()) {
  for (std::size_t d = 0; d < dimensions_; ++d) {
    extent_[d] = shape[d];
    stride_[d] = positions_;
    wraps_[d] = wraps[d];
    positions_ *= extent_[d];
  }
}

std::optional<unsigned> Grid::moved(std::size_t d, unsigned from, int step) const {
  const auto extent = static_cast<int>(extent_[d]);
  const int to = static_cast<int>(from) + step;
  if (to >= 0 && to < extent) return static_cast<unsigned>(to);
  if (!wraps_[d]) return std::nullopt;
  return static_cast<unsigned>((to % extent + extent) % extent);
}

}  // namespace tofa
