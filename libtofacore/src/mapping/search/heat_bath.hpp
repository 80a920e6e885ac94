// SPDX-License-Identifier: BSD-3-Clause
// Moves chosen among all at once, where the machine is a grid: for one rank after the other, what
// it would change to exchange it with whoever sits on each seat is worked out for all seats, and
// one of them is drawn with the probability that a heat bath at this temperature gives it. Where an
// arrangement freezes, of a hundred moves that are tried one by one a single one is made; here
// every other look finds one.
//
// Distances in a grid are sums over its dimensions, so that a few numbers for each rank say what
// any node costs it, as in AxisLedger. They are kept by coordinate and seat here (cost_table.hpp):
// what everybody would pay at one node are sums of as many rows as there are dimensions, which a
// processor adds up several at a time.
//
// Drawing: to the cost of each choice, in units of the temperature, noise of Gumbel's distribution
// is added, and the cheapest is taken (E. J. Gumbel, Statistical Theory of Extreme Values, 1954).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mapping/search/cost_table.hpp"
#include "mapping/search/seat_box.hpp"
#include "mapping/search/seat_scan.hpp"
#include "mapping/search/zone.hpp"

namespace tofa {

class HeatBath {
 public:
  // A look finds more than a move that is tried, and so stirs at less heat.
  static constexpr double kHeat = 0.5;
  // Moves of a rank in which it is seen how it freezes.
  static constexpr double kEnough = 500;

  // Nothing where there are too many seats to look at all of them, or not every rank may take
  // every seat.
  static std::optional<SeatBox> find_box(const SearchSpace& space, const Zone& zone);

  // `box` is what find_box() says.
  HeatBath(const SearchSpace& space, const Zone& zone, SeatBox&& box, RandomSource random,
           Seating& seating);

  // There is one, since it points to parts of itself.
  HeatBath(HeatBath&&) = default;

  // Looks at all seats for one rank; answers with the change of cost.
  std::int64_t step(float temperature);
  // How many moves tried one by one take as long as a step.
  std::uint64_t moves_of_a_step() const { return moves_of_a_step_; }
  // Looks after which hardly any rank has a better seat.
  std::uint64_t steps_to_settle() const { return 3 * ranks_.size(); }
  // What it would change to exchange with somebody; nothing where a draw comes to nobody.
  std::optional<std::int64_t> draw_change(Reach reach);

 private:
  void seat_ranks(const Zone& zone);
  std::int32_t cost_at(std::uint32_t column, const std::uint16_t* rows) const;
  Rank next_rank();
  std::span<Touched> touched() { return {touched_.data(), touched_count_}; }
  void touch_partners(Rank rank, std::int32_t sign);
  std::uint32_t choose(std::uint32_t column, float temperature);
  std::int64_t change(std::uint32_t a, std::uint32_t b, Rank rank, Rank other) const;
  void exchange(std::uint32_t a, std::uint32_t b, Rank rank, Rank other);

  const SearchSpace& space_;
  const std::uint8_t* apart_;  // apart_[key - key] hops
  SeatBox box_;
  RandomSource random_;
  Seating& seating_;
  std::uint64_t moves_of_a_step_ = 1;
  std::vector<Rank> ranks_;               // that move
  std::size_t next_ = 0;                  // of them, that is looked at
  std::vector<std::uint32_t> column_of_;  // by rank; kNowhere outside
  CostTable cost_;                        // what the rank of a column would pay
  std::vector<std::int32_t> own_;         // by column: what its rank pays
  std::vector<std::int32_t> room_;        // for scan_
  SeatScan scan_;
  std::vector<Touched> touched_;
  std::size_t touched_count_ = 0;
};

}  // namespace tofa
