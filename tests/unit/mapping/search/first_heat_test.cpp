// SPDX-License-Identifier: BSD-3-Clause
// However hot a measurement says that a task is, a search that goes on from an arrangement may not
// lose what that is worth, which a share of what ranks pay tells, or a part of the moves.
#include "mapping/search/first_heat.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/moves_check.hpp"
#include "support/random_traffic.hpp"

namespace tofa::first_heat_test {
namespace {

constexpr Heat kUsual{0.65, 0.98};
constexpr double kStirs = 1000;

// Of which a draw in ten is made at kStirs, and with nothing else known.
Freezing hurried() {
  return {{kStirs, 0.1 * kStirs}, {1, 0}, kStirs, 1};
}

RC_GTEST_PROP(FirstHeatProperty, IsNoMoreThanWhatARankPays, ()) {
  const test::AnyGridTask any;
  const Seating seating = any.linear_seating();
  const auto [paid, paying] = payments(any.space(), seating);
  const auto ranks = static_cast<double>(any.space().active_ranks().size());
  RC_ASSERT(std::abs(paid * ranks - 2.0 * static_cast<double>(test::search_cost(
                                              any.space(), seating))) < 1e-6 * (1 + paid * ranks));
  const Heat heat = heat_to_go_on(any.space(), seating, hurried(), 1000, kUsual, RandomSource(1));
  RC_ASSERT(heat.start > 0);
  RC_ASSERT(heat.end < heat.start);
  RC_ASSERT(paying >= 0 && paying <= 1 && (paying > 0) == (paid > 0));
  RC_ASSERT(paid == 0 || heat.start <= paid / (paying * paying));
  RC_ASSERT(paid > 0 || heat.start >= kStirs);
}

// What a long search tries is part of its moves, and is never hotter than what it was told.
RC_GTEST_PROP(FirstHeatProperty, IsTriedInFewMoves, ()) {
  constexpr std::uint64_t moves = 100'000;
  constexpr double enough = 0.13;  // of the moves
  constexpr double far_above = 4;
  const test::AnyGridTask any;
  const Seating seating = any.linear_seating();
  const Heat heat = heat_to_go_on(any.space(), seating, hurried(), moves, kUsual, RandomSource(1));
  RC_ASSERT(heat.start > 0);
  RC_ASSERT(heat.end < heat.start);
  RC_ASSERT(heat.start <= std::max(kStirs, hurried().temperature(kUsual.start)));
  RC_ASSERT(static_cast<double>(heat.moves) <= enough * moves);
  const double paid = payments(any.space(), seating).of_rank;
  RC_ASSERT(heat.moves > 0 || paid == 0 || kStirs <= far_above * paid);
}

}  // namespace
}  // namespace tofa::first_heat_test
