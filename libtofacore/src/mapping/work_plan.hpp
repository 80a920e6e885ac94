// SPDX-License-Identifier: BSD-3-Clause
// How much a search does. The amount follows from the size of the task and its time limit at rates
// that an ordinary core reaches, taken low, so that the work is normally over before the limit and
// the clock decides nothing.
#pragma once

#include "mapping/mapper.hpp"

namespace tofa {

struct WorkPlan {
  static constexpr double kWarming = 0.12;  // of the moves

  unsigned rounds;          // of annealing, in each lane
  std::uint64_t annealing;  // moves of a round, in each lane
  std::uint64_t warming;    // moves of a last and short round, in each lane
  bool together;            // both lanes work on one arrangement
  double start;             // first temperature then
  double descent_seconds;   // what the descent should take
  std::uint64_t descent;    // tries on the true objective; 0 where the annealer's cost is the truth
};

WorkPlan plan_work(const MappingTask& task);

}  // namespace tofa
