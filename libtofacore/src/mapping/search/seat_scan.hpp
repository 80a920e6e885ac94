// SPDX-License-Identifier: BSD-3-Clause
// The inner loop of the heat bath: what it would cost to exchange one rank with whoever sits in
// each of many columns, less some noise, and which of them is the cheapest. It takes several
// columns at once, as many as the processor can, and answers the same whatever that is.
#pragma once

#include <array>
#include <cstdint>

#include "mapping/search/grid_axes.hpp"

namespace tofa {

// Columns are numbered as in SeatBox. Costs in units of weight times hops; sums of them
// must fit 32 bits.
struct SeatScan {
  std::uint32_t inner;    // columns of a block, a multiple of SeatBox::kAtOnce
  std::uint32_t outer;    // blocks of a copy of the box
  std::uint32_t columns;  // of all copies
  // What the rank would pay at a position: inner_cost[i] + outer_cost[o]. Blocks with more than
  // `most` of the latter are not looked at.
  const std::int32_t* inner_cost;
  const std::int32_t* outer_cost;
  std::int32_t most;
  // By column: less what those who sit there pay now, and the sum of these what they would pay.
  const std::int32_t* own;
  std::size_t rows;
  std::array<const std::int32_t*, GridAxes::kMost> row;
  // By column: `temperature` times this is saved as well.
  const float* noise;
  float temperature;
};

// The first of the cheapest columns; 0 when none is looked at.
std::uint32_t find_cheapest(const SeatScan& scan);
// The same with no more than what all processors of a kind have. For tests.
std::uint32_t find_cheapest_plainly(const SeatScan& scan);

}  // namespace tofa
