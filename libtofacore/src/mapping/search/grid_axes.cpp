// SPDX-License-Identifier: BSD-3-Clause
// Positions in a grid: see grid_axes.hpp.
#include "mapping/search/grid_axes.hpp"

#include <algorithm>
#include <limits>

namespace tofa {

std::optional<GridAxes> GridAxes::of(const Topology& topology, const SeatPlan& plan) {
  const Grid* grid = topology.grid();
  if (grid == nullptr) return std::nullopt;
  GridAxes axes;
  axes.dimensions_ = grid->dimensions();
  for (std::size_t d = 0; d < axes.dimensions_; ++d) {
    const unsigned extent = grid->extent(d);
    axes.begin_[d + 1] = axes.begin_[d] + extent;
    if (axes.begin_[d + 1] > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    for (unsigned a = 0; a < extent; ++a) {
      axes.row_.push_back(static_cast<std::uint32_t>(axes.hops_.size()));
      for (unsigned b = 0; b < extent; ++b) {
        axes.hops_.push_back(static_cast<std::int32_t>(grid->apart(d, a, b)));
      }
      axes.hops_.insert(axes.hops_.end(), kBeyond, 0);
    }
  }
  axes.at_.resize(plan.entries() * kMost);
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    const std::vector<unsigned> at = topology.coordinates(plan.node(entry));
    for (std::size_t d = 0; d < at.size(); ++d) {
      axes.at_[entry * kMost + d] = static_cast<std::uint16_t>(axes.begin_[d] + at[d]);
    }
  }
  return axes;
}

std::optional<GridAxes> GridAxes::in_one_dimension(std::size_t entries, const Hops& hops) {
  if (entries > kMostInOne) return std::nullopt;
  GridAxes axes;
  axes.dimensions_ = 1;
  axes.begin_[1] = static_cast<std::uint32_t>(entries);
  axes.at_.resize(entries * kMost);
  for (std::uint32_t a = 0; a < entries; ++a) {
    axes.at_[a * kMost] = static_cast<std::uint16_t>(a);
    axes.row_.push_back(static_cast<std::uint32_t>(axes.hops_.size()));
    for (std::uint32_t b = 0; b < entries; ++b)
      axes.hops_.push_back(static_cast<std::int32_t>(hops(a, b)));
    axes.hops_.insert(axes.hops_.end(), kBeyond, 0);
  }
  return axes;
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
