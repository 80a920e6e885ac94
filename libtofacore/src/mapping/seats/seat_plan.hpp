// SPDX-License-Identifier: BSD-3-Clause
// Seats: the slots of an allocation, numbered. A node with three slots has three seats; ranks sit
// on seats, so every arrangement of ranks respects the slots by construction. Nodes go by their
// entry, which is their index in the allocation: searches work on these and not on the nodes of a
// topology, of which a job may have few.
#pragma once

#include <vector>

#include "mapping/seats/needs.hpp"

namespace tofa {

using Seat = std::uint32_t;

// The entries of an allocation and the seats of each. Of a node with two units of a resource, two
// seats have it, and ranks that need it may sit on such seats only.
class SeatPlan {
 public:
  // A node needs no more seats than there are ranks. `needs` may be null.
  SeatPlan(const Allocation& allocation, Rank ranks, const Needs* needs = nullptr);

  std::size_t entries() const { return nodes_.size(); }
  Node node(std::uint32_t entry) const { return nodes_[entry]; }
  Seat first_seat(std::uint32_t entry) const { return first_[entry]; }
  unsigned seats_of(std::uint32_t entry) const { return first_[entry + 1] - first_[entry]; }
  Seat seats() const { return first_.back(); }
  std::uint32_t entry_of(Seat seat) const { return entry_of_[seat]; }

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
  std::vector<Seat> first_;  // entries() + 1
  std::vector<std::uint32_t> entry_of_;
  std::vector<Resources> needed_;  // by rank; empty when nothing is needed
  std::vector<Resources> offers_;  // by seat
};

// Moves ranks off nodes that hold more than they have slots, and off nodes outside the allocation,
// each to the nearest node with a free slot. What a partitioner that only balances needs
// afterwards. Of a rank without a node (kNoNode), `wishes`, if there are any, tell what is near.
// Where many ranks on many nodes are to move, those that come near it in the list are looked at.
void repair_slots(Mapping& mapping, const Topology& topology, const Allocation& allocation,
                  const Mapping& wishes = {});

}  // namespace tofa
