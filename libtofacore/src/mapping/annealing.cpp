// SPDX-License-Identifier: BSD-3-Clause
// The annealer: see annealing.hpp.
#include "mapping/annealing.hpp"

#include <cmath>

namespace tofa {
namespace {

// How often the clock is looked at and the temperature lowered, in moves.
constexpr std::uint64_t kStride = 1024;

class Annealer {
 public:
  Annealer(const MappingTask& task, const SeatPlan& plan, const PairCost& cost,
           const MoveSource& moves, RandomSource& random, Seating& seating)
      : task_(task), plan_(plan), cost_(cost), moves_(moves), random_(random), seating_(seating) {}

  bool run(const AnnealingSchedule& schedule) {
    const double unit = mean_change();
    if (unit <= 0) return true;
    const double cooling =
        std::log(schedule.end / schedule.start) / static_cast<double>(schedule.moves);
    double current = 0;
    double best = 0;
    Seating best_seating = seating_;
    // A new best is only kept between strides: copying it at each would cost more than it gains.
    for (std::uint64_t done = 0; done < schedule.moves && !task_.deadline.passed();
         done += kStride) {
      const double temperature =
          unit * schedule.start * std::exp(cooling * static_cast<double>(done));
      for (std::uint64_t move = 0; move < kStride; ++move) current += try_move(temperature);
      if (current < best) {
        best = current;
        best_seating = seating_;
      }
    }
    if (current > best) seating_ = best_seating;
    return !task_.deadline.passed();
  }

 private:
  // Cost change if `rank` moved to `place` and all others, but for `except`, stayed.
  double change(Rank rank, std::uint32_t place, Rank except) const {
    const std::uint32_t here = seating_.place(rank);
    double delta = cost_.holding(place) - cost_.holding(here);
    for (const auto& [partner, bytes] : task_.graph.partners(rank)) {
      if (partner == except) continue;
      const std::uint32_t there = seating_.place(partner);
      delta +=
          static_cast<double>(bytes) * (cost_.between(place, there) - cost_.between(here, there)) +
          cost_.risk(place, there) - cost_.risk(here, there);
    }
    return delta;
  }

  double swap_change(Rank rank, Seat target) const {
    const Rank other = seating_.occupant(target);
    double delta = change(rank, plan_.place_of(target), other);
    if (other != kNoRank) delta += change(other, seating_.place(rank), rank);
    return delta;
  }

  double try_move(double temperature) {
    const Rank rank = moves_.draw_rank(random_);
    const Seat target = moves_.draw_target(rank, seating_, random_);
    if (plan_.place_of(target) == seating_.place(rank)) return 0;
    const double delta = swap_change(rank, target);
    if (delta > 0 && random_.unit() >= std::exp(-delta / temperature)) return 0;
    seating_.swap_to(rank, target);
    return delta;
  }

  double mean_change() {
    constexpr int samples = 256;
    double sum = 0;
    for (int i = 0; i < samples; ++i) {
      sum += std::fabs(swap_change(moves_.draw_rank(random_), random_.below(plan_.seats())));
    }
    return sum / samples;
  }

  const MappingTask& task_;
  const SeatPlan& plan_;
  const PairCost& cost_;
  const MoveSource& moves_;
  RandomSource& random_;
  Seating& seating_;
};

}  // namespace

bool anneal(const MappingTask& task, const SeatPlan& plan, const PairCost& cost,
            const MoveSource& moves, const AnnealingSchedule& schedule, RandomSource& random,
            Seating& seating) {
  if (plan.places() < 2 || task.graph.ranks() == 0) return true;
  return Annealer(task, plan, cost, moves, random, seating).run(schedule);
}

}  // namespace tofa
