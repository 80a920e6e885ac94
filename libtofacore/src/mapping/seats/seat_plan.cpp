// SPDX-License-Identifier: BSD-3-Clause
// Numbering slots, and mending mappings that exceed them: see seat_plan.hpp.
#include "mapping/seats/seat_plan.hpp"

#include <algorithm>

namespace tofa {

SeatPlan::SeatPlan(const Allocation& allocation, Rank ranks, const Needs* needs) {
  first_.push_back(0);
  for (const auto& [node, slots] : allocation) {
    const unsigned seats = std::min(slots, ranks);
    entry_of_.insert(entry_of_.end(), seats, static_cast<std::uint32_t>(nodes_.size()));
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
  for (std::uint32_t entry = 0; entry < entries(); ++entry) {
    unsigned next = 0;
    for (std::size_t resource = 0; resource < needs.resources(); ++resource) {
      if (together) next = 0;
      const unsigned units = std::min(needs.units(resource, node(entry)), seats_of(entry));
      for (unsigned unit = 0; unit < units; ++unit, ++next) {
        offers_[first_seat(entry) + next % seats_of(entry)] |= Resources{1} << resource;
      }
    }
  }
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
