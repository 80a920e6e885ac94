// SPDX-License-Identifier: BSD-3-Clause
// Seats: the slots of an allocation, numbered. A node with three slots has three seats; ranks sit
// on seats, so every arrangement of ranks respects the slots by construction.
#pragma once

#include <vector>

#include "mapping/needs.hpp"

namespace tofa {

using Seat = std::uint32_t;
inline constexpr Rank kNoRank = std::numeric_limits<Rank>::max();

// The nodes of an allocation by place in it (0, 1, ...), and the seats of each. Of a node with two
// units of a resource, two seats have it, and ranks that need it may sit on such seats only.
class SeatPlan {
 public:
  // A node needs no more seats than there are ranks. `needs` may be null.
  SeatPlan(const Allocation& allocation, Rank ranks, const Needs* needs = nullptr);

  std::size_t places() const { return nodes_.size(); }
  Node node(std::uint32_t place) const { return nodes_[place]; }
  Seat first_seat(std::uint32_t place) const { return first_[place]; }
  unsigned seats_of(std::uint32_t place) const { return first_[place + 1] - first_[place]; }
  Seat seats() const { return first_.back(); }
  std::uint32_t place_of(Seat seat) const { return place_of_[seat]; }

  // Whether any seat is closed to any rank.
  bool selective() const { return !offers_.empty(); }
  // Whether the rank may sit there; nobody may sit anywhere.
  bool allows(Rank rank, Seat seat) const {
    return offers_.empty() || rank == kNoRank || (needed_[rank] & ~offers_[seat]) == 0;
  }
  Resources needed(Rank rank) const { return needed_.empty() ? 0 : needed_[rank]; }
  Resources offered(Seat seat) const { return offers_.empty() ? 0 : offers_[seat]; }

 private:
  void mark_resources(const Needs& needs, Rank ranks);

  std::vector<Node> nodes_;
  std::vector<Seat> first_;  // places() + 1
  std::vector<std::uint32_t> place_of_;
  std::vector<Resources> needed_;  // by rank; empty when nothing is needed
  std::vector<Resources> offers_;  // by seat
};

// Who sits where.
class Seating {
 public:
  // `mapping` must respect the slots of the plan, and the needs.
  Seating(const SeatPlan& plan, const Mapping& mapping);

  Seat seat(Rank rank) const { return seat_of_[rank]; }
  std::uint32_t place(Rank rank) const { return plan_->place_of(seat_of_[rank]); }
  Rank occupant(Seat seat) const { return occupant_[seat]; }
  // Moves a rank to a seat; whoever sits there takes the rank's old one.
  void swap_to(Rank rank, Seat target);
  // Seats at a place whoever sits there in `other`.
  void copy_place(std::uint32_t place, const Seating& other);
  Mapping mapping() const;

 private:
  const SeatPlan* plan_;
  std::vector<Seat> seat_of_;
  std::vector<Rank> occupant_;
};

// Moves ranks off nodes that hold more than they have slots, and off nodes outside the allocation,
// each to the nearest node with a free slot. What a partitioner that only balances needs
// afterwards.
void repair_slots(Mapping& mapping, const Topology& topology, const Allocation& allocation);

}  // namespace tofa
