// SPDX-License-Identifier: BSD-3-Clause
// The entries of an allocation as positions along the dimensions of a grid, with the hops in each
// dimension: what computations need that go dimension by dimension. Coordinates at which no entry
// is are left out, so that a job on a part of a long ring pays for that part. Few entries of any
// other machine are positions in one dimension, in which every pair is as far apart as it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {

class GridAxes {
 public:
  static constexpr std::size_t kMost = Grid::kMostDimensions;
  // So many numbers behind a row of hops are 0.
  static constexpr std::size_t kBeyond = 8;

  // So many entries may be in one dimension: what a rank would pay at each of them is kept.
  static constexpr std::size_t kMostInOne = 128;

  // Nothing for a topology that is no grid.
  static std::optional<GridAxes> of(const Topology& topology, const SeatPlan& plan);
  // All in one dimension, by the hops between two; nothing for more than kMostInOne.
  using Hops = std::function<unsigned(std::uint32_t a, std::uint32_t b)>;
  static std::optional<GridAxes> in_one_dimension(std::size_t entries, const Hops& hops);

  std::size_t dimensions() const { return dimensions_; }
  // Numbers per rank: one for every coordinate that occurs in a dimension.
  std::size_t width() const { return begin_[dimensions_]; }
  // The first number of a dimension; begin(dimensions()) is the end.
  std::uint32_t begin(std::size_t dimension) const { return begin_[dimension]; }
  // Which number of each dimension belongs to an entry.
  const std::uint16_t* at(std::uint32_t entry) const { return &at_[entry * dimensions_]; }
  // Hops in a dimension from the coordinate of number `index` to all others.
  const std::int32_t* hops(std::size_t index) const { return &hops_[row_[index]]; }

  // Most hops between two positions.
  unsigned diameter() const;
  unsigned distance(std::uint32_t a, std::uint32_t b) const {
    unsigned sum = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      sum += static_cast<unsigned>(hops(at(a)[d])[at(b)[d] - begin_[d]]);
    }
    return sum;
  }

 private:
  // Of the next dimension, a row for each of these.
  void add_rows(const std::vector<unsigned>& coordinates, const Hops& hops);

  std::size_t dimensions_ = 0;
  std::array<std::uint32_t, kMost + 1> begin_{};
  std::vector<std::uint16_t> at_;   // by entry and dimension
  std::vector<std::uint32_t> row_;  // by number, where its row in hops_ begins
  std::vector<std::int32_t> hops_;
};

}  // namespace tofa
