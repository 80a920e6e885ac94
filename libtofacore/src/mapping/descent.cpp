// SPDX-License-Identifier: BSD-3-Clause
// Descent on the true objective: see descent.hpp.
#include "mapping/descent.hpp"

#include <cmath>

#include "mapping/link_state.hpp"

namespace tofa {
namespace {

constexpr std::uint64_t kClockStride = 64;

}  // namespace

void descend(const SearchSpace& space, const DescentSchedule& schedule, RandomSource random,
             Seating& seating) {
  const SeatPlan& plan = space.plan();
  if (plan.places() < 2 || space.task().graph.ranks() == 0) return;
  LinkState state(space.task(), plan, seating);
  double current = state.cost();
  double best = current;
  Mapping best_mapping = seating.mapping();
  for (std::uint64_t i = 0; i < schedule.tries; ++i) {
    if (i % kClockStride == 0 && space.task().deadline.passed()) break;
    const auto [rank, target] = space.draw(seating, random);
    if (plan.place_of(target) == seating.place(rank)) continue;
    if (!plan.allows(rank, target) || !plan.allows(seating.occupant(target), seating.seat(rank)))
      continue;
    const double cost = state.propose(rank, target);
    if (state.hop_bytes() > schedule.most_hop_bytes) {
      state.undo();
      continue;
    }
    const double cooling = 1 - static_cast<double>(i) / static_cast<double>(schedule.tries);
    const double temperature = best * schedule.first_step * cooling * cooling;
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
}

}  // namespace tofa
