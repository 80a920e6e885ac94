// SPDX-License-Identifier: BSD-3-Clause
// However hot a measurement says that a task is, a search that goes on from an arrangement may not
// lose what that is worth, which a share of what ranks pay tells, or a part of the moves.
#include "mapping/search/first_heat.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/mapping_task.hpp"
#include "support/moves_check.hpp"
#include "support/random_cases.hpp"
#include "support/random_traffic.hpp"

namespace tofa::first_heat_test {
namespace {

constexpr Heat kUsual{0.65, 0.98};

// Of which a draw in ten is made at so much heat, and with nothing else known.
Freezing hurried(double stirs) {
  return {{stirs, 0.1 * stirs}, {1, 0}, stirs, 1};
}

// From next to nothing to far more than ranks pay.
double any_heat(double paid) {
  return std::max(paid, 1.0) * *rc::gen::element(0.01, 0.3, 1.0, 3.0, 10.0, 1000.0);
}

// The share of what ranks pay that heat is limited to; none if nobody pays.
double limit_of(const Payments& all) {
  const double share = std::max(all.paying, 0.5);
  return all.of_rank > 0 ? 0.6 * all.of_rank / (share * share) : HUGE_VAL;
}

bool alike(double a, double b) {
  return std::abs(a - b) <= 1e-9 * (std::abs(a) + std::abs(b));
}

RC_GTEST_PROP(FirstHeatProperty, IsLimitedByWhatRanksPay, ()) {
  constexpr std::uint64_t few = 1000;  // moves, of two ranks and more
  const test::AnyGridTask any;
  const Seating seating = any.linear_seating();
  const Payments all = payments(any.space(), seating);
  const auto ranks = static_cast<double>(any.space().active_ranks().size());
  const auto cost = static_cast<double>(test::search_cost(any.space(), seating));
  RC_ASSERT(std::abs(all.of_rank * ranks - 2 * cost) < 1e-6 * (1 + cost));
  RC_ASSERT(all.paying >= 0 && all.paying <= 1 && (all.paying > 0) == (all.of_rank > 0));
  const double stirs = any_heat(all.of_rank);
  const Heat heat =
      heat_to_go_on(any.space(), seating, hurried(stirs), few, kUsual, RandomSource(1));
  RC_ASSERT(alike(heat.start, std::min(stirs, limit_of(all))));
  RC_ASSERT(heat.end < heat.start);
  RC_ASSERT(heat.moves == 0U);
}

// A long search that would begin much hotter tries how much is borne, in a part of its moves.
RC_GTEST_PROP(FirstHeatProperty, IsTriedWhereItIsFarAboveThat, ()) {
  constexpr std::uint64_t many = 1'000'000;  // moves, of 40 ranks at most
  constexpr double enough = 0.13;            // of them
  constexpr double far_above = 1.4;
  constexpr double least = 0.05;  // of the limit
  const test::AnyGridTask any;
  const Seating seating = any.linear_seating();
  const Payments all = payments(any.space(), seating);
  const double stirs = any_heat(all.of_rank);
  const double limit = limit_of(all);
  const Heat heat =
      heat_to_go_on(any.space(), seating, hurried(stirs), many, kUsual, RandomSource(1));
  RC_ASSERT(heat.end < heat.start);
  if (stirs <= far_above * limit || all.paying < 0.5) {
    RC_ASSERT(heat.moves == 0U);
    RC_ASSERT(alike(heat.start, std::min(stirs, limit)));
  } else {
    RC_ASSERT(heat.moves > 0U && static_cast<double>(heat.moves) <= enough * many);
    RC_ASSERT(heat.start <= stirs && heat.start >= least * limit);
  }
}

// To leave a node costs hops at any heat.
RC_GTEST_PROP(FirstHeatProperty, IsNotTriedWhereNodesAreWorthAvoiding, ()) {
  constexpr std::uint64_t many = 1'000'000;
  const auto topology = test::any_topology();
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  const OutageMap outages = test::any_outages(*topology);
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task = test::task_of(graph, *topology, outages, allocation, trace,
                                         parse_objective("completion-time"));
  const SearchSpace space(task);
  RC_PRE(space.cost().risky());
  const Seating seating(space.plan(), map_linear(task));
  const Payments all = payments(space, seating);
  const double stirs = 1000 * std::max(all.of_rank, 1.0);
  const Heat heat = heat_to_go_on(space, seating, hurried(stirs), many, kUsual, RandomSource(1));
  RC_ASSERT(heat.moves == 0U);
  RC_ASSERT(alike(heat.start, std::min(stirs, limit_of(all))));
}

}  // namespace
}  // namespace tofa::first_heat_test
