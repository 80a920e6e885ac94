// SPDX-License-Identifier: BSD-3-Clause
// Traffic of regular programs, whose ranks are numbered in any order.
#pragma once

#include <numeric>
#include <vector>

#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa::test {

// Pairs of a grid with `bytes` each, its ranks relabelled at random.
inline Traffic shuffled_grid(const std::vector<unsigned>& shape, const std::vector<bool>& wraps,
                             Bytes bytes, std::uint64_t seed) {
  Traffic traffic;
  traffic.ranks = 1;
  for (const unsigned extent : shape) traffic.ranks *= extent;
  std::vector<Rank> label(traffic.ranks);
  std::iota(label.begin(), label.end(), Rank{0});
  RandomSource(seed).shuffle(label);
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    Rank stride = 1;
    for (std::size_t d = 0; d < shape.size(); stride *= shape[d++]) {
      const unsigned at = rank / stride % shape[d];
      if (at + 1 < shape[d]) {
        traffic.entries.push_back({label[rank], label[rank + stride], bytes});
      } else if (wraps[d] && shape[d] > 2) {
        traffic.entries.push_back({label[rank], label[rank - at * stride], bytes});
      }
    }
  }
  return traffic;
}

}  // namespace tofa::test
