// SPDX-License-Identifier: BSD-3-Clause
// Costs between places: see pair_cost.hpp.
#include "mapping/pair_cost.hpp"

#include <algorithm>

namespace tofa {
namespace {

bool counts_faults(const MappingTask& task) {
  return task.outages.suspects() > 0 && (task.objective == Objective::completion_time ||
                                         task.objective == Objective::fault_weighted);
}

}  // namespace

PairCost::PairCost(const MappingTask& task, const SeatPlan& plan)
    : topology_(task.topology),
      plan_(plan),
      places_(plan.places()),
      weights_(task.topology, task.outages),
      faults_matter_(counts_faults(task)),
      holding_(places_) {
  if (places_ <= kMaxTable) {
    table_.resize(places_ * places_);
    for (std::uint32_t a = 0; a < places_; ++a) {
      for (std::uint32_t b = 0; b < places_; ++b) {
        table_[a * places_ + b] = static_cast<float>(compute(a, b));
      }
    }
  }
  if (faults_matter_ && task.objective == Objective::completion_time) {
    // As if the rank's share of the traffic crossed one faulty link.
    const double share =
        static_cast<double>(task.graph.total_bytes()) / std::max<double>(task.graph.ranks(), 1);
    for (std::uint32_t place = 0; place < places_; ++place) {
      if (task.outages.suspect(plan.node(place))) {
        holding_[place] = FaultWeights::kFaultFactor * std::max(1.0, share);
      }
    }
  }
}

double PairCost::compute(std::uint32_t a, std::uint32_t b) const {
  const Node from = plan_.node(a);
  const Node to = plan_.node(b);
  if (!faults_matter_) return topology_.hops(from, to);
  return (weights_.weight(from, to) + weights_.weight(to, from)) / (2 * topology_.hop_cost());
}

}  // namespace tofa
