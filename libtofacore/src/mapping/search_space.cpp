// SPDX-License-Identifier: BSD-3-Clause
// Sets up what searches share: see search_space.hpp.
#include "mapping/search_space.hpp"

#include <algorithm>
#include <numeric>

#include "mapping/neighbourhoods.hpp"

namespace tofa {
namespace {

// Weights stay below 2^21, so that a weight times a cost difference fits 32 bits with room for
// sums in 64.
constexpr double kLargestWeight = 1U << 20U;

}  // namespace

SearchSpace::SearchSpace(const MappingTask& task)
    : task_(task), plan_(task.allocation, task.graph.ranks(), task.needs), cost_(task, plan_) {
  compress_traffic();
  Neighbourhoods found = find_neighbourhoods(task_, plan_, cost_);
  around_start_ = std::move(found.start);
  around_ = std::move(found.places);
}

void SearchSpace::compress_traffic() {
  const CommGraph& graph = task_.graph;
  Bytes largest = 1;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) largest = std::max(largest, edge.bytes);
  }
  // Small weights become exact multiples, so that equal sums of bytes stay equal.
  bytes_per_weight_ = std::max(1.0, static_cast<double>(largest) / kLargestWeight);
  offsets_.reserve(std::size_t{graph.ranks()} + 1);
  offsets_.push_back(0);
  talks_.reserve(2 * graph.pairs());
  double sum = 0;
  double squares = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes] : graph.partners(rank)) {
      const double weight = std::max(1.0, static_cast<double>(bytes) / bytes_per_weight_);
      talks_.push_back({partner, static_cast<std::int32_t>(weight)});
      sum += weight;
      squares += weight * weight;
    }
    offsets_.push_back(talks_.size());
    if (!graph.partners(rank).empty()) talkers_.push_back(rank);
  }
  if (sum > 0) typical_weight_ = squares / sum;
  risk_weight_ = static_cast<std::int64_t>(cost_.risk_weight() / bytes_per_weight_);
  if (cost_.risky()) risk_weight_ = std::max<std::int64_t>(risk_weight_, 1);
  if (talkers_.empty()) {
    talkers_.resize(graph.ranks());
    std::iota(talkers_.begin(), talkers_.end(), Rank{0});
  }
}

}  // namespace tofa
