// SPDX-License-Identifier: BSD-3-Clause
// Counting who stands, and what that costs: see standing_room.hpp.
#include "mapping/search/standing_room.hpp"

#include <algorithm>
#include <cmath>

namespace tofa {

SeatPlan with_standing_room(const MappingTask& task) {
  constexpr unsigned fewest = 2;
  constexpr unsigned one_beside = 16;  // seats
  Allocation more = task.allocation;
  for (auto& [node, slots] : more) slots += std::max(fewest, slots / one_beside);
  return SeatPlan(more, task.graph.ranks());
}

StandingPrice::StandingPrice(double start, double end)
    : start_(start), cooling_(std::log(end / start)), price_(start) {}

void StandingPrice::adapt(double temperature, std::uint64_t tries, std::int64_t standing,
                          std::size_t ranks) {
  constexpr double share = 0.015;  // of the ranks may stand at first, ...
  constexpr double over_at = 0.9;  // and none from here on, of the way down
  constexpr double haste = 0.2;    // in powers of e, for a try of each rank
  constexpr double lowest = 0.05;  // of the first temperature
  constexpr double highest = 20;
  const double progress = cooling_ < 0 ? std::log(temperature / start_) / cooling_ : 1;
  const double wanted = share * static_cast<double>(ranks) * std::max(0.0, 1 - progress / over_at);
  const double step = haste * static_cast<double>(tries) / static_cast<double>(ranks);
  price_ *= std::exp(static_cast<double>(standing) > wanted ? step : -step);
  price_ = std::clamp(price_, lowest * start_, highest * start_);
}

StandingRoom::StandingRoom(const SeatPlan& seats, const Seating& seating)
    : seats_(seats), taken_(seats.entries()), free_(seats.entries()) {
  const SeatPlan& places = seating.plan();
  for (std::uint32_t entry = 0; entry < places.entries(); ++entry) {
    const Seat first = places.first_seat(entry);
    for (Seat seat = first; seat < first + places.seats_of(entry); ++seat) {
      if (seating.occupant(seat) == kNoRank) {
        free_[entry].push_back(seat);
      } else {
        ++taken_[entry];
      }
    }
  }
}

void StandingRoom::move(std::uint32_t source, Seat left, std::uint32_t target) {
  --taken_[source];
  free_[source].push_back(left);
  ++taken_[target];
  free_[target].pop_back();
}

}  // namespace tofa
