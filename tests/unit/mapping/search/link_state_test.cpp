// SPDX-License-Identifier: BSD-3-Clause
// The incremental metrics must agree with evaluating the whole mapping, after any sequence of
// swaps.
#include "mapping/search/link_state.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/tools/random_source.hpp"
#include "support/mapping_task.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(LinkStateProperty, AgreesWithEvaluateAfterAnySwaps, ()) {
  const auto topology = test::any_topology();
  test::weigh_some_links(*topology);
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  const OutageMap outages = test::any_outages(*topology);
  const auto objective = *rc::gen::elementOf(all_objectives());
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task = test::task_of(graph, *topology, outages, allocation, trace, objective);
  const SeatPlan plan(allocation, graph.ranks());
  Seating seating(plan, map_linear(task));
  LinkState state(task, plan, seating);
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  for (int i = 0; i < 20; ++i) {
    const Rank rank = random.below(graph.ranks());
    const Seat target = random.below(plan.seats());
    if (target == seating.seat(rank)) continue;
    const double before = state.cost();
    const double ceiling = random.below(2) == 0 ? before : std::numeric_limits<double>::infinity();
    const double proposed = state.propose(rank, target, ceiling);
    if (proposed <= ceiling && random.below(2) == 0) {
      state.keep();
      RC_ASSERT(state.cost() == proposed);
    } else {
      state.undo();
      RC_ASSERT(std::abs(state.cost() - before) <= 1e-9 * before);
    }
  }
  const double expected =
      objective_value(objective, evaluate(graph, *topology, outages, seating.mapping()));
  RC_ASSERT(std::abs(state.cost() - expected) <= 1e-6 * std::max(1.0, expected));
}

TEST(MaxTree, KeepsTheMaximumWhenValuesRiseAndFall) {
  MaxTree tree(5);
  EXPECT_EQ(tree.max(), 0);
  tree.add(3, 7);
  tree.add(4, 9);
  EXPECT_EQ(tree.max(), 9);
  tree.add(4, -5);
  EXPECT_EQ(tree.max(), 7);
  tree.add(3, -7);
  EXPECT_EQ(tree.max(), 4);
}

}  // namespace
}  // namespace tofa
