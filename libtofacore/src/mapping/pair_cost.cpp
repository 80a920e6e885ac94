// SPDX-License-Identifier: BSD-3-Clause
// Costs between places, tabled where that is affordable.
#include "mapping/pair_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tofa {
namespace {

// What one faulty link on a route weighs, in shares of a rank in the traffic: more than any pair
// gains by taking it, yet not so much that a search sees nothing else.
constexpr double kRiskShares = 4;

// What the tables hold at most.
constexpr unsigned kLargestCost = std::numeric_limits<std::uint16_t>::max();

double risk_of_a_faulty_link(const MappingTask& task) {
  if (task.outages.suspects() == 0 || task.objective != Objective::completion_time) return 0;
  const double share =
      static_cast<double>(task.graph.total_bytes()) / std::max<double>(task.graph.ranks(), 1);
  return kRiskShares * std::max(1.0, share);
}

}  // namespace

PairCost::PairCost(const MappingTask& task, const SeatPlan& plan)
    : topology_(task.topology),
      plan_(plan),
      places_(plan.places()),
      weights_(task.topology, task.outages),
      equation_1_(task.outages.suspects() > 0 && task.objective == Objective::fault_weighted),
      risk_weight_(risk_of_a_faulty_link(task)),
      suspect_(places_) {
  if (!equation_1_) grid_ = GridDistances::of(topology_);
  if (grid_) {
    keys_.reserve(places_);
    for (std::uint32_t place = 0; place < places_; ++place) {
      keys_.push_back(grid_->key(topology_.coordinates(plan.node(place))));
    }
  }
  const auto tabulate = [this](auto entry) {
    std::vector<std::uint16_t> table(places_ * places_);
    for (std::uint32_t a = 0; a < places_; ++a) {
      for (std::uint32_t b = 0; b < places_; ++b) {
        table[a * places_ + b] = static_cast<std::uint16_t>(std::min(entry(a, b), kLargestCost));
      }
    }
    return table;
  };
  if (places_ <= kMaxTable) {
    if (!grid_) {
      table_ = tabulate([this](std::uint32_t a, std::uint32_t b) { return compute(a, b); });
    }
    if (risky()) {
      risks_ = tabulate([this](std::uint32_t a, std::uint32_t b) { return compute_risk(a, b); });
    }
  }
  if (!risky()) return;
  for (std::uint32_t place = 0; place < places_; ++place) {
    suspect_[place] = task.outages.suspect(plan.node(place)) ? 1 : 0;
  }
}

unsigned PairCost::compute(std::uint32_t a, std::uint32_t b) const {
  const Node from = plan_.node(a);
  const Node to = plan_.node(b);
  if (!equation_1_) return topology_.hops(from, to);
  // Equation 1 may differ with the direction: both count, which makes halves of hops.
  return static_cast<unsigned>(
      std::lround((weights_.weight(from, to) + weights_.weight(to, from)) / topology_.hop_cost()));
}

unsigned PairCost::compute_risk(std::uint32_t a, std::uint32_t b) const {
  const Node from = plan_.node(a);
  const Node to = plan_.node(b);
  return weights_.marked_links(from, to) + weights_.marked_links(to, from);
}

}  // namespace tofa
