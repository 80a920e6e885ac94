// SPDX-License-Identifier: BSD-3-Clause
// Both copies of the table must say the same, and what one number after the other comes to.
#include "mapping/search/cost_table.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(CostTableProperty, HoldsWhatIsPutInAndAdded, ()) {
  const std::uint32_t rows = *rc::gen::inRange(1U, 30U);
  const std::uint32_t columns = *rc::gen::inRange(1U, 20U);
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  const auto numbers = [&] {
    std::vector<std::int32_t> drawn(rows);
    for (auto& number : drawn) number = static_cast<std::int32_t>(random.below(200)) - 100;
    return drawn;
  };
  CostTable table(rows, columns);
  std::vector<std::vector<std::int32_t>> expected(columns, std::vector<std::int32_t>(rows, 0));
  for (std::uint32_t c = 0; c < columns; ++c) {
    if (random.below(4) == 0) continue;
    std::vector<HopsFrom> traffic;
    std::vector<std::vector<std::int32_t>> hops;
    for (std::uint32_t i = random.below(4); i > 0; --i) {
      const std::uint32_t begin = random.below(rows);
      const std::uint32_t end = begin + random.below(rows - begin + 1);
      const auto weight = static_cast<std::int32_t>(random.below(9));
      hops.push_back(numbers());
      std::fill_n(hops.back().begin(), begin, 0);
      std::fill(hops.back().begin() + end, hops.back().end(), 0);
      for (std::uint32_t r = 0; r < rows; ++r) expected[c][r] += weight * hops.back()[r];
      hops.back().resize(rows + CostTable::kBeyond, 0);
      traffic.push_back({begin, end, weight, hops.back().data()});
    }
    if (c % 2 == 0) {
      table.set_column(c, traffic);
    } else {
      table.set_column_plainly(c, traffic);
    }
  }
  for (int step = 0; step < 20; ++step) {
    const std::uint32_t a = random.below(columns);
    const std::uint32_t b = random.below(columns);
    table.swap_columns(a, b);
    std::swap(expected[a], expected[b]);

    const std::uint32_t begin = random.below(rows);
    const std::uint32_t end = begin + random.below(rows - begin + 1);
    const std::vector<std::int32_t> before = numbers();
    const std::vector<std::int32_t> after = numbers();
    std::vector<Touched> touched;
    for (std::uint32_t i = random.below(6); i > 0; --i) {
      touched.push_back({random.below(columns), static_cast<std::int32_t>(random.below(9)) - 4});
    }
    const HopChange change{begin, end, before.data(), after.data()};
    if (step % 2 == 0) {
      table.shift(change, touched);
    } else {
      table.shift_plainly(change, touched);
    }
    for (const auto& [column, weight] : touched) {
      for (std::uint32_t r = begin; r < end; ++r)
        expected[column][r] += weight * (after[r] - before[r]);
    }
  }
  for (std::uint32_t c = 0; c < columns; ++c) {
    for (std::uint32_t r = 0; r < rows; ++r) {
      RC_ASSERT(table.column(c)[r] == expected[c][r]);
      RC_ASSERT(table.row(r)[c] == expected[c][r]);
    }
  }
}

}  // namespace
}  // namespace tofa
