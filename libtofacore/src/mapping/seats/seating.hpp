// SPDX-License-Identifier: BSD-3-Clause
// A mapping as searches change it: which rank sits on which seat.
#pragma once

#include <vector>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {

class Seating {
 public:
  // `mapping` must respect the slots of the plan, and the needs.
  Seating(const SeatPlan& plan, const Mapping& mapping);

  const SeatPlan& plan() const { return *plan_; }
  Seat seat(Rank rank) const { return seat_of_[rank]; }
  std::uint32_t entry(Rank rank) const { return plan_->entry_of(seat_of_[rank]); }
  Rank occupant(Seat seat) const { return occupant_[seat]; }
  // Moves a rank to a seat; whoever sits there takes the rank's old one.
  void swap_to(Rank rank, Seat target);
  // Seats at an entry whoever sits there in `other`.
  void copy_entry(std::uint32_t entry, const Seating& other);
  Mapping mapping() const;

 private:
  const SeatPlan* plan_;
  std::vector<Seat> seat_of_;
  std::vector<Rank> occupant_;
};

}  // namespace tofa
