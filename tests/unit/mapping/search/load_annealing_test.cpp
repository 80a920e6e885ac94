// SPDX-License-Identifier: BSD-3-Clause
// Annealing on loads must respect seats, never end above where it started by the objective, do the
// same for the same random numbers, and relieve links that distances say nothing of.
#include "mapping/search/load_annealing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/search/smooth_time.hpp"
#include "support/mapping_task.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

RC_GTEST_PROP(LoadAnnealingProperty, NeverEndsAboveItsStart, ()) {
  const auto topology = test::any_topology();
  test::weigh_some_links(*topology);
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  const OutageMap none;
  const auto objective = *rc::gen::elementOf(all_objectives());
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task = test::task_of(graph, *topology, none, allocation, trace, objective);
  const SearchSpace space(task);
  const auto run = [&] {
    Seating seating(space.plan(), map_linear(task));
    anneal_loads(space, {4'000, 100}, RandomSource(5), seating);
    return seating;
  };
  const Seating seating = run();
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    RC_ASSERT(seating.occupant(seating.seat(rank)) == rank);
  }
  RC_ASSERT(seating.mapping() == run().mapping());
  const auto cost = [&](const Mapping& mapping) {
    return objective_value(objective, evaluate(graph, *topology, none, mapping));
  };
  const double start = cost(map_linear(task));
  RC_ASSERT(cost(seating.mapping()) <= start * (1 + 1e-6));
}

RC_GTEST_PROP(LoadAnnealingProperty, RespectsSeatsWhereNodesAreWorthAvoiding, ()) {
  const auto topology = test::any_topology();
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  const OutageMap outages = test::any_outages(*topology);
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task = test::task_of(graph, *topology, outages, allocation, trace,
                                         parse_objective("completion-time"));
  const SearchSpace space(task);
  Seating seating(space.plan(), map_linear(task));
  anneal_loads(space, {2'000, 100}, RandomSource(5), seating);
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    RC_ASSERT(seating.occupant(seating.seat(rank)) == rank);
  }
}

// On a ring four pairs talk over the same link, though there is room elsewhere.
TEST(LoadAnnealing, RelievesTheBusiestLink) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [16]\nnodes = \"n[0-15]\"\n", "ring.toml");
  std::vector<TrafficEntry> traffic;
  constexpr Rank pairs = 4;
  Mapping mapping;
  for (Rank pair = 0; pair < pairs; ++pair) {
    traffic.push_back({2 * pair, 2 * pair + 1, 1000});
    mapping.push_back(pair);
    mapping.push_back(pair + pairs);
  }
  const CommGraph graph(Traffic{2 * pairs, traffic, {}});
  Allocation nodes;
  for (Node node = 0; node < ring->nodes(); ++node) nodes.push_back({node, 1});
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *ring, none, nodes, trace, parse_objective("congestion"));
  const SearchSpace space(task);
  Seating seating(space.plan(), mapping);
  anneal_loads(space, {20'000, 1000}, RandomSource(1), seating);
  EXPECT_EQ(evaluate(graph, *ring, none, mapping).max_link_load, 4000);
  EXPECT_EQ(evaluate(graph, *ring, none, seating.mapping()).max_link_load, 1000);
}

TEST(SmoothTime, CountsWhatTheObjectiveCounts) {
  const auto flat = make_flat_topology({"a", "b"});
  const CommGraph graph = CommGraph(Traffic{2, {{0, 1, 100}}, {}});
  const Allocation nodes = {{0, 1}, {1, 1}};
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  const auto counts = [&](const char* name) {
    return SmoothTime(test::task_of(graph, *flat, none, nodes, trace, parse_objective(name)), 10)
        .counts();
  };
  EXPECT_TRUE(counts("completion-time"));
  EXPECT_TRUE(counts("congestion"));
  EXPECT_FALSE(counts("hop-bytes"));
  EXPECT_FALSE(counts("pair-cost"));
  EXPECT_FALSE(counts("fault-weighted"));
}

}  // namespace
}  // namespace tofa
