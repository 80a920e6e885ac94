// SPDX-License-Identifier: BSD-3-Clause
// Looking at several columns at once: see seat_scan.hpp. Vectors are those of the compiler (GCC and
// Clang), which turns them into what there is; on x86 a second version is compiled for AVX2.
#include "mapping/search/seat_scan.hpp"

#include <cstring>
#include <limits>

namespace tofa {
namespace {

template <unsigned kBytes>
struct Wide {
  using Ints [[gnu::vector_size(kBytes)]] = std::int32_t;
  using Floats [[gnu::vector_size(kBytes)]] = float;
};

// `kBytes` is the width of a vector, `kRows` how many rows there are, 0 if that is not known.
template <unsigned kBytes, std::size_t kRows>
[[gnu::always_inline]] inline std::uint32_t look_at_all(const SeatScan& scan) {
  using Ints = typename Wide<kBytes>::Ints;
  using Floats = typename Wide<kBytes>::Floats;
  constexpr unsigned wide = kBytes / sizeof(std::int32_t);
  const std::size_t rows = kRows > 0 ? kRows : scan.rows;
  const Floats temperature = scan.temperature - Floats{};
  Floats least = std::numeric_limits<float>::max() - Floats{};
  Ints where{};
  Ints lane{};
  for (unsigned i = 0; i < wide; ++i) lane[i] = static_cast<std::int32_t>(i);
  for (std::uint32_t copy = 0; copy < scan.columns; copy += scan.inner * scan.outer) {
    for (std::uint32_t block = 0; block < scan.outer; ++block) {
      const std::int32_t outer_cost = scan.outer_cost[block];
      if (outer_cost > scan.most) continue;
      const std::uint32_t first = copy + block * scan.inner;
      for (std::uint32_t i = 0; i < scan.inner; i += wide) {
        Ints sum;
        Ints term;
        Floats noise;
        std::memcpy(&sum, scan.inner_cost + i, kBytes);
        std::memcpy(&term, scan.own + first + i, kBytes);
        sum += outer_cost - term;
        for (std::size_t r = 0; r < rows; ++r) {
          std::memcpy(&term, scan.row[r] + first + i, kBytes);
          sum += term;
        }
        std::memcpy(&noise, scan.noise + first + i, kBytes);
        const Floats value = __builtin_convertvector(sum, Floats) - temperature * noise;
        const Ints less = value < least;
        least = less ? value : least;
        where = less ? lane + static_cast<std::int32_t>(first + i) : where;
      }
    }
  }
  unsigned best = 0;
  for (unsigned i = 1; i < wide; ++i) {
    if (least[i] < least[best] || (least[i] == least[best] && where[i] < where[best])) best = i;
  }
  return static_cast<std::uint32_t>(where[best]);
}

template <unsigned kBytes>
[[gnu::always_inline]] inline std::uint32_t look_at_all(const SeatScan& scan) {
  switch (scan.rows) {
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
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  if (has_avx2) return find_cheapest_with_avx2(scan);
#endif
  return find_cheapest_plainly(scan);
}

}  // namespace tofa
