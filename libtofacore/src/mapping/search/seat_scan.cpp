// SPDX-License-Identifier: BSD-3-Clause
// Looking at several columns at once: see seat_scan.hpp.
#include "mapping/search/seat_scan.hpp"

#include <algorithm>
#include <limits>

#include "mapping/tools/vectors.hpp"

namespace tofa {
namespace {

// What the rank would pay at each position, as far as these dimensions go: sums of a number of
// each. They are in `room`, in its first or second `size` numbers, or in `pays` itself.
template <unsigned kBytes>
[[gnu::always_inline]] inline const std::int32_t* add_up(const SeatScan& scan, std::size_t first,
                                                         std::size_t last, std::size_t size,
                                                         std::int32_t* room) {
  using Ints = typename Wide<kBytes>::Ints;
  if (first == last) {
    *room = 0;
    return room;
  }
  const std::int32_t* sums = scan.pays + scan.begin[first];
  std::uint32_t length = scan.begin[first + 1] - scan.begin[first];
  for (std::size_t d = first + 1; d < last; ++d) {
    std::int32_t* const to = room + (d - first) % 2 * size;
    // What is written beyond the end of a part is written again with the next one.
    std::int32_t* part = to;
    for (std::uint32_t r = scan.begin[d]; r < scan.begin[d + 1]; ++r, part += length) {
      const std::int32_t more = scan.pays[r];
      for (std::uint32_t i = 0; i < length; i += Wide<kBytes>::kCount) {
        Ints sum;
        load(sums + i, sum);
        sum += more;
        store(sum, part + i);
      }
    }
    sums = to;
    length *= scan.begin[d + 1] - scan.begin[d];
  }
  return sums;
}

// The least that is paid within the dimensions of a block.
[[gnu::always_inline]] inline std::int32_t least_within(const SeatScan& scan) {
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < scan.inner_dimensions; ++d) {
    std::int32_t least = scan.pays[scan.begin[d]];
    for (std::uint32_t r = scan.begin[d] + 1; r < scan.begin[d + 1]; ++r)
      least = std::min(least, scan.pays[r]);
    sum += least;
  }
  return sum;
}

// The cheapest of the columns that each number of a vector has stood for, the first of them.
template <unsigned kBytes>
struct Cheapest {
  using Ints = typename Wide<kBytes>::Ints;
  using Floats = typename Wide<kBytes>::Floats;
  Floats value;
  Ints column;
  // `there` are columns behind all that have been kept before.
  [[gnu::always_inline]] void keep(const Floats& other, const Ints& there) {
    const Ints less = other < value;
    value = less ? other : value;
    column = less ? there : column;
  }
  [[gnu::always_inline]] void merge(const Cheapest& other) {
    const Ints less = (other.value < value) | ((other.value == value) & (other.column < column));
    value = less ? other.value : value;
    column = less ? other.column : column;
  }
  // As whole numbers, floats stand in the order of their values if those below zero are turned
  // round, and if there is one zero only.
  [[gnu::always_inline]] std::uint32_t first() const {
    const Floats one_zero = value + 0.0F;
    Ints bits;
    std::memcpy(&bits, &one_zero, sizeof bits);
    bits ^= (bits >> 31) & std::numeric_limits<std::int32_t>::max();
    std::int64_t best = std::numeric_limits<std::int64_t>::max();
    for (unsigned i = 0; i < Wide<kBytes>::kCount; ++i) {
      best = std::min(best, bits[i] * (std::int64_t{1} << 32) + column[i]);
    }
    return static_cast<std::uint32_t>(best);
  }
};

// What it costs to exchange the rank with those of some columns. `kRows` is how many rows there
// are, 0 if that is not known.
template <unsigned kBytes, std::size_t kRows>
[[gnu::always_inline]] inline void find_value(const SeatScan& scan, std::uint32_t column,
                                              const std::int32_t* inner_cost,
                                              std::int32_t outer_cost,
                                              typename Wide<kBytes>::Floats& value) {
  using Ints = typename Wide<kBytes>::Ints;
  using Floats = typename Wide<kBytes>::Floats;
  const std::size_t rows = kRows > 0 ? kRows : scan.dimensions;
  Ints sum;
  Ints term;
  Floats noise;
  load(inner_cost, sum);
  load(scan.own + column, term);
  sum += outer_cost - term;
  for (std::size_t r = 0; r < rows; ++r) {
    load(scan.row[r] + column, term);
    sum += term;
  }
  load(scan.noise + column, noise);
  value = __builtin_convertvector(sum, Floats) - scan.temperature * noise;
}

template <unsigned kBytes, std::size_t kRows>
[[gnu::always_inline]] inline std::uint32_t look_at_all(const SeatScan& scan) {
  using Ints = typename Wide<kBytes>::Ints;
  using Floats = typename Wide<kBytes>::Floats;
  constexpr std::uint32_t wide = Wide<kBytes>::kCount;
  constexpr std::uint32_t twice = 2 * wide;
  const std::size_t inner_size = scan.inner + SeatScan::kBeyond;
  const std::int32_t* const inner_cost =
      add_up<kBytes>(scan, 0, scan.inner_dimensions, inner_size, scan.room);
  const std::int32_t* const outer_cost =
      add_up<kBytes>(scan, scan.inner_dimensions, scan.dimensions, scan.outer + SeatScan::kBeyond,
                     scan.room + 2 * inner_size);
  const std::int32_t most = scan.most - least_within(scan);
  Ints lane{};
  for (unsigned i = 0; i < wide; ++i) lane[i] = static_cast<std::int32_t>(i);
  // Two, so that neither has to wait for what it was before.
  Cheapest<kBytes> even{std::numeric_limits<float>::max() - Floats{}, Ints{}};
  Cheapest<kBytes> odd = even;
  for (std::uint32_t copy = 0; copy < scan.columns; copy += scan.inner * scan.outer) {
    for (std::uint32_t block = 0; block < scan.outer; ++block) {
      const std::int32_t outer = outer_cost[block];
      if (outer > most) continue;
      std::uint32_t column = copy + block * scan.inner;
      Ints columns = lane + static_cast<std::int32_t>(column);
      const std::int32_t* inner = inner_cost;
      const std::uint32_t end = column + scan.inner;
      Floats value;
      for (; column + wide < end; column += twice, inner += twice) {
        find_value<kBytes, kRows>(scan, column, inner, outer, value);
        even.keep(value, columns);
        columns += static_cast<std::int32_t>(wide);
        find_value<kBytes, kRows>(scan, column + wide, inner + wide, outer, value);
        odd.keep(value, columns);
        columns += static_cast<std::int32_t>(wide);
      }
      if (column < end) {
        find_value<kBytes, kRows>(scan, column, inner, outer, value);
        even.keep(value, columns);
      }
    }
  }
  even.merge(odd);
  return even.first();
}

template <unsigned kBytes>
[[gnu::always_inline]] inline std::uint32_t look_at_all(const SeatScan& scan) {
  switch (scan.dimensions) {
    case 2:
      return look_at_all<kBytes, 2>(scan);
    case 3:
      return look_at_all<kBytes, 3>(scan);
    default:
      return look_at_all<kBytes, 0>(scan);
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] std::uint32_t find_cheapest_with_avx2(const SeatScan& scan) {
  return look_at_all<32>(scan);
}
#endif

}  // namespace

std::uint32_t find_cheapest_plainly(const SeatScan& scan) {
  return look_at_all<16>(scan);
}

std::uint32_t find_cheapest(const SeatScan& scan) {
#if defined(__x86_64__)
  if (has_avx2()) return find_cheapest_with_avx2(scan);
#endif
  return find_cheapest_plainly(scan);
}

}  // namespace tofa
