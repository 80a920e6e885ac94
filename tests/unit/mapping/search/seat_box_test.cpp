// SPDX-License-Identifier: BSD-3-Clause
// Every seat of a zone must have a column of its own, where it is.
#include "mapping/search/seat_box.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "support/any_grid_task.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(SeatBoxProperty, EverySeatHasAColumnWhereItIs, ()) {
  const test::AnyGridTask any;
  const SearchSpace& space = any.space();
  const std::vector<std::uint8_t> zone_of = any.any_zones();
  const Zone zone{{}, *rc::gen::arbitrary<bool>() ? &zone_of : nullptr, 1};
  std::set<Seat> expected;
  for (Seat seat = 0; seat < space.plan().seats(); ++seat)
    if (zone.contains(space.plan().entry_of(seat))) expected.insert(seat);

  const auto box = SeatBox::around(space, zone, 1'000'000);
  RC_ASSERT(box.has_value() == !expected.empty());
  if (!box) return;
  RC_ASSERT(box->columns() % SeatBox::kAtOnce == 0);
  RC_ASSERT(!SeatBox::around(space, zone, box->columns() - 1));
  std::set<Seat> found;
  for (std::uint32_t column = 0; column < box->columns(); ++column) {
    const Seat seat = box->seat(column);
    if (seat == SeatBox::kHole) continue;
    RC_ASSERT(found.insert(seat).second);
    const std::uint32_t entry = space.plan().entry_of(seat);
    // The rows of a column are its coordinates, and its position follows from them.
    std::uint32_t position = 0;
    std::uint32_t step = 1;
    for (std::size_t d = 0; d < box->dimensions(); ++d) {
      const std::uint16_t row = box->rows_at(column)[d];
      RC_ASSERT(box->begin(d) <= row && row < box->begin(d + 1));
      RC_ASSERT(box->number(row) == space.axes()->at(entry)[d]);
      if (d == box->inner_dimensions()) step = box->inner();
      position += step * (row - box->begin(d));
      step *= box->begin(d + 1) - box->begin(d);
    }
    RC_ASSERT(box->position(column) == position);
    RC_ASSERT(column % box->positions() == position);
    RC_ASSERT(box->key(column) == space.cost().grid_key(entry));
  }
  RC_ASSERT(found == expected);
}

}  // namespace
}  // namespace tofa
