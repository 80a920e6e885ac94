// SPDX-License-Identifier: BSD-3-Clause
// See slab_cuts.hpp.
#include "mapping/mappers/slab_cuts.hpp"

#include <algorithm>

namespace tofa {

SlabCuts::SlabCuts(const Drawing& drawing, Rank ranks)
    : drawing_(drawing), turned_(ranks), keys_(ranks) {}

std::vector<std::uint32_t> SlabCuts::cut(const Turning& turning, const Unfolded& host) {
  turn_points(turning);
  std::vector<std::uint32_t> places(keys_.size());
  cut_part(host, host.grid.dimensions(), {0, host.entry.size(), 0, keys_.size()}, places);
  return places;
}

void SlabCuts::turn_points(const Turning& turning) {
  for (Rank rank = 0; rank < turned_.size(); ++rank) {
    turned_[rank] = {};
    for (std::size_t d = 0; d < drawing_.dimensions.size(); ++d) {
      for (std::size_t to = 0; to < Drawing::kMostDimensions; ++to)
        turned_[rank][to] += turning[to][d] * drawing_.dimensions[d].at[rank];
    }
    keys_[rank] = {0, rank};
  }
}

// Cuts a part in slabs across its last dimension, and so on; each gets as many of the ranks as it
// has of the seats.
void SlabCuts::cut_part(const Unfolded& host, std::size_t dimensions, const Part& part,
                        std::vector<std::uint32_t>& places) {
  const auto [begin, end, first, last] = part;
  if (first == last) return;
  if (dimensions == 0) {
    for (std::size_t i = first; i < last; ++i)
      places[keys_[i].rank] = static_cast<std::uint32_t>(begin);
    return;
  }
  const std::size_t d = dimensions - 1;
  for (std::size_t i = first; i < last; ++i) keys_[i].at = turned_[keys_[i].rank][d];
  std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(first),
            keys_.begin() + static_cast<std::ptrdiff_t>(last), [](const Key& a, const Key& b) {
              return a.at != b.at ? a.at < b.at : a.rank < b.rank;
            });
  const std::uint64_t seats = host.seats_before[end] - host.seats_before[begin];
  const auto ranks_before = [&](std::size_t position) {
    const std::uint64_t before = host.seats_before[position] - host.seats_before[part.begin];
    return part.first + (part.last - part.first) * before / seats;
  };
  const std::size_t slab = (end - begin) / host.grid.extent(d);
  for (std::size_t at = begin; at < end; at += slab)
    cut_part(host, d, {at, at + slab, ranks_before(at), ranks_before(at + slab)}, places);
}

}  // namespace tofa
