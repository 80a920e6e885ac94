// SPDX-License-Identifier: BSD-3-Clause
// Numbering the seats of a grid: see seat_box.hpp.
#include "mapping/search/seat_box.hpp"

#include <algorithm>

namespace tofa {
namespace {

// Positions side by side, at least: fewer make short loops, more are looked at in vain.
constexpr std::uint32_t kShortest = 16;

std::vector<std::uint32_t> entries_of(const SearchSpace& space, const Zone& zone) {
  std::vector<std::uint32_t> entries;
  for (std::uint32_t entry = 0; entry < space.plan().entries(); ++entry) {
    if (zone.contains(entry)) entries.push_back(entry);
  }
  return entries;
}

}  // namespace

std::optional<SeatBox> SeatBox::around(const SearchSpace& space, const Zone& zone,
                                       std::uint32_t most) {
  const std::vector<std::uint32_t> entries = entries_of(space, zone);
  if (entries.empty()) return std::nullopt;
  SeatBox box(space);
  box.find_rows(entries);
  if (std::size_t{box.inner_} * box.outer_ > most || !box.number_columns(entries, most)) {
    return std::nullopt;
  }
  return box;
}

void SeatBox::find_rows(const std::vector<std::uint32_t>& entries) {
  const GridAxes& axes = *space_->axes();
  std::vector<bool> occurs(axes.width(), false);
  for (const std::uint32_t entry : entries) {
    for (std::size_t d = 0; d < axes.dimensions(); ++d) occurs[axes.at(entry)[d]] = true;
  }
  begin_.push_back(0);
  for (std::size_t d = 0; d < axes.dimensions(); ++d) {
    for (std::uint32_t number = axes.begin(d); number < axes.begin(d + 1); ++number) {
      if (occurs[number]) number_.push_back(static_cast<std::uint16_t>(number));
    }
    begin_.push_back(static_cast<std::uint32_t>(number_.size()));
    const std::uint32_t extent = begin_[d + 1] - begin_[d];
    if (inner_ < kShortest) {
      inner_ *= extent;
      ++inner_dimensions_;
    } else {
      outer_ *= extent;
    }
  }
  inner_ = (inner_ + kAtOnce - 1) / kAtOnce * kAtOnce;
  hops_.assign(axes.width() * stride(), 0);
  for (std::size_t d = 0; d < axes.dimensions(); ++d) {
    for (std::uint32_t from = axes.begin(d); from < axes.begin(d + 1); ++from) {
      for (std::uint32_t row = begin_[d]; row < begin_[d + 1]; ++row) {
        hops_[from * stride() + row] = axes.hops(from)[number_[row] - axes.begin(d)];
      }
    }
  }
}

bool SeatBox::number_columns(const std::vector<std::uint32_t>& entries, std::uint32_t most) {
  const SeatPlan& plan = space_->plan();
  const GridAxes& axes = *space_->axes();
  std::vector<std::uint16_t> row_of(axes.width(), 0);
  for (std::uint32_t row = 0; row < rows(); ++row) {
    row_of[number_[row]] = static_cast<std::uint16_t>(row);
  }
  // Several nodes may be at one position: virtual hosts of a node are.
  std::vector<std::uint32_t> position_of;
  std::vector<std::uint32_t> seats_at(positions(), 0);
  for (const std::uint32_t entry : entries) {
    position_of.push_back(position_at(row_of, entry));
    seats_at[position_of.back()] += plan.seats_of(entry);
  }
  const std::uint32_t copies = *std::max_element(seats_at.begin(), seats_at.end());
  if (std::size_t{positions()} * copies > most) return false;
  const std::uint32_t columns = positions() * copies;
  seat_.assign(columns, kHole);
  key_.assign(columns, 0);
  rows_at_.assign(positions() * dimensions(), 0);
  for (std::uint32_t column = 0; column < columns; ++column) {
    position_.push_back(column % positions());
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::uint32_t position = position_of[i];
    for (std::size_t d = 0; d < dimensions(); ++d) {
      rows_at_[position * dimensions() + d] = row_of[axes.at(entries[i])[d]];
    }
    for (unsigned slot = 0; slot < plan.seats_of(entries[i]); ++slot) {
      const std::uint32_t column = --seats_at[position] * positions() + position;
      seat_[column] = plan.first_seat(entries[i]) + slot;
      key_[column] = space_->cost().grid_key(entries[i]);
    }
  }
  return true;
}

std::uint32_t SeatBox::position_at(const std::vector<std::uint16_t>& row_of,
                                   std::uint32_t entry) const {
  std::uint32_t position = 0;
  std::uint32_t step = 1;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    if (d == inner_dimensions_) step = inner_;
    position += step * (row_of[space_->axes()->at(entry)[d]] - begin_[d]);
    step *= begin_[d + 1] - begin_[d];
  }
  return position;
}

}  // namespace tofa
