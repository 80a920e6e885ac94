// SPDX-License-Identifier: BSD-3-Clause
// Moves tried one by one: a rank to a seat near one of its partners, made if it saves enough for
// the temperature. The inner loop of searches on machines that are no grids, and of large tasks: it
// is compiled for each kind of cost, adds up whole numbers, and keeps what it reads in few bytes.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <utility>

#include "mapping/search/ledger_sums.hpp"
#include "mapping/search/move_cost.hpp"
#include "mapping/search/partner_sums.hpp"
#include "mapping/search/risk_tally.hpp"
#include "mapping/search/thresholds.hpp"
#include "mapping/search/zone.hpp"

namespace tofa {

template <typename Sums, bool kRisky>
class SingleMoves {
 public:
  static constexpr std::uint64_t kBatch = 16;
  static constexpr double kHeat = 1;  // that stirs, of what one in ten moves is made at
  // Moves of a rank in which it is seen how it freezes. For longer than that, what stirs loses more
  // than it finds: blocks of ranks, of which one alone hardly leaves, end up to a fifth higher.
  static constexpr double kEnough = 60;

  // `risk` is a factor on what risks weigh.
  SingleMoves(const SearchSpace& space, Sums&& sums, const Zone& zone, double risk,
              RandomSource random, Seating& seating)
      : space_(space),
        sums_(std::move(sums)),
        zone_(zone),
        random_(random),
        seating_(seating),
        risks_(space, seating),
        risk_weight_(static_cast<std::int64_t>(static_cast<double>(space.risk_weight()) * risk)) {}

  static constexpr std::uint64_t moves_of_a_step() { return kBatch; }
  static constexpr std::uint64_t steps_to_settle() { return 0; }

  // Draws depend on one load after the other, so several are drawn at once: the processor then
  // works on all of them. A move made in between may have led a partner away, which makes the next
  // draws a little less apt and nothing else.
  std::int64_t step(float temperature) {
    std::array<SearchSpace::Draw, kBatch> draws;
    for (auto& draw : draws) draw = zone_.draw(space_, seating_, random_);
    std::int64_t delta = 0;
    for (const auto& draw : draws) delta += try_move(draw.rank, draw.target, temperature);
    return delta;
  }

  // What a move would change; nothing where a draw comes to none.
  std::optional<std::int64_t> draw_change(Reach reach) {
    const auto [rank, near] = zone_.draw(space_, seating_, random_);
    const Seat seat = reach == Reach::near ? near : random_.below(space_.plan().seats());
    const std::uint32_t source = seating_.entry(rank);
    const std::uint32_t target = space_.plan().entry_of(seat);
    if (source == target) return std::nullopt;
    const Rank other = seating_.occupant(seat);
    return sums_.change(rank, other, source, target) +
           sums_.correction(rank, other, source, target);
  }

 private:
  // Change of cost, answered as 0 when the move was not made.
  std::int64_t try_move(Rank rank, Seat target_seat, float temperature) {
    const Seat source_seat = seating_.seat(rank);
    const std::uint32_t target = space_.plan().entry_of(target_seat);
    const std::uint32_t source = space_.plan().entry_of(source_seat);
    if (source == target || !zone_.contains(target)) return 0;
    if constexpr (Sums::kJudgesAtOnce) {
      const SeatPlan& plan = space_.plan();
      if (plan.seats_of(target) >= kManySeats && !plan.selective())
        target_seat = choose_seat(target_seat, source, target);
    }
    const Rank other = seating_.occupant(target_seat);
    if (!space_.plan().allows(rank, target_seat) || !space_.plan().allows(other, source_seat))
      return 0;
    if (zone_.stays(other)) return 0;
    const auto limit = static_cast<std::int64_t>(temperature * thresholds_.draw(random_));
    std::int64_t delta = sums_.change(rank, other, source, target);
    if constexpr (kRisky) {
      if (delta - risk_weight_ * risks_.most_saved(rank, other) > limit) return 0;
      delta += risk_weight_ * risks_.change(rank, other, source, target);
    }
    if (delta > limit) return 0;
    delta += sums_.correction(rank, other, source, target);
    if (delta > limit) return 0;
    if constexpr (kRisky) risks_.exchange(rank, other, source, target);
    seating_.swap_to(rank, target_seat);
    sums_.exchange(rank, other, source, target);
    return delta;
  }

  // Most of those who share a node had better stay: of a few who sit at the target, the one that
  // can go to `source` at the least cost.
  Seat choose_seat(Seat drawn, std::uint32_t source, std::uint32_t target) {
    const SeatPlan& plan = space_.plan();
    Seat best = drawn;
    std::int64_t least = cost_of_leaving(drawn, target, source);
    for (unsigned i = 1; i < kSeatsLookedAt; ++i) {
      const Seat seat = plan.first_seat(target) + random_.below(plan.seats_of(target));
      const std::int64_t cost = cost_of_leaving(seat, target, source);
      if (cost >= least) continue;
      least = cost;
      best = seat;
    }
    return best;
  }

  std::int64_t cost_of_leaving(Seat seat, std::uint32_t from, std::uint32_t to) const {
    const Rank rank = seating_.occupant(seat);
    return rank == kNoRank ? 0 : sums_.change(rank, kNoRank, from, to);
  }

  // Nothing is kept where nothing can fail.
  struct NoRisks {
    NoRisks(const SearchSpace& /*space*/, const Seating& /*seating*/) {}
  };
  using Risks = std::conditional_t<kRisky, RiskTally, NoRisks>;

  const SearchSpace& space_;
  Sums sums_;
  const Zone zone_;
  RandomSource random_;
  Seating& seating_;
  const Thresholds& thresholds_ = Thresholds::table();
  [[no_unique_address]] Risks risks_;
  std::int64_t risk_weight_;
};

}  // namespace tofa
