// SPDX-License-Identifier: BSD-3-Clause
// Sets up what searches share: see search_space.hpp.
#include "mapping/search_space.hpp"

#include <algorithm>
#include <numeric>

#include "mapping/neighbourhoods.hpp"

namespace tofa {
namespace {

// Weights stay below 2^21, and what the talk of one rank can cost in a dimension below 2^31, so
// that costs fit 32 bits and sums of them 64.
constexpr double kLargestWeight = 1U << 20U;
constexpr double kLargestCost = (1U << 31U) - 1.0;

}  // namespace

SearchSpace::SearchSpace(const MappingTask& task)
    : task_(task), plan_(task.allocation, task.graph.ranks(), task.needs), cost_(task, plan_) {
  if (cost_.counts_hops()) axes_ = GridAxes::of(task.topology, plan_);
  compress_traffic();
  Neighbourhoods found = find_neighbourhoods(task_, plan_, cost_);
  around_start_ = std::move(found.start);
  around_ = std::move(found.places);
}

void SearchSpace::compress_traffic() {
  const CommGraph& graph = task_.graph;
  Bytes largest = 1;
  Bytes most = 1;  // of a rank
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    Bytes sum = 0;
    for (const CommEdge& edge : graph.partners(rank)) {
      largest = std::max(largest, edge.bytes);
      sum += edge.bytes;
    }
    most = std::max(most, sum);
  }
  const double furthest = axes_ ? axes_->furthest() : 1;
  // Small weights become exact multiples, so that equal sums of bytes stay equal.
  bytes_per_weight_ = std::max({1.0, static_cast<double>(largest) / kLargestWeight,
                                static_cast<double>(most) * furthest / kLargestCost});
  offsets_.reserve(std::size_t{graph.ranks()} + 1);
  offsets_.push_back(0);
  talks_.reserve(2 * graph.pairs());
  owner_.reserve(2 * graph.pairs());
  double sum = 0;
  double squares = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes] : graph.partners(rank)) {
      const double weight = std::max(1.0, static_cast<double>(bytes) / bytes_per_weight_);
      owner_.push_back(rank);
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
