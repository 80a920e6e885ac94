// SPDX-License-Identifier: BSD-3-Clause
// Which entries lie around each entry: where searches look for better seats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mapping/search/pair_cost.hpp"

namespace tofa {

struct Neighbourhoods {
  std::vector<std::uint32_t> entries;  // of each entry nearest first
  std::vector<std::uint32_t> start;    // entries() + 1; empty where each has `each`
  std::size_t each = 0;

  std::span<const std::uint32_t> of(std::uint32_t entry) const {
    if (start.empty()) return {entries.data() + entry * each, each};
    return {entries.data() + start[entry], entries.data() + start[entry + 1]};
  }
};

// All entries at distance 0 and 1, and if those are fewer than six, the next nearest; at most 16.
// An entry is its own neighbour when it has several seats.
Neighbourhoods find_neighbourhoods(const MappingTask& task, const SeatPlan& plan,
                                   const PairCost& cost);

}  // namespace tofa
