// SPDX-License-Identifier: BSD-3-Clause
// The cheapest column must be the one that looking at all of them, one by one, finds, however many
// a processor looks at at once.
#include "mapping/search/seat_scan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "mapping/search/seat_box.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

struct Columns {
  std::vector<std::uint32_t> begin;
  std::vector<std::int32_t> pays;
  std::vector<std::int32_t> room;
  std::vector<std::int32_t> own;
  std::vector<std::vector<std::int32_t>> rows;
  std::vector<float> noise;
  SeatScan scan{};
};

std::uint32_t extent(const SeatScan& scan, std::size_t dimension) {
  return scan.begin[dimension + 1] - scan.begin[dimension];
}

// How many positions some dimensions have.
std::uint32_t positions(const SeatScan& scan, std::size_t first, std::size_t last) {
  std::uint32_t count = 1;
  for (std::size_t d = first; d < last; ++d) count *= extent(scan, d);
  return count;
}

Columns any_columns() {
  Columns any;
  const std::size_t dimensions = *rc::gen::inRange(std::size_t{1}, GridAxes::kMost + 1);
  const std::uint32_t longest = dimensions < 4 ? 12 : 4;
  any.begin.push_back(0);
  for (std::size_t d = 0; d < dimensions; ++d) {
    any.begin.push_back(any.begin.back() + *rc::gen::inRange(1U, longest));
  }
  // Few different values, so that there are ties.
  const std::uint32_t values = *rc::gen::element(2U, 1'000'000U);
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  const auto numbers = [&](std::size_t count) {
    std::vector<std::int32_t> drawn(count);
    for (std::int32_t& number : drawn) number = static_cast<std::int32_t>(random.below(values));
    return drawn;
  };
  any.scan.dimensions = dimensions;
  any.scan.inner_dimensions = *rc::gen::inRange(std::size_t{1}, dimensions + 1);
  any.scan.begin = any.begin.data();
  const std::uint32_t side_by_side = positions(any.scan, 0, any.scan.inner_dimensions);
  any.scan.inner = (side_by_side + SeatBox::kAtOnce - 1) / SeatBox::kAtOnce * SeatBox::kAtOnce;
  any.scan.outer = positions(any.scan, any.scan.inner_dimensions, dimensions);
  any.scan.columns = any.scan.inner * any.scan.outer * *rc::gen::inRange(1U, 4U);
  any.pays = numbers(any.begin.back() + SeatScan::kBeyond);
  any.own = numbers(any.scan.columns);
  any.rows.resize(dimensions);
  for (auto& row : any.rows) row = numbers(any.scan.columns);
  for (std::uint32_t column = 0; column < any.scan.columns; ++column) {
    any.noise.push_back(static_cast<float>(random.below(values)) / 1000);
    // Positions that are there for padding cost too much.
    if (column % any.scan.inner >= side_by_side) any.own[column] = -(1 << 28);
  }
  any.room.resize(2 * (any.scan.inner + any.scan.outer + 2 * SeatScan::kBeyond));
  any.scan.pays = any.pays.data();
  any.scan.most = *rc::gen::element(-1, 0, static_cast<std::int32_t>(values),
                                    std::numeric_limits<std::int32_t>::max());
  any.scan.own = any.own.data();
  any.scan.noise = any.noise.data();
  any.scan.temperature = *rc::gen::element(0.0F, 1.5F, 3000.0F);
  any.scan.room = any.room.data();
  for (std::size_t d = 0; d < dimensions; ++d) any.scan.row[d] = any.rows[d].data();
  return any;
}

// The numbers of some dimensions at a position, and the least that they may be, both added up.
struct Sum {
  std::int32_t here = 0;
  std::int32_t least = 0;
};
Sum sum_at(const SeatScan& scan, std::size_t first, std::size_t last, std::uint32_t position) {
  Sum sum;
  for (std::size_t d = first; d < last; ++d) {
    const std::int32_t* all = scan.pays + scan.begin[d];
    sum.here += all[position % extent(scan, d)];
    sum.least += *std::min_element(all, all + extent(scan, d));
    position /= extent(scan, d);
  }
  return sum;
}

std::uint32_t look_one_by_one(const SeatScan& scan) {
  std::uint32_t cheapest = 0;
  float least = std::numeric_limits<float>::max();
  for (std::uint32_t column = 0; column < scan.columns; ++column) {
    if (scan.own[column] < 0) continue;
    const Sum inner = sum_at(scan, 0, scan.inner_dimensions, column % scan.inner);
    const Sum outer =
        sum_at(scan, scan.inner_dimensions, scan.dimensions, column / scan.inner % scan.outer);
    if (outer.here > scan.most - inner.least) continue;
    std::int32_t sum = inner.here + outer.here - scan.own[column];
    for (std::size_t d = 0; d < scan.dimensions; ++d) sum += scan.row[d][column];
    const float value = static_cast<float>(sum) - scan.temperature * scan.noise[column];
    if (value >= least) continue;
    least = value;
    cheapest = column;
  }
  return cheapest;
}

RC_GTEST_PROP(SeatScanProperty, FindsWhatLookingOneByOneFinds, ()) {
  const Columns any = any_columns();
  const std::uint32_t expected = look_one_by_one(any.scan);
  RC_ASSERT(find_cheapest_plainly(any.scan) == expected);
  RC_ASSERT(find_cheapest(any.scan) == expected);
}

}  // namespace
}  // namespace tofa
