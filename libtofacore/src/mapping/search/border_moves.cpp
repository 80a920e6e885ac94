// SPDX-License-Identifier: BSD-3-Clause
// Drawing and trying moves over borders: see border_moves.hpp.
#include "mapping/search/border_moves.hpp"

#include <algorithm>
#include <array>

#include "mapping/objective.hpp"
#include "mapping/rates.hpp"
#include "mapping/search/ledger_rule.hpp"
#include "mapping/search/move_cost.hpp"

namespace tofa {
namespace {

constexpr std::uint64_t kBatch = 16;

}  // namespace

bool BorderMoves::serves(const SearchSpace& space, const Zone& zone, const Seating& seating) {
  // Where fewer share a node nearly all are at the border.
  constexpr unsigned fewest_share = 4;
  // Where little is together, a rank has too many places to go to to try them one by one, unless it
  // has few partners.
  constexpr double much_within = 0.4;
  constexpr double some_within = 0.33;
  constexpr double few_away = 4;
  const SeatPlan& plan = space.plan();
  const bool all_alike = !space.cost().risky() && !plan.selective() && zone.end == kNoRank;
  if (!all_alike || !space.axes() || !ledger_serves(space.task())) return false;
  if (plan.seats() < fewest_share * plan.entries()) return false;
  // Fewer hops by these have turned out to be busier links, where there is little time.
  const bool very_many_share = plan.seats() >= kVeryManySeats * plan.entries();
  if (space.task().objective->counts_loads && !very_many_share) return false;
  const Closeness found = closeness(space, seating);
  return found.within >= much_within ||
         (found.within >= some_within && found.partners_away <= few_away);
}

BorderMoves::BorderMoves(const SearchSpace& space, const Zone& zone, RandomSource random,
                         Seating& seating, StandingPrice* price)
    : space_(space),
      sums_(space, seating, zone.looked_at(space)),
      borders_(space, seating, zone.that_move(space)),
      room_(space.plan(), seating),
      price_(price),
      zone_(zone),
      ranks_(zone.that_move(space)),
      random_(random),
      seating_(seating) {
  for (std::uint32_t entry = 0; entry < space.plan().entries(); ++entry)
    standing_ += zone.contains(entry) ? room_.standing(entry) : 0;
  const double partners = space.partners_of_a_draw();
  const double seconds = rates::kBorderMove + rates::kBorderMovePerPartner * partners +
                         seconds_of_upkeep(space.task(), partners);
  const double moves = seconds / seconds_per_move(space.task(), partners, false);
  moves_of_a_step_ = static_cast<std::uint64_t>(std::max(1.0, moves * kBatch));
}

// Draws depend on one load after the other, so several are drawn at once: the processor then works
// on all of them. A move in between may have led a rank elsewhere, or a partner away. Flat: of many
// files compiled as one, a compiler inlines too little of it. (Where costs are of many kinds, that
// makes programs half a megabyte larger.)
[[gnu::flatten]] std::int64_t BorderMoves::step(float temperature) {
  std::array<std::optional<Draw>, kBatch> draws;
  for (auto& draw : draws) draw = this->draw();
  std::int64_t delta = 0;
  for (auto& draw : draws) {
    if (!draw) continue;
    draw->source = borders_.entry(draw->rank);
    if (draw->source != draw->target) delta += try_move(*draw, temperature);
  }
  if (price_ != nullptr) price_->adapt(temperature, kBatch, standing_, ranks_.size());
  return delta;
}

// One at the border, if it is found soon.
std::optional<Rank> BorderMoves::draw_rank() {
  constexpr unsigned soon = 16;
  for (unsigned i = 0; i < soon; ++i) {
    const Rank rank = ranks_[random_.below(static_cast<std::uint32_t>(ranks_.size()))];
    if (borders_.away(rank) > 0) return rank;
  }
  return std::nullopt;
}

// The node of a partner elsewhere, or one around that; any, once in a while, so that all can be
// reached.
std::uint32_t BorderMoves::draw_target(Rank rank, std::uint32_t source) {
  constexpr std::uint32_t of_moves = 128;  // as counted here: ...
  constexpr std::uint32_t anywhere = 1;    // of these to any node
  constexpr std::uint32_t nearby = 16;     // and of these to a node near a partner's
  const std::uint32_t kind = random_.below(of_moves);
  if (kind < anywhere) return random_.below(static_cast<std::uint32_t>(space_.plan().entries()));
  const auto partners = space_.strong_partners(rank);
  std::size_t i = random_.below(static_cast<std::uint32_t>(partners.size()));
  // There is one, or the rank would not be at the border.
  while (borders_.entry(partners[i].partner) == source) i = i + 1 < partners.size() ? i + 1 : 0;
  const std::uint32_t entry = borders_.entry(partners[i].partner);
  if (kind >= anywhere + nearby) return entry;
  const auto around = space_.around(entry);
  if (around.empty()) return entry;
  return around[random_.below(static_cast<std::uint32_t>(around.size()))];
}

std::optional<BorderMoves::Draw> BorderMoves::draw() {
  const std::optional<Rank> rank = draw_rank();
  if (!rank) return std::nullopt;
  const std::uint32_t source = borders_.entry(*rank);
  const std::uint32_t target = draw_target(*rank, source);
  if (target == source || !zone_.contains(target)) return std::nullopt;
  return Draw{*rank, source, target};
}

// Of whoever sits there, if anybody does.
std::int64_t BorderMoves::cost_of_leaving(Seat seat, const Draw& draw) const {
  const Rank rank = seating_.occupant(seat);
  return rank == kNoRank ? 0 : sums_.change(rank, kNoRank, draw.target, draw.source);
}

std::int64_t BorderMoves::cost_of_standing(const Draw& draw) const {
  return price_ == nullptr ? 0 : price_->price() * room_.change(draw.source, draw.target);
}

// Nobody, where there is a free place; of a few at the border and one on any seat, whoever leaves
// at the least cost.
BorderMoves::Mate BorderMoves::choose_mate(const Draw& draw) {
  const SeatPlan& plan = seating_.plan();
  const std::span<const Rank> border = borders_.of(draw.target);
  Mate best{};
  if (room_.has_place(draw.target)) {
    best = {room_.place(draw.target), cost_of_standing(draw)};
  } else {
    best.seat = plan.first_seat(draw.target) + random_.below(plan.seats_of(draw.target));
    best.change = cost_of_leaving(best.seat, draw);
  }
  for (unsigned i = 1; i < kSeatsLookedAt && !border.empty(); ++i) {
    const Seat seat =
        seating_.seat(border[random_.below(static_cast<std::uint32_t>(border.size()))]);
    const std::int64_t cost = cost_of_leaving(seat, draw);
    if (cost < best.change) best = {seat, cost};
  }
  return best;
}

// Change of cost, answered as 0 when the move was not made.
std::int64_t BorderMoves::try_move(const Draw& drawn, float temperature) {
  const auto [rank, source, target] = drawn;
  const auto limit = static_cast<std::int64_t>(temperature * thresholds_.draw(random_));
  const Mate mate = choose_mate(drawn);
  std::int64_t delta = sums_.change(rank, kNoRank, source, target) + mate.change;
  if (delta > limit) return 0;
  const Rank other = seating_.occupant(mate.seat);
  delta += sums_.correction(rank, other, source, target);
  if (delta > limit) return 0;
  if (other == kNoRank) {
    delta -= cost_of_standing(drawn);  // which is no traffic
    standing_ += room_.change(source, target);
    room_.move(source, seating_.seat(rank), target);
  }
  seating_.swap_to(rank, mate.seat);
  sums_.exchange(rank, other, source, target);
  borders_.move(rank, target);
  if (other != kNoRank) borders_.move(other, source);
  return delta;
}

std::optional<std::int64_t> BorderMoves::draw_change(Reach reach) {
  std::optional<Draw> drawn = draw();
  if (!drawn) return std::nullopt;
  Mate mate = choose_mate(*drawn);
  if (reach == Reach::anywhere) {
    mate.seat = random_.below(seating_.plan().seats());
    drawn->target = seating_.plan().entry_of(mate.seat);
    if (drawn->target == drawn->source) return std::nullopt;
    mate.change = cost_of_leaving(mate.seat, *drawn);
  }
  const auto [rank, source, target] = *drawn;
  return sums_.change(rank, kNoRank, source, target) + mate.change +
         sums_.correction(rank, seating_.occupant(mate.seat), source, target);
}

}  // namespace tofa
