// SPDX-License-Identifier: BSD-3-Clause
// Near whom a rank is worth trying: partners that either of the two exchanges much with, compared
// to what it does with others. A partner that gets a few bytes of both, as in a collective, is
// nobody to be near to.
#pragma once

#include <algorithm>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

class StrongPairs {
 public:
  explicit StrongPairs(const CommGraph& graph);

  bool contains(Rank a, Rank b, Bytes bytes) const {
    return all_ || bytes >= std::min(strongest_[a], strongest_[b]) / kMuch;
  }

  // A rank with more of them is drawn from so many: to try it takes as long as it has partners, and
  // who exchanges with all others would be all that is tried.
  static constexpr std::size_t kMostDrawn = 256;

 private:
  static constexpr Bytes kMuch = 32;  // what the strongest partner gets, divided by that
  std::vector<Bytes> strongest_;      // by rank
  bool all_ = false;                  // many weak ones carry most
};

// How many partners the rank has that a draw of a strong pair moves, on average.
double partners_of_a_draw(const CommGraph& graph);

}  // namespace tofa
