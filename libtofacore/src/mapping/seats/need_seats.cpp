// SPDX-License-Identifier: BSD-3-Clause
// Giving out seats with resources: see need_seats.hpp.
#include "mapping/seats/need_seats.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "tofa/error.hpp"

namespace tofa {
namespace {

// The entry of each node; entries() for nodes outside of the allocation.
std::vector<std::uint32_t> entries_by_node(const SeatPlan& plan, const Topology& topology) {
  std::vector<std::uint32_t> entry_of(topology.nodes(), static_cast<std::uint32_t>(plan.entries()));
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) entry_of[plan.node(entry)] = entry;
  return entry_of;
}

// The nearest entry to `from` for which `suits` holds; the earliest of equals.
template <typename Suits>
std::optional<std::uint32_t> nearest_entry(const SeatPlan& plan, const Topology& topology,
                                           Node from, Suits&& suits) {
  std::optional<std::uint32_t> best;
  unsigned best_hops = 0;
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    if (!suits(entry)) continue;
    const unsigned hops = topology.hops(from, plan.node(entry));
    if (best && hops >= best_hops) continue;
    best = entry;
    best_hops = hops;
  }
  return best;
}

}  // namespace

NeedSeats::NeedSeats(const SeatPlan& plan)
    : plan_(plan), occupant_(plan.seats(), kNoRank), open_(plan.entries()), visited_(plan.seats()) {
  for (Seat seat = 0; seat < plan.seats(); ++seat) {
    if (plan.offered(seat) != 0) ++open_[plan.entry_of(seat)];
  }
}

bool NeedSeats::seat_at(Rank rank, std::uint32_t entry) {
  const Seat first = plan_.first_seat(entry);
  return find_seat(rank, first, first + plan_.seats_of(entry));
}

bool NeedSeats::seat_anywhere(Rank rank) {
  return find_seat(rank, 0, plan_.seats());
}

bool NeedSeats::find_seat(Rank rank, Seat first, Seat last) {
  ++search_;
  return augment(rank, first, last);
}

bool NeedSeats::augment(Rank rank, Seat first, Seat last) {
  for (Seat seat = first; seat < last; ++seat) {
    if (occupant_[seat] != kNoRank || !plan_.allows(rank, seat)) continue;
    --open_[plan_.entry_of(seat)];
    occupant_[seat] = rank;
    return true;
  }
  for (Seat seat = first; seat < last; ++seat) {
    if (visited_[seat] == search_ || !plan_.allows(rank, seat)) continue;
    visited_[seat] = search_;
    const Rank other = occupant_[seat];
    // Whoever needs the same is no better off elsewhere.
    if (plan_.needed(other) == plan_.needed(rank) || !augment(other, first, last)) continue;
    occupant_[seat] = rank;
    return true;
  }
  return false;
}

bool can_meet(const Needs& needs, const Allocation& allocation, Rank ranks) {
  const SeatPlan plan(allocation, ranks, &needs);
  if (!plan.selective()) return true;
  NeedSeats seats(plan);
  std::uint32_t entry = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (plan.needed(rank) == 0) continue;
    while (entry < plan.entries() && !seats.is_open(entry)) ++entry;
    if (entry < plan.entries() && seats.seat_at(rank, entry)) continue;
    if (!seats.seat_anywhere(rank)) return false;
  }
  return true;
}

void check_needs(const Needs& needs, const Topology& topology, const Allocation& allocation,
                 Rank ranks) {
  if (can_meet(needs, allocation, ranks)) return;
  constexpr std::size_t shown = 8;
  std::string combination;
  for (std::size_t resource = 0; resource < needs.resources(); ++resource) {
    std::uint64_t needed = 0;
    for (Rank rank = 0; rank < ranks; ++rank) needed += needs.of(rank) >> resource & 1U;
    std::uint64_t offered = 0;
    std::size_t count = 0;
    std::string where;
    for (const auto& [node, slots] : allocation) {
      const unsigned units = std::min(needs.units(resource, node), slots);
      if (units == 0) continue;
      offered += units;
      if (++count <= shown)
        where += fmt::format("{}{}: {}", count > 1 ? ", " : "", topology.name(node), units);
    }
    if (count > shown) where += ", ...";
    if (needed > offered) {
      throw Error(
          ErrorKind::unmet,
          fmt::format("{} ranks need resource \"{}\", but the nodes of the allocation have "
                      "room for {} of them{}; bind fewer ranks to it, or allocate more nodes "
                      "that have it",
                      needed, needs.name(resource), offered,
                      where.empty() ? "" : " (" + where + ")"));
    }
    combination += (combination.empty() ? "\"" : ", \"") + needs.name(resource) + "\"";
  }
  throw Error(ErrorKind::unmet,
              fmt::format("the nodes of the allocation have enough of the resources {}, but not "
                          "side by side where ranks need them; bind fewer ranks, or allocate more "
                          "nodes that have them",
                          combination));
}

