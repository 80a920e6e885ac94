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
  RC_ASSERT(cost(seating.mapping()) <= start * (1 + 1e-5));
}

// Two ranks need a resource that the first and the last of eight nodes have.
TEST(LoadAnnealing, LeavesRanksWithWhatTheyNeed) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8]\nnodes = \"n[0-7]\"\n", "ring.toml");
  ring->set_resource(0, "fpga", 1);
  ring->set_resource(7, "fpga", 1);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(8);
  const Needs needs({{"fpga", {0, 4}}}, *ring, 8);
  Allocation nodes;
  for (Node node = 0; node < 8; ++node) nodes.push_back({node, 1});
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  MappingTask task =
      test::task_of(graph, *ring, none, nodes, trace, parse_objective("completion-time"));
  task.needs = &needs;
  const SearchSpace space(task);
  const Mapping mapping = {0, 5, 3, 2, 7, 1, 6, 4};
  Seating seating(space.plan(), mapping);
  anneal_loads(space, {20'000, 1}, RandomSource(1), seating);
  EXPECT_NE(seating.mapping(), mapping);
  for (Rank rank = 0; rank < 8; ++rank)
    EXPECT_TRUE(space.plan().allows(rank, seating.seat(rank))) << rank;
}

// Nodes have room for two ranks each, and one of the four is likely to fail.
TEST(LoadAnnealing, LeavesNodesThatAreWorthAvoiding) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [4]\nnodes = \"n[0-3]\"\n", "ring.toml");
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  Allocation nodes;
  for (Node node = 0; node < 4; ++node) nodes.push_back({node, 2});
  const OutageMap outages(OutageList{{"n1", 0.2, -1}}, *ring);
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *ring, outages, nodes, trace, parse_objective("completion-time"));
  const SearchSpace space(task);
  Seating seating(space.plan(), Mapping{0, 1, 2, 3});
  anneal_loads(space, {20'000, 100}, RandomSource(1), seating);
  EXPECT_EQ(evaluate(graph, *ring, outages, seating.mapping()).abort_probability, 0);
}

TEST(LoadAnnealing, ChangesNothingWhenTheTimeIsOver) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [16]\nnodes = \"n[0-15]\"\n", "ring.toml");
  const CommGraph graph = CommGraph::neighbours_in_rank_order(16);
  Allocation nodes;
  for (Node node = 0; node < 16; ++node) nodes.push_back({node, 1});
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  MappingTask task =
      test::task_of(graph, *ring, none, nodes, trace, parse_objective("completion-time"));
  task.deadline = Deadline(0);
  const SearchSpace space(task);
  Mapping mapping;
  for (Rank rank = 0; rank < 16; ++rank) mapping.push_back(rank * 7 % 16);
  Seating seating(space.plan(), mapping);
  anneal_loads(space, {1'000'000'000'000, 1000}, RandomSource(1), seating);
  EXPECT_EQ(seating.mapping(), mapping);
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

// What is kept counts for the next change, too: two links, one after the other.
TEST(SmoothTime, KnowsTheNormAfterWhatWasKept) {
  const auto flat = make_flat_topology({"a", "b"});
  const CommGraph graph = CommGraph(Traffic{2, {{0, 1, 100}}, {}});
  const Allocation nodes = {{0, 1}, {1, 1}};
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  SmoothTime time(test::task_of(graph, *flat, none, nodes, trace, parse_objective("congestion")),
                  10);
  const auto norm = [](float a, float b) { return sums_of_loads(std::vector<float>{a, b}).norm; };
  const auto change = [&time](float load, float by) {
    SmoothTime::Change result;
    time.add(load, by, 1.0F, result.squares, result.powers);
    return result;
  };
  time.begin(norm(4, 3));
  const SmoothTime::Change first = change(4, -0.5F);
  EXPECT_NEAR(time.value(first), norm(3.5F, 3) - norm(4, 3), 1e-4);
  time.keep(first);
  const SmoothTime::Change second = change(3, 0.75F);
  EXPECT_NEAR(time.value(second), norm(3.5F, 3.75F) - norm(3.5F, 3), 1e-4);
  time.keep(second);
  EXPECT_NEAR(time.value(change(3.75F, -0.75F)), norm(3.5F, 3) - norm(3.5F, 3.75F), 1e-4);
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
