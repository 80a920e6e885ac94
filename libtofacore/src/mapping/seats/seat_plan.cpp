// SPDX-License-Identifier: BSD-3-Clause
// Numbering slots, and mending mappings that exceed them: see seat_plan.hpp.
#include "mapping/seats/seat_plan.hpp"

#include <algorithm>
#include <utility>

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

namespace {

// Nodes with free slots, in the order of the allocation.
class FreeNodes {
 public:
  // `free` is by node; takers are so many.
  FreeNodes(const Topology& topology, const Allocation& allocation, std::vector<unsigned>&& free,
            std::size_t takers)
      : topology_(topology),
        free_(std::move(free)),
        looks_(std::max(kFewestLooks, kMostLooks / std::max<std::size_t>(takers, 1))),
        place_of_(topology.nodes(), kNowhere) {
    for (const AllocationEntry& entry : allocation) {
      place_of_[entry.node] = static_cast<std::uint32_t>(nodes_.size());
      if (free_[entry.node] > 0) nodes_.push_back(entry.node);
    }
    // What is not in the allocation lies where the node with the number before it does.
    std::uint32_t before = 0;
    for (std::uint32_t& place : place_of_) place = before = place == kNowhere ? before : place;
  }

  // Takes a slot of the node that is nearest to `wish`, the first one where that is no node.
  Node take_near(Node wish) {
    const Node node = nearest(wish);
    if (--free_[node] == 0) ++full_;
    if (full_ * full_ > nodes_.size()) forget_full();
    return node;
  }

 private:
  static constexpr std::uint32_t kNowhere = 0xffffffff;
  // At nodes, of all takers and of each.
  static constexpr std::size_t kMostLooks = 10'000'000;
  static constexpr std::size_t kFewestLooks = 64;

  Node nearest(Node wish) const {
    const bool is_node = wish < topology_.nodes();
    const auto middle = is_node ? first_from(place_of_[wish]) : nodes_.begin();
    const auto most = static_cast<std::ptrdiff_t>(looks_ / 2 + full_);
    auto from = middle - std::min(most, middle - nodes_.begin());
    const auto to = middle + std::min(most, nodes_.end() - middle);
    Node best = kNoNode;
    unsigned best_hops = 0;
    for (; from != to; ++from) {
      if (free_[*from] == 0) continue;
      if (!is_node) return *from;
      const unsigned hops = topology_.hops(wish, *from);
      if (best != kNoNode && hops >= best_hops) continue;
      best = *from;
      best_hops = hops;
    }
    return best;
  }

  std::vector<Node>::const_iterator first_from(std::uint32_t place) const {
    return std::lower_bound(
        nodes_.begin(), nodes_.end(), place,
        [this](Node node, std::uint32_t limit) { return place_of_[node] < limit; });
  }

  void forget_full() {
    std::erase_if(nodes_, [this](Node node) { return free_[node] == 0; });
    full_ = 0;
  }

  const Topology& topology_;
  std::vector<unsigned> free_;
  std::size_t looks_;
  std::vector<std::uint32_t> place_of_;  // by node, never falls from one free node to the next
  std::vector<Node> nodes_;              // some of them are full by now
  std::size_t full_ = 0;                 // of these
};

}  // namespace

void repair_slots(Mapping& mapping, const Topology& topology, const Allocation& allocation,
                  const Mapping& wishes) {
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
  if (homeless.empty()) return;
  FreeNodes nodes(topology, allocation, std::move(free), homeless.size());
  for (const Rank rank : homeless) {
    const bool has_wish = mapping[rank] == kNoNode && !wishes.empty();
    mapping[rank] = nodes.take_near(has_wish ? wishes[rank] : mapping[rank]);
  }
}

}  // namespace tofa