void repair_needs(Mapping& mapping, const Topology& topology, const Allocation& allocation,
                  const Needs& needs) {
  const auto ranks = static_cast<Rank>(mapping.size());
  const SeatPlan plan(allocation, ranks, &needs);
  if (!plan.selective()) return;
  const std::vector<std::uint32_t> entry_of = entries_by_node(plan, topology);
  NeedSeats seats(plan);
  std::vector<Rank> misplaced;
  std::vector<Rank> others;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (plan.needed(rank) == 0) {
      others.push_back(rank);
    } else if (!seats.seat_at(rank, entry_of[mapping[rank]])) {
      misplaced.push_back(rank);
    }
  }
  if (misplaced.empty()) return;
  for (const Rank rank : misplaced) {
    std::vector<bool> refused(plan.entries());
    for (;;) {
      const auto entry = nearest_entry(plan, topology, mapping[rank], [&](std::uint32_t candidate) {
        return seats.is_open(candidate) && !refused[candidate];
      });
      if (!entry || seats.seat_at(rank, *entry)) {
        if (!entry) seats.seat_anywhere(rank);
        break;
      }
      refused[*entry] = true;
    }
  }
  Allocation rest;
  for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
    AllocationEntry left{plan.node(entry), 0};
    for (unsigned i = 0; i < plan.seats_of(entry); ++i) {
      const Rank occupant = seats.occupants()[plan.first_seat(entry) + i];
      if (occupant == kNoRank) {
        ++left.slots;
      } else {
        mapping[occupant] = left.node;
      }
    }
    if (left.slots > 0) rest.push_back(left);
  }
  Mapping part;
  for (const Rank rank : others) part.push_back(mapping[rank]);
  repair_slots(part, topology, rest);
  for (std::size_t i = 0; i < others.size(); ++i) mapping[others[i]] = part[i];
}

namespace {

// Adds to `request` the ranks of `mapping` that are nearest to nodes with units left, but for those
// that have some.
void choose_ranks(ResourceNeed& request, const Mapping& mapping, const Topology& topology,
                  const SeatPlan& plan, std::vector<unsigned> units,
                  const std::vector<bool>& has_some) {
  // By node, of those where ranks are: an entry with units left, when it was last looked for.
  std::vector<std::optional<std::uint32_t>> nearest(topology.nodes());
  const auto find = [&](Node node) {
    nearest[node] = nearest_entry(plan, topology, node,
                                  [&units](std::uint32_t entry) { return units[entry] > 0; });
  };
  const auto hops = [&](Node node) {
    return nearest[node] ? topology.hops(node, plan.node(*nearest[node]))
                         : std::numeric_limits<unsigned>::max();
  };
  using Waiting = std::pair<unsigned, Rank>;  // hops
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> left;
  std::vector<bool> is_known(topology.nodes());
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    if (has_some[rank]) continue;
    if (!is_known[mapping[rank]]) find(mapping[rank]);
    is_known[mapping[rank]] = true;
    left.emplace(hops(mapping[rank]), rank);
  }
  while (request.any > 0 && !left.empty()) {
    const auto [expected, rank] = left.top();
    const Node node = mapping[rank];
    left.pop();
    if (nearest[node] && units[*nearest[node]] == 0) find(node);
    if (hops(node) > expected) {
      left.emplace(hops(node), rank);
      continue;
    }
    if (nearest[node]) --units[*nearest[node]];
    request.ranks.push_back(rank);
    --request.any;
  }
  request.any = 0;
  std::sort(request.ranks.begin(), request.ranks.end());
}

}  // namespace

std::vector<ResourceNeed> name_ranks(const std::vector<ResourceNeed>& requests,
                                     const Mapping& mapping, const Topology& topology,
                                     const Allocation& allocation) {
  const SeatPlan plan(allocation, static_cast<Rank>(mapping.size()));
  const std::vector<std::uint32_t> entry_of = entries_by_node(plan, topology);
  std::vector<ResourceNeed> result = requests;
  for (ResourceNeed& request : result) {
    if (request.any == 0) continue;
    std::vector<unsigned> units;
    for (std::uint32_t entry = 0; entry < plan.entries(); ++entry) {
      units.push_back(
          std::min(topology.resource(plan.node(entry), request.resource), plan.seats_of(entry)));
    }
    // What ranks that are named already take.
    std::vector<bool> has_some(mapping.size());
    for (const ResourceNeed& other : result) {
      if (other.resource != request.resource) continue;
      for (const Rank rank : other.ranks) {
        unsigned& left = units[entry_of[mapping[rank]]];
        left -= left > 0 ? 1 : 0;
        has_some[rank] = true;
      }
    }
    choose_ranks(request, mapping, topology, plan, std::move(units), has_some);
  }
  return result;
}

}  // namespace tofa
