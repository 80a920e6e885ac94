// SPDX-License-Identifier: BSD-3-Clause
// Work in moves: see work_plan.hpp.
#include "mapping/work_plan.hpp"

#include <algorithm>
#include <cmath>

namespace tofa {

WorkPlan plan_work(const MappingTask& task) {
  const double ranks = std::max<double>(task.graph.ranks(), 1);
  const double pairs = static_cast<double>(task.graph.pairs());
  const double degree = 2 * pairs / ranks;
  const bool loads_matter =
      task.objective == Objective::completion_time || task.objective == Objective::congestion;
  const double descent_share = loads_matter ? 0.25 : 0;
  // What candidates and the setting up take: measured, and generous.
  const double limit = task.seconds;
  const double overhead = std::min(0.3 * limit, 0.3 + 3e-5 * ranks + 2e-6 * pairs);
  // Seconds a move takes: what it costs to draw and to look at the partners of two ranks, and to
  // fetch them from memory when they are many.
  const double move = 1.5e-8 + 5e-9 * degree + (ranks > 8192 ? 6e-8 : 0);
  const double seconds = (0.9 - descent_share) * limit - overhead;
  const double moves = std::max(1024.0, seconds / move);
  // So many moves make a long anneal; what goes beyond is spent on further rounds.
  const double longest = 2e5 * ranks * std::min(1.0, ranks / 64);
  const double rounds = std::clamp(std::ceil(moves / longest), 2.0, 64.0);
  const double tries = descent_share * limit * 1.5e5 / std::max(1.0, degree / 8);
  WorkPlan plan{};
  plan.descent = static_cast<std::uint64_t>(tries);
  plan.descent_seconds = descent_share * limit;
  // With few moves per rank there is time for one anneal, and it can only smooth what it starts
  // from.
  const double per_rank = moves / ranks;
  plan.together = per_rank < 3000;
  plan.rounds = plan.together ? 1 : static_cast<unsigned>(rounds);
  plan.annealing = static_cast<std::uint64_t>(moves / plan.rounds);
  plan.start = std::clamp(0.5 + per_rank / 1000, 0.5, 2.0);
  return plan;
}

}  // namespace tofa
