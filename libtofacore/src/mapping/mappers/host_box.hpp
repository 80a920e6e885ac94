// SPDX-License-Identifier: BSD-3-Clause
// The part of a grid that a structured mapping fills: the box around the allocated nodes, with the
// slots of a node as one more dimension, along which nothing is far.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/mapper.hpp"

namespace tofa {

inline constexpr std::size_t kMaxBoxDimensions = Grid::kMostDimensions + 1;  // and the slots
using Cell = std::array<std::uint16_t, kMaxBoxDimensions>;

class HostBox {
 public:
  // Of the nodes of a box, the least share that is allocated if structure is not to be lost.
  static constexpr double kLeastFilling = 0.5;

  // Nothing where the topology is no grid, or fewer nodes of the box are allocated.
  static std::optional<HostBox> of(const MappingTask& task, double least = kLeastFilling);

  // Those of the grid, and the slots last.
  std::size_t dimensions() const { return grid_.dimensions() + 1; }
  unsigned extent(std::size_t dimension) const {
    return dimension < grid_.dimensions() ? grid_.extent(dimension) : slots_;
  }
  unsigned hops(const Cell& a, const Cell& b) const { return grid_.hops(a, b); }

  // Whether all nodes of the box are allocated.
  bool full() const { return full_; }
  // Whether the neighbours of most nodes are allocated, too. Where nodes are scattered, nothing
  // that is laid out regularly stays so.
  bool holds_together() const;
  // The node at a cell, kNoNode where none is allocated.
  Node node_at(const Cell& cell) const { return node_at_[index(cell, {})]; }
  // How many cells meet no allocated node at the shift where the fewest do.
  std::size_t fewest_misses(const std::vector<Cell>& cells) const;
  // Turns cells, which must differ from rank to rank, into nodes. The whole arrangement is shifted
  // to where all of it, or most of it, meets allocated nodes; ranks left over go to free slots near
  // where they would be.
  Mapping settle(const std::vector<Cell>& cells, const MappingTask& task) const;

 private:
  struct Shift {
    std::array<unsigned, kMaxBoxDimensions> by{};
  };
  class Misses;
  HostBox(const Grid& grid, unsigned slots, double seconds)
      : grid_(grid), slots_(slots), seconds_(seconds), node_at_(grid.positions(), kNoNode) {}
  std::size_t index(const Cell& cell, const Shift& shift) const;
  Shift best_shift(const std::vector<Cell>& cells) const;
  // By position the node there, or the one before it where none is allocated.
  std::vector<Node> nodes_near() const;

  Grid grid_;  // the box; it closes into a ring where it is as long as one
  unsigned slots_;
  double seconds_;  // of planned work
  bool full_ = false;
  std::vector<Node> node_at_;  // by position in the box, kNoNode where none is allocated
  std::size_t nodes_ = 0;      // positions with one
};

}  // namespace tofa
