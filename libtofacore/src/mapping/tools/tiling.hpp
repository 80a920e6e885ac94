// SPDX-License-Identifier: BSD-3-Clause
// Ranks that form a grid, cut in tiles of one shape that fill a node each: no search over single
// ranks comes near to that, and it takes no longer than looking at some of the pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tofa/guest_grid.hpp"

namespace tofa {

// What ranks send across the borders of tiles, by dimension and by how long tiles are in it.
class BorderTraffic {
 public:
  explicit BorderTraffic(const GuestGrid& guest) : BorderTraffic(guest, 1) {}
  // With lengths that divide `size`, too.
  BorderTraffic(const GuestGrid& guest, unsigned size);

  // Counts what is exchanged between two positions.
  void add(std::uint32_t a, std::uint32_t b, double bytes);

  // Lengths that divide the extent of a dimension, and what crosses for one of them.
  const std::vector<unsigned>& lengths(std::size_t dimension) const { return lengths_[dimension]; }
  double crossing(std::size_t dimension, std::size_t length) const {
    return crossing_[first_[dimension] + length];
  }
  // All of it, one dimension behind the other: sums over parts of the traffic are added up so.
  std::vector<double>& crossings() { return crossing_; }

 private:
  const GuestGrid& guest_;
  std::vector<std::vector<unsigned>> lengths_;
  std::vector<std::size_t> first_;  // by dimension, in those below
  std::vector<double> inverses_;  // of lengths: to divide for each pair takes several times as long
  std::vector<double> crossing_;
};

// Grids of tiles of exactly `size` ranks, two tiles at least; a rank's position is that of its
// tile. Those of the shapes across whose borders the least traffic goes, the best first, `most` at
// most; none where no box of so many ranks divides the grid.
std::vector<GuestGrid> tilings(const GuestGrid& guest, const BorderTraffic& borders, unsigned size,
                               std::size_t most);

// The same by a sample of the pairs.
std::vector<GuestGrid> tilings(const CommGraph& graph, const GuestGrid& guest, unsigned size,
                               std::size_t most);

// By rank, its group of exactly `size` ranks, but for those left over. Groups are tiles; or, where
// these are long and thin since hardly any box divides the grid, boxes that do not divide one
// dimension of it: what is left over at the end of a strip of these goes on in the strip beside it.
// Several, of the shapes that cut least by a sample of the pairs, the best first, `most` at most.
std::vector<std::vector<std::uint32_t>> groups_in_boxes(const CommGraph& graph,
                                                        const GuestGrid& guest, unsigned size,
                                                        std::size_t most);

}  // namespace tofa
