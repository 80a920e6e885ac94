// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of the heat bath: what it would cost to exchange one rank with whoever sits in
// each of many columns, less some noise, and which of them is the cheapest. It takes several
// columns at once, as many as the processor can, and answers the same whatever that is.
#pragma once

#include <array>
#include <cstdint>

#include "mapping/search/cost_table.hpp"
#include "mapping/search/grid_axes.hpp"

namespace tofa {

// Columns are numbered as in SeatBox. Costs in units of weight times hops; sums of them
// must fit 32 bits.
struct SeatScan {
  static constexpr std::size_t kBeyond = CostTable::kBeyond;

  std::uint32_t inner;    // columns of a block, a multiple of SeatBox::kAtOnce
  std::uint32_t outer;    // blocks of a copy of the box
  std::uint32_t columns;  // of all copies
  std::size_t dimensions;
  std::size_t inner_dimensions;  // in which columns of a block differ, the first ones
  // Where the coordinates of each dimension begin in `pays`, and where those of the last end.
  const std::uint32_t* begin;
  // What the rank would pay at each coordinate, and in all at the most: blocks where it would pay
  // more everywhere are not looked at. A column of CostTable.
  const std::int32_t* pays;
  std::int32_t most;
  // By column: less what those who sit there pay now, and the sum of these, one for each dimension,
  // what they would pay.
  const std::int32_t* own;
  std::array<const std::int32_t*, GridAxes::kMost> row;
  // By column: `temperature` times this is saved as well.
  const float* noise;
  float temperature;
  // For sums on the way: twice as many as columns in a block, and as blocks, and kBeyond each time.
  std::int32_t* room;
};

// The first of the cheapest columns; 0 when none is looked at.
std::uint32_t find_cheapest(const SeatScan& scan);
// The same with no more than what all processors of a kind have. For tests.
std::uint32_t find_cheapest_plainly(const SeatScan& scan);

}  // namespace tofa
