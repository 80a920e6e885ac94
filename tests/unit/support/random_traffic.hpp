// SPDX-License-Identifier: BSD-3-Clause
// Traffic that has no shape: everybody talks to a few others, who may be anywhere.
#pragma once

#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa::test {

// About so many partners are chosen by each rank, and as many choose it.
inline Traffic random_traffic(Rank ranks, unsigned partners) {
  RandomSource random(1);
  Traffic traffic;
  traffic.ranks = ranks;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (unsigned i = 0; i < partners; ++i) {
      const Rank other = random.below(ranks);
      if (other != rank) traffic.entries.push_back({rank, other, 10});
    }
  }
  traffic.normalise();
  return traffic;
}

}  // namespace tofa::test
