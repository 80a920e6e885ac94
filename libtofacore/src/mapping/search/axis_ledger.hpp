// SPDX-License-Identifier: BSD-3-Clause
// What it costs each rank to be somewhere in a grid, or on one of few nodes of any network
// (grid_axes.hpp), kept up to date while ranks move. Distances in a grid are sums over its
// dimensions, so one number per rank, dimension and coordinate says what any node costs the rank: a
// move is judged in a handful of additions, however many partners the rank has, and only moves that
// are made cost time for each partner.
#pragma once

#include <cstdint>
#include <vector>

#include "mapping/search/search_space.hpp"

namespace tofa {

class AxisLedger {
 public:
  // The space must have axes. Only moves of `ranks` are judged.
  AxisLedger(const SearchSpace& space, const Seating& seating, const std::vector<Rank>& ranks);
  // The same without AVX2, then and in later moves. For tests.
  static AxisLedger plain(const SearchSpace& space, const Seating& seating,
                          const std::vector<Rank>& ranks);

  // What it changes that `rank` goes from entry `from` to entry `to` while all others stay.
  std::int64_t change(Rank rank, std::uint32_t from, std::uint32_t to) const {
    const std::int32_t* mine = &cost_[rank * width_];
    const std::uint16_t* here = axes_.at(from);
    const std::uint16_t* there = axes_.at(to);
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < axes_.dimensions(); ++d) sum += mine[there[d]] - mine[here[d]];
    return sum;
  }

  // What `rank` went from entry `from` to entry `to` means to its partners.
  void move(Rank rank, std::uint32_t from, std::uint32_t to);

 private:
  // So many numbers behind the row of the last rank are written, too, always with what they hold.
  static constexpr std::size_t kBeyond = GridAxes::kBeyond;

  AxisLedger(const SearchSpace& space, const Seating& seating, const std::vector<Rank>& ranks,
             bool plainly);
  template <unsigned kBytes>
  void add_up_at_once(const Seating& seating, const std::vector<Rank>& ranks);
  void add_up_with_avx2(const Seating& seating, const std::vector<Rank>& ranks);
  template <unsigned kBytes>
  void shift_at_once(Rank rank, std::uint32_t begin, std::uint32_t extent);
  void shift_with_avx2(Rank rank, std::uint32_t begin, std::uint32_t extent);

  const SearchSpace& space_;
  const GridAxes& axes_;
  std::size_t width_;
  bool plainly_;
  std::vector<std::int32_t> cost_;   // by rank and number
  std::vector<std::int32_t> shift_;  // scratch: what changes per unit of weight
};

}  // namespace tofa
