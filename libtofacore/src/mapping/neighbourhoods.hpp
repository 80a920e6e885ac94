// SPDX-License-Identifier: BSD-3-Clause
// Which places lie around each place: where searches look for better seats.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/pair_cost.hpp"

namespace tofa {

struct Neighbourhoods {
  std::vector<std::uint32_t> start;   // places() + 1
  std::vector<std::uint32_t> places;  // of each place nearest first
};

// All places at distance 0 and 1, and if those are fewer than six, the next nearest; at most 16. A
// place is its own neighbour when it has several seats.
Neighbourhoods find_neighbourhoods(const MappingTask& task, const SeatPlan& plan,
                                   const PairCost& cost);

}  // namespace tofa
