// SPDX-License-Identifier: BSD-3-Clause
// Descent on the true objective: see descent.hpp.
#include "mapping/search/descent.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "mapping/search/link_state.hpp"
#include "mapping/search/partner_sums.hpp"

namespace tofa {
namespace {

constexpr std::uint64_t kClockStride = 256;

// Moves that lengthen ways by more than so many times what may be lost are not looked at: they
// hardly ever relieve the busiest links by as much, and most moves are of that kind.
constexpr double kLongerWays = 8;

// Communication time per hop and byte of a mapping like that of `state`.
double time_per_hop_byte(const MappingTask& task, double cost, double hop_bytes) {
  Metrics own;
  own.ranks = task.graph.ranks();
  own.bytes = task.graph.total_bytes();
  return hop_bytes > 0 ? (cost - objective_value(task.objective, own)) / hop_bytes : 0;
}

template <typename Sums>
class Descent {
 public:
  Descent(const SearchSpace& space, Sums&& sums, RandomSource random, Seating& seating)
      : space_(space),
        plan_(space.plan()),
        sums_(std::move(sums)),
        random_(random),
        seating_(seating),
        state_(space.task(), plan_, seating) {}

  void run(const DescentSchedule& schedule) {
    double current = state_.cost();
    double best = current;
    Mapping best_mapping = seating_.mapping();
    const double per_weight =
        space_.bytes_per_weight() * time_per_hop_byte(space_.task(), current, state_.hop_bytes());
    for (std::uint64_t i = 0; i < schedule.tries; ++i) {
      if (i % kClockStride == 0) {
        space_.task().trace.report_progress();
        if (space_.task().deadline.passed()) break;
      }
      const double cooling = 1 - static_cast<double>(i) / static_cast<double>(schedule.tries);
      const double temperature = best * schedule.first_step * cooling * cooling;
      const double uphill = -temperature * std::log(1 - random_.unit());
      const auto [rank, target] = space_.draw(seating_, random_);
      const double most = uphill + kLongerWays * temperature;
      if (!try_move(rank, target, most / per_weight, current + uphill)) continue;
      current = state_.cost();
      if (current >= best) continue;
      best = current;
      best_mapping = seating_.mapping();
    }
    if (current > best) seating_ = Seating(plan_, best_mapping);
  }

 private:
  bool try_move(Rank rank, Seat target_seat, double most_lengthening, double ceiling) {
    const Seat source_seat = seating_.seat(rank);
    const std::uint32_t source = plan_.entry_of(source_seat);
    const std::uint32_t target = plan_.entry_of(target_seat);
    const Rank other = seating_.occupant(target_seat);
    if (source == target) return false;
    if (!plan_.allows(rank, target_seat) || !plan_.allows(other, source_seat)) return false;
    if (static_cast<double>(sums_.change(rank, other, source, target)) > most_lengthening) {
      return false;
    }
    if (state_.propose(rank, target_seat, ceiling) > ceiling) {
      state_.undo();
      return false;
    }
    state_.keep();
    sums_.exchange(rank, other, source, target);
    return true;
  }

  const SearchSpace& space_;
  const SeatPlan& plan_;
  Sums sums_;
  RandomSource random_;
  Seating& seating_;
  LinkState state_;
};

}  // namespace

void descend(const SearchSpace& space, const DescentSchedule& schedule, RandomSource random,
             Seating& seating) {
  if (space.plan().entries() < 2 || space.task().graph.ranks() == 0) return;
  space.cost().with_costs([&](const auto& costs) {
    using Sums = PartnerSums<std::decay_t<decltype(costs)>>;
    Descent<Sums>(space, Sums(space, costs, seating), random, seating).run(schedule);
  });
}

}  // namespace tofa
