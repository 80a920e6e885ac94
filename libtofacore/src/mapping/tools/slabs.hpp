// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are drawn as points (drawing.hpp), cut in parts of given sizes: in two across the axis
// along which they are spread most, and each of these again (recursive coordinate bisection: Berger
// and Bokhari, A partitioning strategy for nonuniform problems on multiprocessors, 1987). It takes
// hardly longer than sorting them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/tools/drawing.hpp"

namespace tofa {

class Slabs {
 public:
  // The drawing outlives it.
  explicit Slabs(const Drawing& drawing);

  // Puts the ranks in the order of their parts; each part gets as many as its size says, and these
  // add up to the number of ranks.
  void cut(std::span<const std::uint32_t> sizes, std::span<Rank> ranks) const;
  // The same in two lanes.
  void cut_side_by_side(std::span<const std::uint32_t> sizes, std::span<Rank> ranks) const;

 private:
  std::size_t halve(std::span<const std::uint32_t> sizes, std::span<Rank> ranks) const;
  std::size_t widest_dimension(std::span<const Rank> ranks) const;

  const Drawing& drawing_;
  std::vector<double> unit_;  // of coordinates, by dimension
};

}  // namespace tofa
