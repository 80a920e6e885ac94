// SPDX-License-Identifier: BSD-3-Clause
// Moves tried one by one where many ranks share the nodes of a grid, or few nodes of any network
// (grid_axes.hpp): only those at the border of their node are tried, mostly to the node of a
// partner, and mostly in exchange for one at the border of that node. Ranks that have all partners
// around them, and pairs that could gain nothing, are what a search without that knowledge spends
// most of its time on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/search/borders.hpp"
#include "mapping/search/ledger_sums.hpp"
#include "mapping/search/standing_room.hpp"
#include "mapping/search/thresholds.hpp"
#include "mapping/search/zone.hpp"

namespace tofa {

class BorderMoves {
 public:
  static constexpr double kHeat = 1;  // that stirs, of what one in ten moves is made at
  // Moves of a rank in which it is seen how it freezes.
  static constexpr double kEnough = 500;

  // Whether all ranks and seats are alike, and this finds more than a look at all seats does for an
  // arrangement like `seating`.
  static bool serves(const SearchSpace& space, const Zone& zone, const Seating& seating);

  // Where places to stand on are among those of the `seating`, there is a price for that.
  BorderMoves(const SearchSpace& space, const Zone& zone, RandomSource random, Seating& seating,
              StandingPrice* price = nullptr);

  // Tries some moves; answers with the change of cost.
  std::int64_t step(float temperature);
  // As how many moves of the annealer these count.
  std::uint64_t moves_of_a_step() const { return moves_of_a_step_; }
  static constexpr std::uint64_t steps_to_settle() { return 0; }
  // What a move would change; nothing where a draw comes to none.
  std::optional<std::int64_t> draw_change(Reach reach);

 private:
  struct Draw {
    Rank rank;
    std::uint32_t source;
    std::uint32_t target;
  };
  // Who is to go to `source` instead.
  struct Mate {
    Seat seat;
    std::int64_t change;  // of its own cost, as if all others stayed
  };

  std::optional<Draw> draw();
  std::optional<Rank> draw_rank();
  std::uint32_t draw_target(Rank rank, std::uint32_t source);
  std::int64_t cost_of_leaving(Seat seat, const Draw& draw) const;
  std::int64_t cost_of_standing(const Draw& draw) const;
  Mate choose_mate(const Draw& draw);
  std::int64_t try_move(const Draw& drawn, float temperature);

  const SearchSpace& space_;
  LedgerSums sums_;
  Borders borders_;
  StandingRoom room_;
  StandingPrice* price_;
  std::int64_t standing_ = 0;  // in the zone
  const Zone& zone_;
  const std::vector<Rank>& ranks_;  // that move
  RandomSource random_;
  Seating& seating_;
  const Thresholds& thresholds_ = Thresholds::table();
  std::uint64_t moves_of_a_step_;
};

}  // namespace tofa
