// SPDX-License-Identifier: BSD-3-Clause
// The part of a grid that a structured mapping fills: the box around the allocated nodes, with the
// slots of a node as one more dimension, along which nothing is far.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/mapper.hpp"

namespace tofa {

inline constexpr std::size_t kMaxBoxDimensions = 7;  // six of the grid and the slots
using Cell = std::array<std::uint16_t, kMaxBoxDimensions>;

class HostBox {
 public:
  // Nothing where the topology is no grid, or so few nodes of the box are allocated that structure
  // would be lost.
  static std::optional<HostBox> of(const MappingTask& task);

  std::size_t dimensions() const { return extent_.size(); }
  unsigned extent(std::size_t dimension) const { return extent_[dimension]; }
  unsigned hops(const Cell& a, const Cell& b) const {
    unsigned sum = 0;
    for (std::size_t d = 0; d < grid_dimensions_; ++d) {
      const unsigned apart = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];
      sum += wraps_[d] ? std::min(apart, extent_[d] - apart) : apart;
    }
    return sum;
  }

  // Whether all nodes of the box are allocated.
  bool full() const { return full_; }
  // How many cells meet no allocated node at the shift where the fewest do.
  std::size_t fewest_misses(const std::vector<Cell>& cells) const;
  // Turns cells, which must differ from rank to rank, into nodes. The whole arrangement is shifted
  // to where all of it, or most of it, meets allocated nodes; ranks left over go to the nearest
  // free slots.
  Mapping settle(const std::vector<Cell>& cells, const MappingTask& task) const;

 private:
  struct Shift {
    std::array<unsigned, kMaxBoxDimensions> by{};
  };
  std::size_t index(const Cell& cell, const Shift& shift) const;
  std::size_t misses(const std::vector<Cell>& cells, const Shift& shift, std::size_t most) const;
  Shift best_shift(const std::vector<Cell>& cells) const;

  std::size_t grid_dimensions_ = 0;
  std::vector<unsigned> extent_;  // of the box; the slots last
  std::vector<bool> wraps_;
  bool full_ = false;
  std::vector<Node> node_at_;  // by position in the box, kNoNode where none is allocated
};

}  // namespace tofa
