// SPDX-License-Identifier: BSD-3-Clause
// Traffic by rank: see flows.hpp.
#include "mapping/search/flows.hpp"

namespace tofa {

Flows::Flows(const CommGraph& graph, double bytes_per_unit) {
  offsets_.reserve(std::size_t{graph.ranks()} + 1);
  offsets_.push_back(0);
  flows_.reserve(2 * graph.pairs());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      flows_.push_back({partner, static_cast<float>(static_cast<double>(sent) / bytes_per_unit),
                        static_cast<float>(static_cast<double>(bytes - sent) / bytes_per_unit)});
    }
    offsets_.push_back(flows_.size());
  }
}

}  // namespace tofa
