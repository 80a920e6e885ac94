// SPDX-License-Identifier: BSD-3-Clause
// Work in moves: see work_plan.hpp.
#include "mapping/work_plan.hpp"

#include <algorithm>
#include <cmath>

namespace tofa {

WorkPlan plan_work(const MappingTask& task) {
  const double ranks = std::max<double>(task.graph.ranks(), 1);
  const double degree = 2 * static_cast<double>(task.graph.pairs()) / ranks;
  const bool loads_matter =
      task.objective == Objective::completion_time || task.objective == Objective::congestion;
  const double descent_share = loads_matter ? 0.25 : 0;
  // Seconds a move takes: what it costs to draw and to look at the partners of two ranks, and to
  // fetch them from memory when they are many.
  const double move = 1.5e-8 + 5e-9 * degree + (ranks > 8192 ? 6e-8 : 0);
  const double seconds = (0.85 - descent_share) * task.time_limit_seconds;
  const double moves = std::max(1024.0, seconds / move);
  const double longest = 2e5 * ranks * std::min(1.0, ranks / 64);
  const double rounds = std::clamp(std::ceil(moves / longest), 2.0, 64.0);
  const double tries = descent_share * task.time_limit_seconds * 1.5e5 / std::max(1.0, degree / 8);
  return {static_cast<unsigned>(rounds), static_cast<std::uint64_t>(moves / rounds),
          static_cast<std::uint64_t>(tries)};
}

}  // namespace tofa
