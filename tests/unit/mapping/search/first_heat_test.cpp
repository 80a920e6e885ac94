// SPDX-License-Identifier: BSD-3-Clause
// However hot a measurement says that a task is, a search that goes on from an arrangement may not
// lose what that is worth, and what a rank pays is what searches count.
#include "mapping/search/first_heat.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

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
  const Heat heat = heat_to_go_on(any.space(), seating, hurried(), 1000, kUsual);
  RC_ASSERT(heat.start > 0);
  RC_ASSERT(heat.end < heat.start);
  RC_ASSERT(paying >= 0 && paying <= 1 && (paying > 0) == (paid > 0));
  RC_ASSERT(paid == 0 || heat.start <= paid / (paying * paying));
  RC_ASSERT(paid > 0 || heat.start >= kStirs);
}

}  // namespace
}  // namespace tofa::first_heat_test
