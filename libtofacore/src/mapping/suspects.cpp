// SPDX-License-Identifier: BSD-3-Clause
// Allocations without suspect nodes: see suspects.hpp.
#include "mapping/suspects.hpp"

#include <algorithm>

#include "mapping/need_seats.hpp"

namespace tofa {
namespace {

bool offers_something(const Needs& needs, Node node) {
  for (std::size_t resource = 0; resource < needs.resources(); ++resource) {
    if (needs.units(resource, node) > 0) return true;
  }
  return false;
}

}  // namespace

Allocation without_suspects(const Allocation& allocation, const OutageMap& outages, double least,
                            Rank ranks, const Needs* needs) {
  const auto is_suspect = [&outages, least](const NodeSlots& entry) {
    return outages.probability(entry.node) >= least;
  };
  std::uint64_t rest = 0;
  for (const NodeSlots& entry : allocation) rest += is_suspect(entry) ? 0 : entry.slots;
  const std::uint64_t missing = ranks > rest ? ranks - rest : 0;
  const auto collect = [&](auto&& comes_back) {
    std::uint64_t left = missing;
    Allocation result;
    for (NodeSlots entry : allocation) {
      if (is_suspect(entry) && !comes_back(entry.node)) {
        entry.slots = static_cast<unsigned>(std::min<std::uint64_t>(entry.slots, left));
        left -= entry.slots;
      }
      if (entry.slots > 0) result.push_back(entry);
    }
    return result;
  };
  Allocation result = collect([](Node) { return false; });
  if (needs == nullptr || can_meet(*needs, result, ranks)) return result;
  return collect([needs](Node node) { return offers_something(*needs, node); });
}

}  // namespace tofa
