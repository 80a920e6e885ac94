// SPDX-License-Identifier: BSD-3-Clause
// Sets up what searches share: see search_space.hpp.
#include "mapping/search/search_space.hpp"

#include <algorithm>
#include <numeric>

#include "base/lanes.hpp"
#include "mapping/search/ledger_rule.hpp"

namespace tofa {
namespace {

// Weights stay below 2^21, and what the traffic of one rank can cost in a grid below 2^28, so that
// costs and sums of a few of them fit 32 bits, and sums over all ranks 64.
constexpr double kLargestWeight = 1U << 20U;
constexpr double kLargestRankCost = 1U << 28U;

}  // namespace

SearchSpace::SearchSpace(const MappingTask& task, std::size_t very_many)
    : task_(task), plan_(task.allocation, task.graph.ranks(), task.needs), cost_(task, plan_) {
  if (cost_.counts_hops()) {
    axes_ = GridAxes::of(task.topology, plan_);
    const auto hops = [this](std::uint32_t a, std::uint32_t b) { return cost_.between(a, b); };
    if (!axes_ && ledger_serves(task)) axes_ = GridAxes::in_one_dimension(plan_.entries(), hops);
  }
  // Neither knows of the other, and both take long.
  constexpr std::size_t many = 128;  // entries
  run_lanes_if(plan_.entries() >= many, [&](unsigned lane) {
    if (lane == 1) {
      around_ = find_neighbourhoods(task_, plan_, cost_);
    } else {
      compress_traffic();
      choose_drawn(very_many);
    }
  });
}

void SearchSpace::compress_traffic() {
  const CommGraph& graph = task_.graph;
  Bytes largest = 1;
  Bytes most = 1;  // of a rank
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    Bytes sum = 0;
    for (const CommEdge& edge : graph.partners(rank)) {
      largest = std::max(largest, Bytes{edge.bytes});
      sum += edge.bytes;
    }
    most = std::max(most, sum);
  }
  const double furthest = axes_ ? axes_->diameter() : 1;
  // Small weights become exact multiples, so that equal sums of bytes stay equal.
  bytes_per_weight_ = std::max({1.0, static_cast<double>(largest) / kLargestWeight,
                                static_cast<double>(most) * furthest / kLargestRankCost});
  const StrongPairs strong(graph);
  const auto add = [this](const CommEdge& edge) {
    const double weight = std::max(1.0, static_cast<double>(edge.bytes) / bytes_per_weight_);
    partners_.push_back({edge.partner, static_cast<std::int32_t>(weight)});
  };
  offsets_.reserve(std::size_t{graph.ranks()} + 1);
  offsets_.push_back(0);
  partners_.reserve(2 * graph.pairs());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const auto all = graph.partners(rank);
    const auto is_strong = [&](const CommEdge& edge) {
      return strong.contains(rank, edge.partner, edge.bytes);
    };
    for (const CommEdge& edge : all) {
      if (is_strong(edge)) add(edge);
    }
    strong_.push_back(static_cast<std::uint32_t>(partners_.size() - offsets_.back()));
    for (const CommEdge& edge : all) {
      if (strong_.back() < all.size() && !is_strong(edge)) add(edge);
    }
    offsets_.push_back(partners_.size());
    if (!graph.partners(rank).empty()) active_ranks_.push_back(rank);
  }
  risk_weight_ = static_cast<std::int64_t>(cost_.risk_weight() / bytes_per_weight_);
  if (cost_.risky()) risk_weight_ = std::max<std::int64_t>(risk_weight_, 1);
  if (active_ranks_.empty()) {
    active_ranks_.resize(graph.ranks());
    std::iota(active_ranks_.begin(), active_ranks_.end(), Rank{0});
  }
}

// All strong pairs, but of ranks with very many some that stand for them.
void SearchSpace::choose_drawn(std::size_t very_many) {
  constexpr std::size_t most = StrongPairs::kMostDrawn;
  std::size_t left = 0;
  double partners_of_all = 0;
  for (Rank rank = 0; rank < strong_.size(); ++rank) {
    const std::size_t count = std::min<std::size_t>(strong_[rank], most);
    left += count;
    partners_of_all += static_cast<double>(count) * static_cast<double>(partners(rank).size());
  }
  if (left > 0) partners_of_a_draw_ = partners_of_all / static_cast<double>(left);
  draws_ = static_cast<std::uint32_t>(left);
  if (left < partners_.size()) {
    drawn_from_.reserve(strong_.size());
    std::uint32_t from = 0;
    for (const std::uint32_t strong : strong_) {
      drawn_from_.push_back(from);
      from += static_cast<std::uint32_t>(std::min<std::size_t>(strong, most));
    }
  }
  left < very_many ? note_sources() : note_some_sources();
}

void SearchSpace::note_sources() {
  source_rank_.reserve(draws_);
  for (Rank rank = 0; rank < strong_.size(); ++rank) source_rank_.resize(end_of_drawn(rank), rank);
}

void SearchSpace::note_some_sources() {
  for (std::size_t k = 0; k < active_ranks_.size(); ++k) {
    while (source_of_some_.size() * kBetween < end_of_drawn(active_ranks_[k]))
      source_of_some_.push_back(static_cast<Rank>(k));
  }
}

}  // namespace tofa
