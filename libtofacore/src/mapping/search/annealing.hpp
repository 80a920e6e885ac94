// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing over swaps of two ranks and moves to free seats, on the cost that decomposes
// over pairs.
#pragma once

#include <optional>

#include "mapping/deadline.hpp"
#include "mapping/search/freezing.hpp"
#include "mapping/search/search_space.hpp"

namespace tofa {

struct AnnealingSchedule {
  std::uint64_t moves;  // tried in all; fixes the amount of work
  double start;         // first temperature: the change of cost that is accepted once in e times
  double end;           // last temperature
  double risk = 1;      // factor on what risks weigh
  // When it should be over: where moves take longer than that, fewer are made.
  std::optional<Deadline> due = std::nullopt;
  // Part of a longer one: what it ends with is where the next part begins, and not the best on the
  // way, to which going back would undo the heat.
  bool goes_on = false;
  // What it ends with tells something, and not the cheapest on the way.
  bool is_probe = false;
};

// Tries so many moves at falling temperatures, from where nearly all of them are accepted to where
// hardly any is, and leaves `seating` where that ends. Fewer where they take longer than until
// `due`; with none, a few draws from `seating` tell about where that would be.
Freezing measure_freezing(const SearchSpace& space, std::uint64_t moves, RandomSource random,
                          Seating& seating, const std::optional<Deadline>& due = std::nullopt);

// Anneals `seating` and leaves it at the cheapest arrangement met, the first one included, unless
// it is a probe; true when that is where it ended. Stops early when the deadline passes.
bool anneal(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
            Seating& seating);

// The same for tasks so large that two lanes had better work on one arrangement than on two: the
// entries are cut in two zones, each lane moves ranks within its own and takes the others to stay,
// and the cut moves on from phase to phase.
void anneal_in_zones(const SearchSpace& space, const AnnealingSchedule& schedule,
                     RandomSource random, Seating& seating);

// Moves ranks that have to do with nodes worth avoiding, to free seats or in exchange for others,
// in each round those that still have, until none has or rounds lead no further; so many moves at
// most. A way that is short is no reason to stay on it if `risk` is high. `seating` is left where
// that ends, better or not; nobody moves where more than three quarters of all ranks have.
void anneal_exposed(const SearchSpace& space, const AnnealingSchedule& schedule,
                    RandomSource random, Seating& seating);

// Mends an arrangement of which most is as it should be: the ranks before `ranks` move among the
// entries before `entries`, where they all are, and the others stay. So many moves are tried, a
// part of them to find out how it freezes; `seating` is left at the cheapest arrangement met.
void anneal_beside(const SearchSpace& space, std::uint64_t moves, Rank ranks, std::size_t entries,
                   RandomSource random, Seating& seating);

}  // namespace tofa
