// SPDX-License-Identifier: BSD-3-Clause
// Positions in a grid: see grid_axes.hpp.
#include "mapping/grid_axes.hpp"

#include <algorithm>
#include <limits>

namespace tofa {

std::optional<GridAxes> GridAxes::of(const Topology& topology, const SeatPlan& plan) {
  const std::vector<unsigned> shape = topology.shape();
  if (shape.empty() || shape.size() > kMost) return std::nullopt;
  const std::vector<bool> wraps = topology.wraps();
  GridAxes axes;
  axes.dimensions_ = shape.size();
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const unsigned extent = shape[d];
    axes.begin_[d + 1] = axes.begin_[d] + extent;
    if (axes.begin_[d + 1] > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    for (unsigned a = 0; a < extent; ++a) {
      axes.row_.push_back(static_cast<std::uint32_t>(axes.hops_.size()));
      for (unsigned b = 0; b < extent; ++b) {
        const unsigned straight = a < b ? b - a : a - b;
        axes.hops_.push_back(
            static_cast<std::int32_t>(wraps[d] ? std::min(straight, extent - straight) : straight));
      }
    }
  }
  axes.at_.resize(plan.places() * kMost);
  for (std::uint32_t place = 0; place < plan.places(); ++place) {
    const std::vector<unsigned> at = topology.coordinates(plan.node(place));
    for (std::size_t d = 0; d < at.size(); ++d) {
      axes.at_[place * kMost + d] = static_cast<std::uint16_t>(axes.begin_[d] + at[d]);
    }
  }
  return axes;
}

unsigned GridAxes::furthest() const {
  return hops_.empty() ? 0 : static_cast<unsigned>(*std::max_element(hops_.begin(), hops_.end()));
}

}  // namespace tofa
