// SPDX-License-Identifier: BSD-3-Clause
// Positions in a grid: see grid_axes.hpp.
#include "mapping/search/grid_axes.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace tofa {
namespace {

// Those of a dimension that occur, each once, in order. `at` has the coordinates of one entry after
// the other.
std::vector<unsigned> coordinates_in(const std::vector<unsigned>& at, const Grid& grid,
                                     std::size_t dimension) {
  std::vector<bool> occurs(grid.extent(dimension), false);
  for (std::size_t i = dimension; i < at.size(); i += grid.dimensions()) occurs[at[i]] = true;
  std::vector<unsigned> taken;
  for (unsigned coordinate = 0; coordinate < occurs.size(); ++coordinate)
    if (occurs[coordinate]) taken.push_back(coordinate);
  return taken;
}

}  // namespace

std::optional<GridAxes> GridAxes::of(const Topology& topology, const SeatPlan& plan) {
  const Grid* grid = topology.grid();
  if (grid == nullptr) return std::nullopt;
  std::vector<unsigned> at;
  at.reserve(plan.entries() * grid->dimensions());
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    const std::vector<unsigned> here = topology.coordinates(plan.node(entry));
    at.insert(at.end(), here.begin(), here.end());
  }
  GridAxes axes;
  axes.dimensions_ = grid->dimensions();
  axes.at_.resize(plan.entries() * axes.dimensions_);
  for (std::size_t d = 0; d < axes.dimensions_; ++d) {
    const std::vector<unsigned> taken = coordinates_in(at, *grid, d);
    const std::uint32_t begin = axes.begin_[d];
    axes.begin_[d + 1] = begin + static_cast<std::uint32_t>(taken.size());
    if (axes.begin_[d + 1] > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    axes.add_rows(taken, [&](unsigned a, unsigned b) { return grid->apart(d, a, b); });
    for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
      const unsigned here = at[entry * axes.dimensions_ + d];
      const auto place = std::lower_bound(taken.begin(), taken.end(), here);
      axes.at_[entry * axes.dimensions_ + d] =
          static_cast<std::uint16_t>(begin + (place - taken.begin()));
    }
  }
  return axes;
}

std::optional<GridAxes> GridAxes::in_one_dimension(std::size_t entries, const Hops& hops) {
  if (entries > kMostInOne) return std::nullopt;
  GridAxes axes;
  axes.dimensions_ = 1;
  axes.begin_[1] = static_cast<std::uint32_t>(entries);
  for (std::uint32_t a = 0; a < entries; ++a) axes.at_.push_back(static_cast<std::uint16_t>(a));
  std::vector<unsigned> all(entries);
  std::iota(all.begin(), all.end(), 0U);
  axes.add_rows(all, hops);
  return axes;
}

void GridAxes::add_rows(const std::vector<unsigned>& coordinates, const Hops& hops) {
  for (const unsigned a : coordinates) {
    row_.push_back(static_cast<std::uint32_t>(hops_.size()));
    for (const unsigned b : coordinates) hops_.push_back(static_cast<std::int32_t>(hops(a, b)));
    hops_.insert(hops_.end(), kBeyond, 0);
  }
}

unsigned GridAxes::diameter() const {
  unsigned sum = 0;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    std::int32_t furthest = 0;
    for (std::uint32_t a = begin_[d]; a < begin_[d + 1]; ++a) {
      furthest =
          std::max(furthest, *std::max_element(hops(a), hops(a) + begin_[d + 1] - begin_[d]));
    }
    sum += static_cast<unsigned>(furthest);
  }
  return sum;
}

}  // namespace tofa
