// SPDX-License-Identifier: BSD-3-Clause
// The annealer: see annealing.hpp. Its inner loop is where placement spends its time, so it is
// compiled for each kind of cost, adds up whole numbers, and keeps what it reads in few bytes.
#include "mapping/annealing.hpp"

#include <array>
#include <cmath>

namespace tofa {
namespace {

// How often the clock is looked at and the temperature lowered, in moves.
constexpr std::uint64_t kStride = 2048;

// -ln(u) for evenly spread u: the number of temperatures by which a change may be uphill.
class Thresholds {
 public:
  Thresholds() {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      values_[i] = static_cast<float>(
          -std::log((static_cast<double>(i) + 0.5) / static_cast<double>(values_.size())));
    }
  }
  float draw(RandomSource& random) const { return values_[random.next() >> 52U]; }

 private:
  std::array<float, 4096> values_{};
};

template <typename Costs, bool kRisky>
class Annealer {
 public:
  Annealer(const SearchSpace& space, const Costs& costs, RandomSource random, Seating& seating)
      : space_(space), costs_(costs), random_(random), seating_(seating) {
    const SeatPlan& plan = space.plan();
    key_at_.reserve(plan.seats());
    for (Seat seat = 0; seat < plan.seats(); ++seat) {
      key_at_.push_back(costs.key(plan.place_of(seat)));
    }
    const Rank ranks = space.task().graph.ranks();
    key_of_.reserve(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) key_of_.push_back(key_at_[seating.seat(rank)]);
  }

  void run(const AnnealingSchedule& schedule) {
    const double unit = space_.typical_weight();
    const double cooling =
        std::log(schedule.end / schedule.start) / static_cast<double>(schedule.moves);
    risk_weight_ =
        static_cast<std::int64_t>(static_cast<double>(space_.risk_weight()) * schedule.risk);
    std::int64_t current = 0;
    std::int64_t best = 0;
    Seating best_seating = seating_;
    // A new best is only kept between strides: copying it at each would cost more than it gains.
    // While it is hot nothing is worth keeping, and copies are few, since most bests come late.
    for (std::uint64_t done = 0; done < schedule.moves && !space_.task().deadline.passed();
         done += kStride) {
      const auto temperature =
          static_cast<float>(unit * schedule.start * std::exp(cooling * static_cast<double>(done)));
      for (std::uint64_t move = 0; move < kStride; ++move) current += try_move(temperature);
      if (current < best) {
        best = current;
        best_seating = seating_;
      }
    }
    if (current > best) seating_ = best_seating;
  }

 private:
  // Change of cost, answered as 0 when the move was not made.
  std::int64_t try_move(float temperature) {
    const auto& talkers = space_.talkers();
    const Rank rank = talkers[random_.below(static_cast<std::uint32_t>(talkers.size()))];
    const Seat target = space_.draw_target(rank, seating_, random_);
    const Seat source = seating_.seat(rank);
    if (key_at_[target] == key_at_[source]) return 0;
    const Rank other = seating_.occupant(target);
    std::int64_t delta = change(rank, source, target, other);
    if (other != kNoRank) delta += change(other, target, source, rank);
    if (delta > 0 && static_cast<float>(delta) >= temperature * thresholds_.draw(random_)) return 0;
    seating_.swap_to(rank, target);
    key_of_[rank] = key_at_[target];
    if (other != kNoRank) key_of_[other] = key_at_[source];
    return delta;
  }

  // What it changes that `rank` goes from seat `from` to seat `to`, while `except`, with whom it
  // changes places and stays equally far, is left out.
  std::int64_t change(Rank rank, Seat from, Seat to, Rank except) const {
    const auto here = costs_.row(key_at_[from]);
    const auto there = costs_.row(key_at_[to]);
    std::int64_t delta = 0;
    for (const auto& [partner, weight] : space_.talks(rank)) {
      if (partner == except) continue;
      const std::int32_t key = key_of_[partner];
      delta += std::int64_t{weight} * (static_cast<std::int32_t>(Costs::at(there, key)) -
                                       static_cast<std::int32_t>(Costs::at(here, key)));
    }
    if constexpr (kRisky) delta += risk_weight_ * risk_change(rank, from, to, except);
    return delta;
  }

  std::int64_t risk_change(Rank rank, Seat from, Seat to, Rank except) const {
    const PairCost& cost = space_.cost();
    const std::uint32_t here = space_.plan().place_of(from);
    const std::uint32_t there = space_.plan().place_of(to);
    std::int64_t change = std::int64_t{cost.suspect(there)} - std::int64_t{cost.suspect(here)};
    for (const auto& [partner, weight] : space_.talks(rank)) {
      if (partner == except) continue;
      const std::uint32_t place = seating_.place(partner);
      change += std::int64_t{cost.faulty_links(there, place)} -
                std::int64_t{cost.faulty_links(here, place)};
    }
    return change;
  }

  const SearchSpace& space_;
  const Costs costs_;
  RandomSource random_;
  Seating& seating_;
  Thresholds thresholds_;
  std::int64_t risk_weight_ = 0;
  std::vector<std::int32_t> key_at_;  // by seat
  std::vector<std::int32_t> key_of_;  // by rank
};

}  // namespace

void anneal(const SearchSpace& space, const AnnealingSchedule& schedule, RandomSource random,
            Seating& seating) {
  if (space.plan().places() < 2 || space.task().graph.ranks() == 0) return;
  space.cost().with_costs([&](const auto& costs) {
    using Costs = std::decay_t<decltype(costs)>;
    if (space.cost().risky()) {
      Annealer<Costs, true>(space, costs, random, seating).run(schedule);
    } else {
      Annealer<Costs, false>(space, costs, random, seating).run(schedule);
    }
  });
}

}  // namespace tofa
