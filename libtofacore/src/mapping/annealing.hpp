// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing over swaps of two ranks and moves to free slots, on a cost that decomposes
// over pairs.
#pragma once

#include "mapping/moves.hpp"

namespace tofa {

struct AnnealingSchedule {
  std::uint64_t moves;  // tried in all; fixes the amount of work
  double start;         // first temperature, in units of the mean cost change of a random move
  double end = 0.0005;  // last temperature, same unit
};

// Anneals `seating` and leaves it at the cheapest arrangement met. Stops early when the deadline
// passes and says so by returning false.
bool anneal(const MappingTask& task, const SeatPlan& plan, const PairCost& cost,
            const MoveSource& moves, const AnnealingSchedule& schedule, RandomSource& random,
            Seating& seating);

}  // namespace tofa
