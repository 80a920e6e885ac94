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

  // Per byte between two places of the allocation: hops, or equation 1 where faults matter, in
  // units of hops.
  double between(std::uint32_t a, std::uint32_t b) const {
    return table_.empty() ? compute(a, b) : table_[a * places_ + b];
  }
  // Per rank at a place. Non-zero on a suspect node when the objective counts aborts: a rank there
  // is at stake even if it hardly talks.
  double holding(std::uint32_t place) const { return holding_[place]; }

 private:
  double compute(std::uint32_t a, std::uint32_t b) const;

  // Up to this many places all pairs are tabled: 16 MB of floats.
  static constexpr std::size_t kMaxTable = 2048;

  const Topology& topology_;
  const SeatPlan& plan_;
  std::size_t places_;
  FaultWeights weights_;
  bool faults_matter_;
  std::vector<float> table_;
  std::vector<double> holding_;
};

}  // namespace tofa
