// SPDX-License-Identifier: BSD-3-Clause
// Traffic without any regularity, of which neighbours are known to exist: what meshes and particles
// make.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "mapping/tools/random_source.hpp"
#include "tofa/place.hpp"

namespace tofa::test {

// Ranks at random places in a cube talk to those nearby; what leaves a cube without walls comes in
// at the other side.
inline CommGraph neighbours_in_space(Rank ranks, double partners, bool walls = false) {
  RandomSource random(7);
  std::vector<std::array<double, 3>> at(ranks);
  for (auto& point : at) {
    for (double& x : point) x = random.unit();
  }
  const double reach = std::cbrt(partners / ranks / (4.0 / 3 * M_PI));
  Traffic traffic;
  traffic.ranks = ranks;
  for (Rank a = 0; a < ranks; ++a) {
    for (Rank b = a + 1; b < ranks; ++b) {
      double apart = 0;
      for (int d = 0; d < 3; ++d) {
        const double straight = std::fabs(at[a][d] - at[b][d]);
        apart += std::pow(walls ? straight : std::min(straight, 1 - straight), 2);
      }
      if (apart < reach * reach) traffic.entries.push_back({a, b, 100});
    }
  }
  return CommGraph(traffic);
}

// Ranks at random places in a square, each of which talks to those nearest to it, up to 50 bytes.
inline CommGraph neighbours_in_a_plane(Rank ranks, std::size_t nearest) {
  constexpr std::uint32_t most = 50;  // bytes
  nearest = std::min<std::size_t>(nearest, ranks - 1);
  RandomSource random(7);
  std::vector<std::array<double, 2>> at(ranks);
  for (auto& point : at) point = {random.unit(), random.unit()};
  std::set<std::pair<Rank, Rank>> pairs;
  for (Rank a = 0; a < ranks; ++a) {
    std::vector<std::pair<double, Rank>> others;
    for (Rank b = 0; b < ranks; ++b)
      if (b != a) others.emplace_back(std::hypot(at[a][0] - at[b][0], at[a][1] - at[b][1]), b);
    std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(nearest),
                      others.end());
    for (std::size_t i = 0; i < nearest; ++i) pairs.insert(std::minmax(a, others[i].second));
  }
  Traffic traffic;
  traffic.ranks = ranks;
  for (const auto& [a, b] : pairs) traffic.entries.push_back({a, b, 1 + random.below(most)});
  return CommGraph(traffic);
}

}  // namespace tofa::test
