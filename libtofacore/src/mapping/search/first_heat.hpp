// SPDX-License-Identifier: BSD-3-Clause
// How hot an anneal begins that both lanes do together, and how cold it ends: in a short search,
// what was measured of how the task freezes says little, and what it starts from is worth keeping.
#pragma once

#include "mapping/search/annealing.hpp"

namespace tofa {

// The temperatures for so many moves, in all, that go on from an arrangement: `usual` are those at
// which a long search begins and ends, as shares of what cooling saves.
struct Heat {
  double start;
  double end;
  std::uint64_t moves = 0;  // that were made to find that out
};
Heat heat_to_go_on(const SearchSpace& space, const Seating& seating, const Freezing& freezing,
                   std::uint64_t moves, const Heat& usual, RandomSource random);

// What ranks pay for all that they exchange.
struct Payments {
  double of_rank;  // on average over all that exchange anything, in the units of temperatures
  double paying;   // the share of these that pay anything, 0 to 1
};
Payments payments(const SearchSpace& space, const Seating& seating);

}  // namespace tofa
