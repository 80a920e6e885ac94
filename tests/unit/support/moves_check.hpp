// SPDX-License-Identifier: BSD-3-Clause
// What holds for whoever makes moves for an annealer: what they say that they changed is what they
// changed, in any grid and zone, after any others; without heat nothing gets worse.
#pragma once

#include <cstdint>

#include "mapping/search/zone.hpp"
#include "support/any_grid_task.hpp"

namespace tofa::test {

// Everything, or zone 1 of these, with its ranks as anneal_in_zones() finds them.
inline Zone make_zone(const SearchSpace& space, const Seating& seating,
                      const std::vector<std::uint8_t>* zone_of) {
  Zone zone{{}, zone_of, 1};
  if (zone_of == nullptr) return zone;
  for (const Rank rank : space.active_ranks())
    if (zone.contains(seating.entry(rank))) zone.ranks.push_back(rank);
  return zone;
}

struct MovesCheck {
  double heat;            // of some of the steps
  bool may_rise = false;  // without heat
};

// `moves` change the seating, and those of the zone alone.
template <typename Moves>
void check_moves(const AnyGridTask& any, const Zone& zone, Moves& moves, Seating& seating,
                 const MovesCheck& check) {
  const SearchSpace& space = any.space();
  const Seating before = seating;
  RC_ASSERT(moves.moves_of_a_step() > 0);
  std::int64_t cost = search_cost(space, seating);
  for (int step = 0; step < 60; ++step) {
    const auto temperature = static_cast<float>(check.heat * *rc::gen::element(0.0, 0.1, 1.0, 1e4));
    const std::int64_t change = moves.step(temperature);
    RC_ASSERT(check.may_rise || temperature > 0 || change <= 0);
    cost += change;
    RC_ASSERT(cost == search_cost(space, seating));
    moves.draw_change(*rc::gen::element(Reach::near, Reach::anywhere));
    RC_ASSERT(cost == search_cost(space, seating));
  }
  for (Rank rank = 0; rank < any.task().graph.ranks(); ++rank) {
    RC_ASSERT(seating.occupant(seating.seat(rank)) == rank);
    if (!zone.contains(before.entry(rank))) RC_ASSERT(seating.seat(rank) == before.seat(rank));
  }
}

}  // namespace tofa::test
