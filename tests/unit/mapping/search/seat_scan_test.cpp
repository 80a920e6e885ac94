// SPDX-License-Identifier: BSD-3-Clause
// The cheapest column must be the one that looking at all of them, one by one, finds, however many
// a processor looks at at once.
#include "mapping/search/seat_scan.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <vector>

#include "mapping/search/seat_box.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

struct Columns {
  std::vector<std::int32_t> inner_cost;
  std::vector<std::int32_t> outer_cost;
  std::vector<std::int32_t> own;
  std::vector<std::vector<std::int32_t>> rows;
  std::vector<float> noise;
  SeatScan scan;
};

Columns any_columns() {
  Columns any;
  const std::uint32_t inner = SeatBox::kAtOnce * *rc::gen::inRange(1U, 5U);
  const std::uint32_t outer = *rc::gen::inRange(1U, 9U);
  const std::uint32_t columns = inner * outer * *rc::gen::inRange(1U, 4U);
  // Few different values, so that there are ties.
  const std::uint32_t values = *rc::gen::element(2U, 1'000'000U);
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  const auto numbers = [&](std::size_t count) {
    std::vector<std::int32_t> drawn(count);
    for (std::int32_t& number : drawn) number = static_cast<std::int32_t>(random.below(values));
    return drawn;
  };
  any.inner_cost = numbers(inner);
  any.outer_cost = numbers(outer);
  any.own = numbers(columns);
  any.rows.resize(*rc::gen::inRange(1U, 7U));
  for (auto& row : any.rows) row = numbers(columns);
  for (std::uint32_t i = 0; i < columns; ++i)
    any.noise.push_back(static_cast<float>(random.below(values)) / 1000);
  any.scan = {.inner = inner,
              .outer = outer,
              .columns = columns,
              .inner_cost = any.inner_cost.data(),
              .outer_cost = any.outer_cost.data(),
              .most = *rc::gen::element(-1, 0, static_cast<std::int32_t>(values / 2),
                                        std::numeric_limits<std::int32_t>::max()),
              .own = any.own.data(),
              .rows = any.rows.size(),
              .row = {},
              .noise = any.noise.data(),
              .temperature = *rc::gen::element(0.0F, 1.5F, 3000.0F)};
  for (std::size_t i = 0; i < any.rows.size(); ++i) any.scan.row[i] = any.rows[i].data();
  return any;
}

std::uint32_t look_one_by_one(const SeatScan& scan) {
  std::uint32_t cheapest = 0;
  float least = std::numeric_limits<float>::max();
  for (std::uint32_t column = 0; column < scan.columns; ++column) {
    const std::uint32_t block = column / scan.inner % scan.outer;
    if (scan.outer_cost[block] > scan.most) continue;
    std::int32_t sum =
        scan.inner_cost[column % scan.inner] + scan.outer_cost[block] - scan.own[column];
    for (std::size_t i = 0; i < scan.rows; ++i) sum += scan.row[i][column];
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
