// SPDX-License-Identifier: BSD-3-Clause
// A grid as a value: extents, and which dimensions close into rings. All arithmetic along rings and
// lines is here. Positions count the first dimension fastest.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tofa {

// How a route crosses a dimension: over so many links in a row, towards higher coordinates or
// lower.
struct GridRun {
  bool up;
  unsigned length;  // hops
};

class Grid {
 public:
  static constexpr std::size_t kMostDimensions = 6;

  // As many of both, 1 to kMostDimensions; extents from 1 on, their product fits 32 bits.
  Grid(const std::vector<unsigned>& shape, const std::vector<bool>& wraps);

  std::size_t dimensions() const { return dimensions_; }
  unsigned extent(std::size_t d) const { return extent_[d]; }
  bool wraps(std::size_t d) const { return wraps_[d]; }
  std::uint32_t positions() const { return positions_; }
  std::vector<unsigned> shape() const { return {extent_.begin(), extent_.begin() + dimensions_}; }

  // From one position to the next in a dimension.
  std::uint32_t stride(std::size_t d) const { return stride_[d]; }
  unsigned coordinate(std::uint32_t position, std::size_t d) const {
    return position / stride_[d] % extent_[d];
  }
  // `at` has a coordinate for every dimension.
  template <typename Coordinates>
  std::uint32_t position(const Coordinates& at) const {
    std::uint32_t result = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) result += at[d] * stride_[d];
    return result;
  }

  // Hops in a dimension, the shorter way round; middles between coordinates are possible, too.
  template <typename Number>
  Number apart(std::size_t d, Number a, Number b) const {
    const Number straight = a > b ? a - b : b - a;
    return wraps_[d] ? std::min(straight, static_cast<Number>(extent_[d]) - straight) : straight;
  }
  // Hops between two places given by coordinates.
  template <typename Coordinates>
  unsigned hops(const Coordinates& a, const Coordinates& b) const {
    unsigned sum = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) sum += apart<unsigned>(d, a[d], b[d]);
    return sum;
  }
  // Hops between two positions.
  unsigned hops_between(std::uint32_t a, std::uint32_t b) const {
    unsigned sum = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      sum += apart<unsigned>(d, coordinate(a, d), coordinate(b, d));
    }
    return sum;
  }
  // Most hops in a dimension.
  unsigned furthest(std::size_t d) const { return wraps_[d] ? extent_[d] / 2 : extent_[d] - 1; }
  // The coordinate `step` further on; nothing where a line ends before.
  std::optional<unsigned> moved(std::size_t d, unsigned from, int step) const;

 private:
  std::size_t dimensions_;
  std::uint32_t positions_ = 1;
  std::array<unsigned, kMostDimensions> extent_{};
  std::array<std::uint32_t, kMostDimensions> stride_{};
  std::array<bool, kMostDimensions> wraps_{};
};

}  // namespace tofa
