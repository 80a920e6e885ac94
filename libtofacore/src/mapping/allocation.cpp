// SPDX-License-Identifier: BSD-3-Clause
// Nodes and slots of an allocation: see allocation.hpp.
#include "mapping/allocation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "mapping/seats/need_seats.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

bool offers_something(const Needs& needs, Node node) {
  for (std::size_t resource = 0; resource < needs.resources(); ++resource) {
    if (needs.units(resource, node) > 0) return true;
  }
  return false;
}

}  // namespace

std::uint64_t total_slots(const Allocation& allocation) {
  return std::accumulate(
      allocation.begin(), allocation.end(), std::uint64_t{0},
      [](std::uint64_t sum, const AllocationEntry& entry) { return sum + entry.slots; });
}

Allocation usable_nodes(const Allocation& allocation, const Topology& topology) {
  Allocation result;
  std::vector<bool> seen(topology.nodes());
  for (const AllocationEntry& entry : allocation) {
    if (entry.node >= topology.nodes()) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("the allocation names node {}, but the topology has {} nodes",
                              entry.node, topology.nodes()));
    }
    if (seen[entry.node]) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("node \"{}\" is twice in the allocation; name it once, with all its slots",
                      topology.name(entry.node)));
    }
    seen[entry.node] = true;
    if (entry.slots > 0) result.push_back(entry);
  }
  return result;
}

void check_slots(const Allocation& allocation, Rank ranks) {
  const std::uint64_t slots = total_slots(allocation);
  if (slots >= ranks) return;
  throw Error(ErrorKind::unmet,
              fmt::format("{} ranks need as many slots, but the {} nodes of the allocation have "
                          "{}; add nodes or slots per node",
                          ranks, allocation.size(), slots));
}

Allocation with_at_most(Allocation allocation, unsigned slots) {
  for (AllocationEntry& entry : allocation) entry.slots = std::min(entry.slots, slots);
  return allocation;
}

Allocation spread(const Allocation& allocation, Rank ranks) {
  if (total_slots(allocation) == ranks) return allocation;
  unsigned level = 0;
  while (total_slots(with_at_most(allocation, level + 1)) <= ranks) ++level;
  Allocation even = with_at_most(allocation, level);
  std::uint64_t rest = ranks - total_slots(even);
  for (std::size_t i = 0; rest > 0; ++i) {
    if (even[i].slots == allocation[i].slots) continue;
    ++even[i].slots;
    --rest;
  }
  return even;
}

Allocation with_room_for(const Allocation& allocation, Rank ranks) {
  const std::uint64_t slots = total_slots(allocation);
  if (slots >= ranks || slots == 0) return allocation;
  Allocation result = allocation;
  std::uint64_t missing = ranks - slots;
  for (AllocationEntry& entry : result) {
    const std::uint64_t share = entry.slots * std::uint64_t{ranks - slots} / slots;
    entry.slots += static_cast<unsigned>(share);
    missing -= share;
  }
  // What rounding left goes to the nodes that are fullest the last.
  for (std::size_t i = 0; missing > 0; i = (i + 1) % result.size(), --missing) ++result[i].slots;
  return result;
}

Allocation without(const std::function<bool(Node)>& is_spared, const Allocation& allocation,
                   const OutageMap& outages, Rank ranks, const Needs* needs) {
  std::uint64_t rest = 0;
  std::vector<std::size_t> spared;  // entries in the allocation
  for (std::size_t i = 0; i < allocation.size(); ++i) {
    if (is_spared(allocation[i].node)) {
      spared.push_back(i);
    } else {
      rest += allocation[i].slots;
    }
  }
  std::stable_sort(spared.begin(), spared.end(), [&](std::size_t a, std::size_t b) {
    return outages.probability(allocation[a].node) < outages.probability(allocation[b].node);
  });
  const std::uint64_t missing = ranks > rest ? ranks - rest : 0;
  const auto collect = [&](auto&& comes_back) {
    std::uint64_t left = missing;
    Allocation result = allocation;
    for (const std::size_t i : spared) {
      AllocationEntry& entry = result[i];
      if (comes_back(entry.node)) continue;
      entry.slots = static_cast<unsigned>(std::min<std::uint64_t>(entry.slots, left));
      left -= entry.slots;
    }
    std::erase_if(result, [](const AllocationEntry& entry) { return entry.slots == 0; });
    return result;
  };
  Allocation result = collect([](Node) { return false; });
  if (needs == nullptr || can_meet(*needs, result, ranks)) return result;
  return collect([needs](Node node) { return offers_something(*needs, node); });
}

Allocation alive_nodes(const Allocation& allocation, const OutageMap& outages) {
  Allocation alive = allocation;
  std::erase_if(alive,
                [&outages](const AllocationEntry& entry) { return outages.dead(entry.node); });
  return alive;
}

Allocation without_dead(const Allocation& allocation, const OutageMap& outages, Rank ranks,
                        const Needs* needs) {
  if (total_slots(alive_nodes(allocation, outages)) < ranks) return allocation;
  return without([&outages](Node node) { return outages.dead(node); }, allocation, outages, ranks,
                 needs);
}

bool avoids_the_dead(const Allocation& allocation, const OutageMap& outages, Rank ranks) {
  return total_slots(without_dead(allocation, outages, ranks, nullptr)) == total_slots(allocation);
}

}  // namespace tofa
