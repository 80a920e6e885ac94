// SPDX-License-Identifier: BSD-3-Clause
// Costs between places, tabled where that is affordable.
#include "mapping/pair_cost.hpp"

#include <algorithm>

namespace tofa {
namespace {

// What one faulty link on a route weighs, in shares of a rank in the traffic: more than any pair
// gains by taking it, yet not so much that the annealer sees nothing else.
constexpr double kRiskShares = 10;

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
      risk_per_link_(risk_of_a_faulty_link(task)),
      holding_(places_) {
  if (places_ <= kMaxTable) {
    table_ = tabulate(&PairCost::compute);
    if (risk_per_link_ > 0) risks_ = tabulate(&PairCost::compute_risk);
  }
  for (std::uint32_t place = 0; place < places_; ++place) {
    if (task.outages.suspect(plan.node(place))) holding_[place] = risk_per_link_;
  }
}

std::vector<float> PairCost::tabulate(double (PairCost::*entry)(std::uint32_t, std::uint32_t)
                                          const) const {
  std::vector<float> table(places_ * places_);
  for (std::uint32_t a = 0; a < places_; ++a) {
    for (std::uint32_t b = 0; b < places_; ++b) {
      table[a * places_ + b] = static_cast<float>((this->*entry)(a, b));
    }
  }
  return table;
}

double PairCost::compute(std::uint32_t a, std::uint32_t b) const {
  const Node from = plan_.node(a);
  const Node to = plan_.node(b);
  if (!equation_1_) return topology_.hops(from, to);
  return (weights_.weight(from, to) + weights_.weight(to, from)) / (2 * topology_.hop_cost());
}

double PairCost::compute_risk(std::uint32_t a, std::uint32_t b) const {
  const Node from = plan_.node(a);
  const Node to = plan_.node(b);
  const double weight =
      (weights_.weight(from, to) + weights_.weight(to, from)) / topology_.hop_cost();
  const double faulty_links = (weight / 2 - topology_.hops(from, to)) / FaultWeights::kFaultFactor;
  return faulty_links * risk_per_link_;
}

}  // namespace tofa
