// SPDX-License-Identifier: BSD-3-Clause
// Seating ranks: see seating.hpp.
#include "mapping/seats/seating.hpp"

#include <algorithm>
#include <utility>

#include "mapping/seats/need_seats.hpp"

namespace tofa {

Seating::Seating(const SeatPlan& plan, const Mapping& mapping)
    : plan_(&plan), seat_of_(mapping.size()), occupant_(plan.seats(), kNoRank) {
  std::vector<std::pair<Node, std::uint32_t>> by_node;
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    by_node.emplace_back(plan.node(entry), entry);
  }
  std::sort(by_node.begin(), by_node.end());
  const auto entry_of = [&by_node](Node node) {
    return std::lower_bound(by_node.begin(), by_node.end(), std::pair{node, std::uint32_t{0}})
        ->second;
  };
  if (plan.selective()) {
    NeedSeats seats(plan);
    for (Rank rank = 0; rank < mapping.size(); ++rank) {
      if (plan.needed(rank) != 0) seats.seat_at(rank, entry_of(mapping[rank]));
    }
    occupant_ = seats.occupants();
  }
  std::vector<Seat> next;
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    next.push_back(plan.first_seat(entry));
  }
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    if (plan.needed(rank) != 0) continue;
    Seat& seat = next[entry_of(mapping[rank])];
    while (occupant_[seat] != kNoRank) ++seat;
    occupant_[seat++] = rank;
  }
  for (Seat seat = 0; seat < occupant_.size(); ++seat) {
    if (occupant_[seat] != kNoRank) seat_of_[occupant_[seat]] = seat;
  }
}

void Seating::swap_to(Rank rank, Seat target) {
  const Seat source = seat_of_[rank];
  const Rank other = occupant_[target];
  occupant_[target] = rank;
  occupant_[source] = other;
  seat_of_[rank] = target;
  if (other != kNoRank) seat_of_[other] = source;
}

void Seating::copy_entry(std::uint32_t entry, const Seating& other) {
  const Seat first = plan_->first_seat(entry);
  for (Seat seat = first; seat < first + plan_->seats_of(entry); ++seat) {
    const Rank rank = other.occupant_[seat];
    occupant_[seat] = rank;
    if (rank != kNoRank) seat_of_[rank] = seat;
  }
}

Mapping Seating::mapping() const {
  Mapping result(seat_of_.size());
  for (Rank rank = 0; rank < result.size(); ++rank) result[rank] = plan_->node(entry(rank));
  return result;
}

}  // namespace tofa
