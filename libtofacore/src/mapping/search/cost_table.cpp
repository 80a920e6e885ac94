// SPDX-License-Identifier: BSD-3-Clause
// Changing many costs at once: see cost_table.hpp.
#include "mapping/search/cost_table.hpp"

#include <algorithm>
#include <utility>

#include "mapping/tools/vectors.hpp"

namespace tofa {

CostTable::CostTable(std::uint32_t rows, std::uint32_t columns)
    : rows_(rows),
      stride_(std::size_t{columns} + 16),  // rows do not share the lines of a cache
      by_row_(rows_ * stride_, 0),
      by_column_(rows_ * columns + kBeyond, 0) {}

// Rows that are too many are of the next dimension, or of the next column, and get nothing.
template <unsigned kBytes>
[[gnu::always_inline]] inline void CostTable::set_column_at_once(
    std::uint32_t column, std::span<const HopsFrom> traffic) {
  using Ints = typename Wide<kBytes>::Ints;
  std::int32_t* const numbers = &by_column_[column * rows_];
  std::fill_n(numbers, rows_, 0);
  for (const auto& [begin, end, weight, hops] : traffic) {
    for (std::uint32_t row = begin; row < end; row += Wide<kBytes>::kCount) {
      Ints sum;
      Ints more;
      load(numbers + row, sum);
      load(hops + row, more);
      sum += weight * more;
      store(sum, numbers + row);
    }
  }
  for (std::size_t r = 0; r < rows_; ++r) by_row_[r * stride_ + column] = numbers[r];
}

void CostTable::swap_columns(std::uint32_t a, std::uint32_t b) {
  std::int32_t* const first = &by_column_[a * rows_];
  std::int32_t* const second = &by_column_[b * rows_];
  std::int32_t* row = by_row_.data();
  for (std::size_t r = 0; r < rows_; ++r, row += stride_) {
    std::swap(first[r], second[r]);
    row[a] = first[r];
    row[b] = second[r];
  }
}

// What is touched is looked up once for as many rows as a vector is wide. Rows that are too many
// are of the next dimension, or of the next column, and are shifted by nothing.
template <unsigned kBytes>
[[gnu::always_inline]] inline void CostTable::shift_at_once(const HopChange& change,
                                                            std::span<const Touched> touched) {
  using Ints = typename Wide<kBytes>::Ints;
  constexpr std::uint32_t wide = Wide<kBytes>::kCount;
  static_assert(wide <= kBeyond);
  for (std::uint32_t row = change.begin; row < change.end; row += wide) {
    const std::uint32_t count = std::min(wide, change.end - row);
    Ints more{};
    for (std::uint32_t i = 0; i < count; ++i) {
      more[i] = change.after[row + i] - change.before[row + i];
    }
    for (const auto& [column, weight] : touched) {
      std::int32_t* const numbers = &by_column_[column * rows_ + row];
      Ints sum;
      load(numbers, sum);
      sum += weight * more;
      store(sum, numbers);
      std::int32_t* cell = &by_row_[row * stride_ + column];
      if (count == wide) {
        for (std::uint32_t i = 0; i < wide; ++i, cell += stride_) *cell = sum[i];
      } else {
        for (std::uint32_t i = 0; i < count; ++i, cell += stride_) *cell = numbers[i];
      }
    }
  }
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void CostTable::set_column_with_avx2(std::uint32_t column,
                                                             std::span<const HopsFrom> traffic) {
  set_column_at_once<32>(column, traffic);
}
[[gnu::target("avx2")]] void CostTable::shift_with_avx2(const HopChange& change,
                                                        std::span<const Touched> touched) {
  shift_at_once<32>(change, touched);
}
#endif

void CostTable::set_column_plainly(std::uint32_t column, std::span<const HopsFrom> traffic) {
  set_column_at_once<16>(column, traffic);
}

void CostTable::set_column(std::uint32_t column, std::span<const HopsFrom> traffic) {
#if defined(__x86_64__)
  if (has_avx2()) return set_column_with_avx2(column, traffic);
#endif
  set_column_plainly(column, traffic);
}

void CostTable::shift_plainly(const HopChange& change, std::span<const Touched> touched) {
  shift_at_once<16>(change, touched);
}

void CostTable::shift(const HopChange& change, std::span<const Touched> touched) {
#if defined(__x86_64__)
  if (has_avx2()) return shift_with_avx2(change, touched);
#endif
  shift_plainly(change, touched);
}

}  // namespace tofa
