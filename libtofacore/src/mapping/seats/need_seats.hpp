// SPDX-License-Identifier: BSD-3-Clause
// Seats for the ranks that need resources: giving them out one by one, and mending a mapping that
// was made without looking at needs.
#pragma once

#include <vector>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {

// Seats of a plan and the ranks with needs that sit on them. Who comes later may make others take
// another seat that suits them (augmenting paths: Kuhn, The Hungarian method, 1955).
class NeedSeats {
 public:
  explicit NeedSeats(const SeatPlan& plan);

  // Finds the rank a seat at an entry, where others move only within the entry; false if there is
  // none.
  bool seat_at(Rank rank, std::uint32_t entry);
  // Finds it a seat anywhere, where others may move to other entries.
  bool seat_anywhere(Rank rank);

  // Whether the entry has a seat that offers something and is not taken.
  bool is_open(std::uint32_t entry) const { return open_[entry] > 0; }
  const std::vector<Rank>& occupants() const { return occupant_; }  // by seat

 private:
  bool find_seat(Rank rank, Seat first, Seat last);
  bool augment(Rank rank, Seat first, Seat last);

  const SeatPlan& plan_;
  std::vector<Rank> occupant_;
  std::vector<unsigned> open_;          // by entry
  std::vector<std::uint64_t> visited_;  // by seat: the search that came by last
  std::uint64_t search_ = 0;
};

// Throws Error (unmet), which says what is missing, unless all ranks with needs have seats at once.
void check_needs(const Needs& needs, const Topology& topology, const Allocation& allocation,
                 Rank ranks);
bool can_meet(const Needs& needs, const Allocation& allocation, Rank ranks);

// Moves ranks so that all needs are met, which must be possible: those on nodes that lack what they
// need go to the nearest that has it, and whoever has to give way to the nearest free slot.
void repair_needs(Mapping& mapping, const Topology& topology, const Allocation& allocation,
                  const Needs& needs);

// Replaces requests for any ranks by requests for those that `mapping` has nearest to the resource.
std::vector<ResourceNeed> name_ranks(const std::vector<ResourceNeed>& requests,
                                     const Mapping& mapping, const Topology& topology,
                                     const Allocation& allocation);

}  // namespace tofa
