// SPDX-License-Identifier: BSD-3-Clause
// Recursive coordinate bisection: see slabs.hpp.
#include "mapping/tools/slabs.hpp"

#include <algorithm>
#include <numeric>

#include "base/lanes.hpp"

namespace tofa {

Slabs::Slabs(const Drawing& drawing) : drawing_(drawing) {
  for (const Drawing::Dimension& dimension : drawing.dimensions) {
    const auto [low, high] = std::minmax_element(dimension.at.begin(), dimension.at.end());
    const double range = dimension.ring ? 1 : static_cast<double>(*high) - *low;
    unit_.push_back(range > 0 ? dimension.length / range : 1);
  }
}

void Slabs::cut(std::span<const std::uint32_t> sizes, std::span<Rank> ranks) const {
  if (sizes.size() < 2 || ranks.size() < 2) return;
  const std::size_t border = halve(sizes, ranks);
  cut(sizes.first(sizes.size() / 2), ranks.first(border));
  cut(sizes.subspan(sizes.size() / 2), ranks.subspan(border));
}

void Slabs::cut_side_by_side(std::span<const std::uint32_t> sizes, std::span<Rank> ranks) const {
  static_assert(kLanes == 2, "a half is a lane's");
  if (sizes.size() < 2 || ranks.size() < 2) return;
  const std::size_t border = halve(sizes, ranks);
  run_lanes([&](unsigned lane) {
    if (lane == 0) cut(sizes.first(sizes.size() / 2), ranks.first(border));
    if (lane == 1) cut(sizes.subspan(sizes.size() / 2), ranks.subspan(border));
  });
}

// The first half of the parts gets those that lie lowest; answers with how many they are.
std::size_t Slabs::halve(std::span<const std::uint32_t> sizes, std::span<Rank> ranks) const {
  const auto low = sizes.first(sizes.size() / 2);
  const std::size_t border = std::accumulate(low.begin(), low.end(), std::size_t{0});
  if (border == 0 || border >= ranks.size()) return std::min(border, ranks.size());
  const std::vector<float>& at = drawing_.dimensions[widest_dimension(ranks)].at;
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(border), ranks.end(),
                   [&at](Rank a, Rank b) { return at[a] != at[b] ? at[a] < at[b] : a < b; });
  return border;
}

std::size_t Slabs::widest_dimension(std::span<const Rank> ranks) const {
  std::size_t widest = 0;
  double most = -1;
  const auto count = static_cast<double>(ranks.size());
  for (std::size_t d = 0; d < unit_.size(); ++d) {
    const std::vector<float>& at = drawing_.dimensions[d].at;
    double sum = 0;
    double squares = 0;
    for (const Rank rank : ranks) {
      sum += at[rank];
      squares += static_cast<double>(at[rank]) * at[rank];
    }
    const double variance = (squares - sum * sum / count) / count * unit_[d] * unit_[d];
    if (variance <= most) continue;
    most = variance;
    widest = d;
  }
  return widest;
}

}  // namespace tofa
