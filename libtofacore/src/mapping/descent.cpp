// SPDX-License-Identifier: BSD-3-Clause
// Descent on the true objective: see descent.hpp.
#include "mapping/descent.hpp"

#include <cmath>

#include "mapping/link_state.hpp"

namespace tofa {
namespace {

constexpr std::uint64_t kClockStride = 64;

// Uphill steps up to about this share of the cost are taken at first, which gets off the plateaus
// that a maximum over links is full of; the share falls to nothing.
constexpr double kFirstStep = 2e-3;

}  // namespace

bool descend(const MappingTask& task, const SeatPlan& plan, const MoveSource& moves,
             std::uint64_t tries, RandomSource& random, Seating& seating) {
  if (plan.places() < 2 || task.graph.ranks() == 0) return true;
  LinkState state(task, plan, seating);
  double current = state.cost();
  double best = current;
  Mapping best_mapping = seating.mapping();
  bool in_time = true;
  for (std::uint64_t i = 0; i < tries; ++i) {
    if (i % kClockStride == 0 && task.deadline.passed()) {
      in_time = false;
      break;
    }
    const Rank rank = moves.draw_rank(random);
    const Seat target = moves.draw_target(rank, seating, random);
    if (plan.place_of(target) == seating.place(rank)) continue;
    const double cost = state.propose(rank, target);
    const double cooling = 1 - static_cast<double>(i) / static_cast<double>(tries);
    const double temperature = best * kFirstStep * cooling * cooling;
    if (cost <= current || random.unit() < std::exp((current - cost) / temperature)) {
      state.keep();
      current = cost;
      if (current < best) {
        best = current;
        best_mapping = seating.mapping();
      }
    } else {
      state.undo();
    }
  }
  if (current > best) seating = Seating(plan, best_mapping);
  return in_time;
}

}  // namespace tofa
