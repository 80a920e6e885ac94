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

void descend(const SearchSpace& space, std::uint64_t tries, RandomSource random, Seating& seating) {
  const SeatPlan& plan = space.plan();
  const std::vector<Rank>& talkers = space.talkers();
  if (plan.places() < 2 || talkers.empty()) return;
  LinkState state(space.task(), plan, seating);
  double current = state.cost();
  double best = current;
  Mapping best_mapping = seating.mapping();
  for (std::uint64_t i = 0; i < tries; ++i) {
    if (i % kClockStride == 0 && space.task().deadline.passed()) break;
    const Rank rank = talkers[random.below(static_cast<std::uint32_t>(talkers.size()))];
    const Seat target = space.draw_target(rank, seating, random);
    if (plan.place_of(target) == seating.place(rank)) continue;
    if (!plan.allows(rank, target) || !plan.allows(seating.occupant(target), seating.seat(rank)))
      continue;
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
}

}  // namespace tofa
