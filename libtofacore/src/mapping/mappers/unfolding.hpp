// SPDX-License-Identifier: BSD-3-Clause
// The allocated part of a grid as a box of other proportions, in which nodes side by side are
// neighbours in the grid, mostly: a plane of 16 x 32 instead of a torus of 8 x 8 x 8. It is what
// folding (mappers/folding.hpp) leads back to the grid.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/mappers/folding.hpp"
#include "mapping/mappers/host_box.hpp"
#include "mapping/seats/seat_plan.hpp"
#include "mapping/tools/drawing.hpp"

namespace tofa {

struct Unfolded {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Grid grid;                                // closed where it should be
  std::vector<std::uint32_t> entry;         // by position; kNone in gaps
  std::vector<std::uint64_t> seats_before;  // of all positions before one; the last: of all

  std::uint32_t seats_at(std::uint32_t position) const {
    return static_cast<std::uint32_t>(seats_before[position + 1] - seats_before[position]);
  }
};

// Shapes of so many positions in so many dimensions, longest side first.
std::vector<std::vector<unsigned>> shapes_of(unsigned positions, std::size_t dimensions);

// Those most like the drawing first; no line where the drawing is wide.
std::vector<std::vector<unsigned>> likely_shapes(const Drawing& drawing, unsigned positions,
                                                 std::size_t dimensions);

class Unfolding {
 public:
  Unfolding(const HostBox& box, const SeatPlan& plan, Node nodes);

  unsigned positions() const;
  // Whether every position has a node, all with as many seats.
  bool is_even() const;
  // `wraps` says which dimensions should close into a ring. Nothing where that shape cannot be
  // folded up to the grid, or several nodes are at one position. Plans of folds are tried for a
  // small share of the seconds.
  std::optional<Unfolded> unfold(const std::vector<unsigned>& shape,
                                 const std::vector<std::uint8_t>& wraps, double seconds) const;

  // Where it has fewer dimensions than the machine, folds it in another way, in pleats
  // (Folder::Pleats) or not, if partners at or near these places, by rank, are closer then. At a
  // position there may be other seats after that. Says whether it did.
  bool pleat(const MappingTask& task, const std::vector<std::uint32_t>& places,
             Unfolded& unfolded) const;

 private:
  std::size_t dimensions() const;
  void lay(const std::vector<Cell>& cells, Unfolded& unfolded) const;
  double mean_hops(const Topology& topology, const std::vector<GuestPair>& pairs,
                   const Unfolded& unfolded) const;

  const HostBox& box_;
  const SeatPlan& plan_;
  std::vector<std::uint32_t> entry_of_;  // by node
};

}  // namespace tofa
