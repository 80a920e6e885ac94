// SPDX-License-Identifier: BSD-3-Clause
// What transposes exchange: all with all in each row of a grid of ranks.
#pragma once

#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "mapping/tools/random_source.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa::test {

// Dimensions in which two positions differ.
inline unsigned differences(std::uint32_t a, std::uint32_t b, const std::vector<unsigned>& shape) {
  unsigned count = 0;
  for (const unsigned extent : shape) {
    count += a % extent == b % extent ? 0 : 1;
    a /= extent;
    b /= extent;
  }
  return count;
}

// All with all in each row, by ranks in any order, so many bytes in the first dimension.
inline Traffic in_rows(const std::vector<unsigned>& shape, std::uint64_t seed,
                       Bytes in_first = 300) {
  const Rank ranks = std::accumulate(shape.begin(), shape.end(), Rank{1}, std::multiplies());
  std::vector<Rank> rank_at(ranks);
  std::iota(rank_at.begin(), rank_at.end(), Rank{0});
  RandomSource(seed).shuffle(rank_at);
  Traffic traffic{.ranks = ranks, .entries = {}, .metadata = {}};
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = 0; b < a; ++b) {
      if (differences(a, b, shape) != 1) continue;
      // Perhaps more in the first dimension than in others, and more forth than back.
      const Bytes bytes = a / shape[0] == b / shape[0] ? in_first : 100;
      traffic.entries.push_back({rank_at[a], rank_at[b], bytes});
      traffic.entries.push_back({rank_at[b], rank_at[a], bytes / 2});
    }
  }
  traffic.normalise();
  return traffic;
}

}  // namespace tofa::test
