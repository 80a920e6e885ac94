// SPDX-License-Identifier: BSD-3-Clause
// scotch: plain SCOTCH with its built-in architecture of the topology, restricted to the allocated
// nodes.
#include "mapping/mappers/scotch_map.hpp"

#include <algorithm>

#include "mapping/rates.hpp"

namespace tofa {

double scotch_seconds(const MappingTask& task) {
  const auto parts =
      static_cast<double>(std::min<std::size_t>(task.allocation.size(), task.graph.ranks()));
  // What it does not know by itself, it cuts in halves, and goes by tables of these: for a rank
  // with many partners, again and again.
  const double partners =
      2 * static_cast<double>(task.graph.pairs()) / std::max<double>(task.graph.ranks(), 1);
  const double pair =
      scotch_cuts_network(task, task.allocation)
          ? rates::kScotchPerPairOfCables * (1 + partners / rates::kScotchManyPartners)
          : rates::kScotchPerPair;
  return rates::kScotchPerPairOfParts * parts * parts +
         rates::kScotchPerRank * static_cast<double>(task.graph.ranks()) +
         pair * static_cast<double>(task.graph.pairs());
}

namespace {

Mapping map_scotch(const MappingTask& task) {
  return scotch_onto_topology(task, task.allocation);
}

// A call cannot be interrupted: it is made when it should take no more than half of the time limit,
// of which the planned seconds are two fifths at most; and no more than what the clock leaves, with
// some of it for a core that is slower.
bool scotch_is_candidate(const MappingTask& task) {
  constexpr double most_of_the_rest = 0.7;
  const double seconds = scotch_seconds(task);
  if (seconds > 1.25 * task.seconds) return false;
  const bool late = seconds > most_of_the_rest * task.deadline.seconds_left();
  if (late) task.trace.hurry();
  return !late;
}

}  // namespace

extern constexpr Mapper kScotchMapper{
    "scotch", map_scotch, scotch_is_candidate, Turn::scotch_lane, false, nullptr, true};

}  // namespace tofa
