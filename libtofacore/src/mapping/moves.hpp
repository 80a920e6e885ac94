// SPDX-License-Identifier: BSD-3-Clause
// Which moves a search tries: a rank and a seat for it. Seats are drawn near the rank's partners
// most of the time, since that is where gains are.
#pragma once

#include <vector>

#include "mapping/pair_cost.hpp"
#include "mapping/random_source.hpp"

namespace tofa {

class MoveSource {
 public:
  MoveSource(const MappingTask& task, const SeatPlan& plan, const PairCost& cost);

  // A rank that talks to others, if any does.
  Rank draw_rank(RandomSource& random) const;
  // A seat for it, possibly its own.
  Seat draw_target(Rank rank, const Seating& seating, RandomSource& random) const;

 private:
  // Above this many places neighbourhoods are not worked out, and seats are drawn from all.
  static constexpr std::size_t kMaxPlaces = 2048;
  static constexpr std::size_t kNeighbourhood = 16;
  // One draw in so many ignores the neighbourhoods, so that every seat can be reached.
  static constexpr std::uint32_t kFarDraw = 16;

  const CommGraph& graph_;
  const SeatPlan& plan_;
  std::vector<Rank> talkers_;
  std::size_t size_ = 0;             // of a neighbourhood
  std::vector<std::uint32_t> near_;  // size_ places for each place, nearest first
};

}  // namespace tofa
