// SPDX-License-Identifier: BSD-3-Clause
// Allocations without suspect nodes: see suspects.hpp.
#include "mapping/suspects.hpp"

#include <algorithm>

namespace tofa {

Allocation without_suspects(const Allocation& allocation, const OutageMap& outages, double least,
                            Rank ranks) {
  const auto is_suspect = [&outages, least](const NodeSlots& entry) {
    return outages.probability(entry.node) >= least;
  };
  std::uint64_t rest = 0;
  for (const NodeSlots& entry : allocation) rest += is_suspect(entry) ? 0 : entry.slots;
  std::uint64_t missing = ranks > rest ? ranks - rest : 0;
  Allocation result;
  for (NodeSlots entry : allocation) {
    if (is_suspect(entry)) {
      entry.slots = static_cast<unsigned>(std::min<std::uint64_t>(entry.slots, missing));
      missing -= entry.slots;
    }
    if (entry.slots > 0) result.push_back(entry);
  }
  return result;
}

}  // namespace tofa
