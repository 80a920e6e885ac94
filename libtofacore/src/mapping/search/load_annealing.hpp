// SPDX-License-Identifier: BSD-3-Clause
// Simulated annealing on the loads of links, by a smooth stand-in for the objective: what an anneal
// on distances leaves unevenly loaded is spread, and what the busiest links carry is led elsewhere.
#pragma once

#include <optional>

#include "mapping/deadline.hpp"
#include "mapping/search/search_space.hpp"

namespace tofa {

struct LoadSchedule {
  std::uint64_t tries;
  // At which an anneal on distances has saved most of what it can, in its units: see Freezing. A
  // first estimate is the geometric mean of what that is in time and of what the smallest tenth of
  // moves change, within a factor of two of the former. Around that it is warmed up until links get
  // busier than they were.
  double temperature;
  double first = 1;  // of what that leads to: the first temperature of cooling
  double risk = 1;   // factor on what risks weigh
  // When it should be over: where tries take longer than that, fewer are made.
  std::optional<Deadline> due = std::nullopt;
};

// Leaves `seating` at the best arrangement met, by the objective and by the uses of nodes that are
// worth avoiding. Stops early when the deadline passes. Where the objective counts no loads it does
// nothing.
void anneal_loads(const SearchSpace& space, const LoadSchedule& schedule, RandomSource random,
                  Seating& seating);

}  // namespace tofa
