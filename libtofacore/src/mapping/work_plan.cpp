// SPDX-License-Identifier: BSD-3-Clause
// Work in moves: see work_plan.hpp.
#include "mapping/work_plan.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/axis_ledger.hpp"

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
  const double overhead = std::min(0.3 * limit, 0.1 * limit + 0.01 + 3e-5 * ranks + 2e-6 * pairs);
  // Seconds a move takes: what it costs to draw, to look at the partners of two ranks or into a
  // ledger, and to fetch them from memory when they are many.
  const bool ledger = AxisLedger::serves(task);
  const bool risky = loads_matter && task.outages.suspects() > 0;
  const double move = (ledger ? 1.6e-8 + 1e-9 * degree : 1.1e-8 + 5e-9 * degree) +
                      (risky ? 4e-9 * degree : 0) + (ranks > 8192 ? 4e-8 : 0);
  const double seconds = (0.94 - descent_share) * limit - overhead;
  const double moves = std::max(1024.0, seconds / move);
  // One long anneal is worth more than two of half the length, up to so many moves.
  const double longest = 8e4 * ranks * std::max(degree, 4.0) * std::min(1.0, ranks / 64);
  // Few ranks freeze soon, and then only a fresh start helps.
  const double fewest = ranks < 64 && moves > 2e4 * ranks ? 3 : 1;
  const double rounds = std::clamp(std::round(moves / longest), fewest, 64.0);
  const double tries = descent_share * limit * 3e5 / std::max(1.0, degree / 8);
  WorkPlan plan{};
  plan.descent = static_cast<std::uint64_t>(tries);
  plan.descent_seconds = descent_share * limit;
  // With few moves per rank there is time for one anneal, and it can only smooth what it starts
  // from.
  const double per_rank = moves / ranks;
  plan.together = per_rank < 3000;
  plan.rounds = plan.together ? 1 : static_cast<unsigned>(rounds);
  const double warming = plan.together ? 0 : WorkPlan::kWarming * moves;
  plan.warming = static_cast<std::uint64_t>(warming);
  plan.annealing = static_cast<std::uint64_t>((moves - warming) / plan.rounds);
  plan.start = std::clamp(0.5 + per_rank / 1000, 0.5, 2.0);
  return plan;
}

}  // namespace tofa
