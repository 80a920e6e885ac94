// SPDX-License-Identifier: BSD-3-Clause
// Which entries lie around each entry: where searches look for better seats.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/search/pair_cost.hpp"

namespace tofa {

struct Neighbourhoods {
  std::vector<std::uint32_t> start;    // entries() + 1
  std::vector<std::uint32_t> entries;  // of each entry nearest first
};

// All entries at distance 0 and 1, and if those are fewer than six, the next nearest; at most 16.
// An entry is its own neighbour when it has several seats.
Neighbourhoods find_neighbourhoods(const MappingTask& task, const SeatPlan& plan,
                                   const PairCost& cost);

}  // namespace tofa
