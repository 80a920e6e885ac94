// SPDX-License-Identifier: BSD-3-Clause
// Bookkeeping of slots: see seats.hpp.
#include "mapping/seats.hpp"

#include <algorithm>

#include "mapping/need_seats.hpp"

namespace tofa {

SeatPlan::SeatPlan(const Allocation& allocation, Rank ranks, const Needs* needs) {
  first_.push_back(0);
  for (const auto& [node, slots] : allocation) {
    const unsigned seats = std::min(slots, ranks);
    place_of_.insert(place_of_.end(), seats, static_cast<std::uint32_t>(nodes_.size()));
    nodes_.push_back(node);
    first_.push_back(first_.back() + seats);
  }
  if (needs != nullptr && !needs->empty()) mark_resources(*needs, ranks);
}

// Where a rank needs several resources at once, the first seats of a node have all of them;
// otherwise each resource gets seats of its own as far as there are enough.
void SeatPlan::mark_resources(const Needs& needs, Rank ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) needed_.push_back(needs.of(rank));
  offers_.resize(seats());
  const bool together = needs.combined();
  for (std::uint32_t place = 0; place < places(); ++place) {
    unsigned next = 0;
    for (std::size_t resource = 0; resource < needs.resources(); ++resource) {
      if (together) next = 0;
      const unsigned units = std::min(needs.units(resource, node(place)), seats_of(place));
      for (unsigned unit = 0; unit < units; ++unit, ++next) {
        offers_[first_seat(place) + next % seats_of(place)] |= Resources{1} << resource;
      }
    }
  }
}

Seating::Seating(const SeatPlan& plan, const Mapping& mapping)
    : plan_(&plan), seat_of_(mapping.size()), occupant_(plan.seats(), kNoRank) {
  std::vector<std::pair<Node, std::uint32_t>> by_node;
  for (std::uint32_t place = 0; place < plan.places(); ++place) {
    by_node.emplace_back(plan.node(place), place);
  }
  std::sort(by_node.begin(), by_node.end());
  const auto place_of = [&by_node](Node node) {
    return std::lower_bound(by_node.begin(), by_node.end(), std::pair{node, std::uint32_t{0}})
        ->second;
  };
  if (plan.selective()) {
    NeedSeats seats(plan);
    for (Rank rank = 0; rank < mapping.size(); ++rank) {
      if (plan.needed(rank) != 0) seats.seat_at(rank, place_of(mapping[rank]));
    }
    occupant_ = seats.occupants();
  }
  std::vector<Seat> next;
  for (std::uint32_t place = 0; place < plan.places(); ++place) {
    next.push_back(plan.first_seat(place));
  }
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    if (plan.needed(rank) != 0) continue;
    Seat& seat = next[place_of(mapping[rank])];
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

void Seating::copy_place(std::uint32_t place, const Seating& other) {
  const Seat first = plan_->first_seat(place);
  for (Seat seat = first; seat < first + plan_->seats_of(place); ++seat) {
    const Rank rank = other.occupant_[seat];
    occupant_[seat] = rank;
    if (rank != kNoRank) seat_of_[rank] = seat;
  }
}

Mapping Seating::mapping() const {
  Mapping result(seat_of_.size());
  for (Rank rank = 0; rank < result.size(); ++rank) result[rank] = plan_->node(place(rank));
  return result;
}

void repair_slots(Mapping& mapping, const Topology& topology, const Allocation& allocation) {
  std::vector<unsigned> free(topology.nodes());
  for (const auto& [node, slots] : allocation) free[node] = slots;
  std::vector<Rank> homeless;
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    const Node node = mapping[rank];
    if (node < free.size() && free[node] > 0) {
      --free[node];
    } else {
      homeless.push_back(rank);
    }
  }
  for (const Rank rank : homeless) {
    const Node wish = mapping[rank];
    Node best = kNoNode;
    unsigned best_hops = 0;
    for (const auto& [node, slots] : allocation) {
      if (free[node] == 0) continue;
      const unsigned hops = wish < topology.nodes() ? topology.hops(wish, node) : 0;
      if (best == kNoNode || hops < best_hops) {
        best = node;
        best_hops = hops;
      }
    }
    mapping[rank] = best;
    --free[best];
  }
}

}  // namespace tofa
