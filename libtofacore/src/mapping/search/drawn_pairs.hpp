// SPDX-License-Identifier: BSD-3-Clause
// The pairs from which moves are drawn: a rank is tried near a partner that it exchanges much with.
// Those that get a few bytes of it, as in a collective, are nobody to be near to; and of a rank
// that exchanges with all others, some stand for them, since to try it takes as long as it has
// partners.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

class DrawnPairs {
 public:
  struct Pair {
    Rank rank;
    Rank partner;
  };

  explicit DrawnPairs(const CommGraph& graph);

  // One for each way of a pair, by rank; none where nobody talks.
  const std::vector<Pair>& all() const { return pairs_; }
  std::span<const Pair> of(Rank rank) const {
    return {pairs_.data() + start_[rank], pairs_.data() + start_[rank + 1]};
  }

  // How many partners the rank of one of these has, on average; of many ranks, some are looked at.
  static double partners_of_a_draw(const CommGraph& graph);

 private:
  std::vector<Pair> pairs_;
  std::vector<std::size_t> start_;  // by rank
};

}  // namespace tofa
