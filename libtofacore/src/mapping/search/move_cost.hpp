// SPDX-License-Identifier: BSD-3-Clause
// How long a move of the annealer takes, which is what work is planned in.
#pragma once

#include "mapping/mapper.hpp"

namespace tofa {

// Where a ledger judges moves, and the node that a rank is to go to has many seats, so many of them
// are looked at for whom to exchange it with. Of few seats this would be the same one too often.
inline constexpr unsigned kManySeats = 16;
inline constexpr unsigned kSeatsLookedAt = 4;

// Where so many share a node, it takes too long to look at all seats for what that finds.
inline constexpr unsigned kVeryManySeats = 32;

// To draw a move, to look at the partners of two ranks or into a ledger, and to fetch them from
// memory when they are many. `risky` where there are nodes worth avoiding.
double seconds_per_move(const MappingTask& task, double partners, bool risky);

// Of that, what it takes to keep a ledger of a machine that is no grid: of a grid it is little.
double seconds_of_upkeep(const MappingTask& task, double partners);

// Whether routes are walked every time that loads are told, since there are too many to keep.
bool walks_routes(const MappingTask& task);

// What a try of an anneal on loads takes.
double seconds_per_load_try(const MappingTask& task, double partners);

}  // namespace tofa
