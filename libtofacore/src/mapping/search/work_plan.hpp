// SPDX-License-Identifier: BSD-3-Clause
// How much a search does. The amount follows from the task and the effort, at rates that an
// ordinary core reaches, taken low, and never from the clock: so the same task is searched in the
// same way on a busy machine.
#pragma once

#include "mapping/mapper.hpp"

namespace tofa {

struct WorkPlan {
  static constexpr double kWarming = 0.12;  // of the moves

  std::uint64_t measuring;    // moves to find the temperatures by, in one lane; 0 in a hurry
  std::uint64_t annealing;    // moves in all rounds, in each lane
  std::uint64_t first_round;  // of these
  std::uint64_t spare;        // more of these, for tasks that turn out to be hard
  double growth;              // each round is so many times as long as the one before
  std::uint64_t warming;      // moves of a last and short round, in each lane
  bool together;              // both lanes work on one arrangement
  std::uint64_t descent;  // tries on the true objective; 0 where the annealer's cost is the truth
  // Tries of an anneal on loads, where the objective counts these. After it a share of the descent
  // is enough.
  std::uint64_t load_tries;
  static constexpr double kAfterLoads = 0.1;
  // How many moves take as long as these two do.
  std::uint64_t moves_of_descent;
};

// Seconds of an ordinary core with a second one beside it that a placement is worth: little for
// small tasks, where more finds nothing better, and two fifths of the time limit at most, so that a
// machine half as fast, or busy with something else, still ends within it without the clock.
// A task that turns out to be hard is worth more, within these two fifths, where there are many
// ranks or a limit was given, unless the search is thorough anyway. And whoever gives a limit gets
// up to twice the moves for many ranks, unless the search is thorough or the limit too short for
// more, in most of what the limit leaves. What a slower core cannot do of them is cut by the clock,
// which most candidates cannot be.
PlannedWork planned_work(const CommGraph& graph, const PlaceOptions& options);

// Seconds it takes to evaluate the last mapping and the answer, and to write them. `of_default`:
// seconds that the default has just taken to be evaluated; dense traffic, whose pairs lie side by
// side, takes less than planned.
double closing_seconds(const CommGraph& graph, const Topology& topology, double of_default);

// How many each rank gets of so many moves, as if there were 512 nodes: where there are more, a
// rank has farther to go, and needs more moves in proportion to find its place.
double moves_of_a_rank(const MappingTask& task, double moves);

// `spent` is what candidates had of the task's seconds that are given a large share; less than 0
// where they left time that is not theirs to the search.
WorkPlan plan_work(const MappingTask& task, double spent = 0);

// Whether there are moves enough to gain anything. Of a million ranks, a few for each would only
// cost the time and memory of their tables; and so would a descent, which has no more.
bool is_worth_searching(const MappingTask& task, const WorkPlan& work);

// Whether such a share of the time that the clock leaves is enough for that, where there are so
// many ranks; the search of others is cut short where it is not.
bool has_time_to_search(const MappingTask& task, const WorkPlan& work, double share_of_time = 1);

}  // namespace tofa
