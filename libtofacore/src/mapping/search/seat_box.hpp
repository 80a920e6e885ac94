// SPDX-License-Identifier: BSD-3-Clause
// The seats of a zone of a grid, numbered by where they are: a column for every seat and every hole
// of the box around the zone, along the inner dimensions first, so that a loop over columns goes
// over neighbours; a row for every coordinate that occurs. Where there are several seats, there are
// as many copies of the box.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "mapping/search/cost_table.hpp"
#include "mapping/search/zone.hpp"

namespace tofa {

class SeatBox {
 public:
  // Columns are padded, so that a processor can take so many at once.
  static constexpr std::uint32_t kAtOnce = 8;
  static constexpr Seat kHole = std::numeric_limits<Seat>::max();

  // The task must be on a grid that has a table of distances. Nothing where there are more than
  // `most` columns, or no seats.
  static std::optional<SeatBox> around(const SearchSpace& space, const Zone& zone,
                                       std::uint32_t most);

  std::size_t dimensions() const { return begin_.size() - 1; }
  // Of these dimensions, positions lie side by side.
  std::size_t inner_dimensions() const { return inner_dimensions_; }
  // Positions side by side, with padding, and how many such blocks there are.
  std::uint32_t inner() const { return inner_; }
  std::uint32_t outer() const { return outer_; }
  std::uint32_t positions() const { return inner_ * outer_; }
  std::uint32_t columns() const { return static_cast<std::uint32_t>(seat_.size()); }
  // Rows of a dimension: [begin(d), begin(d + 1)).
  std::uint32_t begin(std::size_t dimension) const { return begin_[dimension]; }
  const std::uint32_t* begins() const { return begin_.data(); }
  std::uint32_t rows() const { return begin_.back(); }
  // Which coordinate a row stands for, as a number of the axes.
  std::uint16_t number(std::uint32_t row) const { return number_[row]; }
  // Hops in a dimension from a coordinate, in the box or not, to that of each row of it; 0 for all
  // other rows, and for CostTable::kBeyond more.
  const std::int32_t* hops_from(std::uint16_t number) const { return &hops_[number * stride()]; }
  const std::int32_t* hops(std::uint32_t row) const { return hops_from(number_[row]); }

  Seat seat(std::uint32_t column) const { return seat_[column]; }
  std::uint32_t position(std::uint32_t column) const { return position_[column]; }
  // The row of each dimension.
  const std::uint16_t* rows_at(std::uint32_t column) const {
    return &rows_at_[position_[column] * dimensions()];
  }
  // Where a column is in PairCost::grid()'s table of distances.
  std::int32_t key(std::uint32_t column) const { return key_[column]; }

 private:
  explicit SeatBox(const SearchSpace& space) : space_(&space) {}
  std::size_t stride() const { return rows() + CostTable::kBeyond; }
  void find_rows(const std::vector<std::uint32_t>& entries);
  std::uint32_t position_at(const std::vector<std::uint16_t>& row_of, std::uint32_t entry) const;
  bool number_columns(const std::vector<std::uint32_t>& entries, std::uint32_t most);

  const SearchSpace* space_;
  std::vector<std::uint32_t> begin_;
  std::vector<std::uint16_t> number_;
  std::vector<std::int32_t> hops_;  // by number of the axes and row
  std::size_t inner_dimensions_ = 0;
  std::uint32_t inner_ = 1;
  std::uint32_t outer_ = 1;
  std::vector<Seat> seat_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint16_t> rows_at_;  // by position and dimension
  std::vector<std::int32_t> key_;
};

}  // namespace tofa
