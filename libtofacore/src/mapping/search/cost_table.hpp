// SPDX-License-Identifier: BSD-3-Clause
// What everybody would pay everywhere, for the heat bath: a row for every coordinate of every
// dimension, a column for every seat (SeatBox). Each number is kept twice, so that a row of all
// seats, which a look at all of them adds up, and all numbers of a seat, which say what its rank
// would pay anywhere, both lie side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tofa {

// A column whose costs a move changes, and how much more traffic goes there.
struct Touched {
  std::uint32_t column;
  std::int32_t weight;
};

// Of traffic of such a weight to a coordinate of one dimension, whose rows are [begin, end): hops
// from there to the coordinates of all rows, by row; 0 for others, and for kBeyond more.
struct HopsFrom {
  std::uint32_t begin;
  std::uint32_t end;
  std::int32_t weight;
  const std::int32_t* hops;
};

// Of a move along one dimension, whose rows are [begin, end): hops to the coordinates of all rows,
// by row, before it and after it.
struct HopChange {
  std::uint32_t begin;
  std::uint32_t end;
  const std::int32_t* before;
  const std::int32_t* after;
};

class CostTable {
 public:
  // So many numbers behind a column may be read, too.
  static constexpr std::size_t kBeyond = 8;

  // All 0.
  CostTable(std::uint32_t rows, std::uint32_t columns);

  const std::int32_t* row(std::uint32_t row) const { return &by_row_[row * stride_]; }
  // The numbers of all rows.
  const std::int32_t* column(std::uint32_t column) const { return &by_column_[column * rows_]; }

  // One number for each row: what all of this costs there.
  void set_column(std::uint32_t column, std::span<const HopsFrom> traffic);
  void swap_columns(std::uint32_t a, std::uint32_t b);
  // Adds the hops that a move makes more, times its weight, to each column that is touched.
  void shift(const HopChange& change, std::span<const Touched> touched);
  // The same with no more than what all processors of a kind have. For tests.
  void set_column_plainly(std::uint32_t column, std::span<const HopsFrom> traffic);
  void shift_plainly(const HopChange& change, std::span<const Touched> touched);

 private:
  template <unsigned kBytes>
  void set_column_at_once(std::uint32_t column, std::span<const HopsFrom> traffic);
  void set_column_with_avx2(std::uint32_t column, std::span<const HopsFrom> traffic);
  template <unsigned kBytes>
  void shift_at_once(const HopChange& change, std::span<const Touched> touched);
  void shift_with_avx2(const HopChange& change, std::span<const Touched> touched);

  std::size_t rows_;
  std::size_t stride_;
  std::vector<std::int32_t> by_row_;     // row * stride_ + column
  std::vector<std::int32_t> by_column_;  // column * rows_ + row
};

}  // namespace tofa
