// SPDX-License-Identifier: BSD-3-Clause
// The smooth stand-in for an objective that the annealer works on: a cost per byte between two
// places, and a cost per rank of being at a place. It decomposes over pairs, so that a move is
// judged in time proportional to the partners of a rank.
#pragma once

#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/seats.hpp"

namespace tofa {

class PairCost {
 public:
  PairCost(const MappingTask& task, const SeatPlan& plan);

  // Per byte between two places of the allocation, in units of hops: equation 1 where that is the
  // objective, else hops.
  double between(std::uint32_t a, std::uint32_t b) const {
    return table_.empty() ? compute(a, b) : table_[a * places_ + b];
  }
  // Per pair that talks at all, in byte hops: how little it says makes no difference to a job that
  // is aborted when its route fails. Zero unless the objective counts aborts.
  double risk(std::uint32_t a, std::uint32_t b) const {
    if (risk_per_link_ == 0) return 0;
    return risks_.empty() ? compute_risk(a, b) : risks_[a * places_ + b];
  }
  // Per rank at a place: what it risks there even if it talks to nobody.
  double holding(std::uint32_t place) const { return holding_[place]; }

 private:
  double compute(std::uint32_t a, std::uint32_t b) const;
  double compute_risk(std::uint32_t a, std::uint32_t b) const;
  std::vector<float> tabulate(double (PairCost::*entry)(std::uint32_t, std::uint32_t) const) const;

  // Up to this many places all pairs are tabled: 16 MB of floats a table.
  static constexpr std::size_t kMaxTable = 2048;

  const Topology& topology_;
  const SeatPlan& plan_;
  std::size_t places_;
  FaultWeights weights_;
  bool equation_1_;
  double risk_per_link_ = 0;
  std::vector<float> table_;
  std::vector<float> risks_;
  std::vector<double> holding_;
};

}  // namespace tofa
