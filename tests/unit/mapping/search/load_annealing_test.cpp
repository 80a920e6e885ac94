// SPDX-License-Identifier: BSD-3-Clause
// Annealing on loads must respect seats, never end above where it started by the objective, do the
// same for the same random numbers, and relieve links that distances say nothing of.
#include "mapping/search/load_annealing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/mapping_task.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/placed_on_torus.hpp"
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

// A ring of nodes with so many slots each, and a task on it.
struct RingJob {
  RingJob(unsigned count, unsigned slots, CommGraph traffic, const OutageList& suspects = {},
          const char* goal = "completion-time")
      : ring(parse_topology("[topology]\nkind = \"torus\"\nshape = [" + std::to_string(count) +
                                "]\nnodes = \"n[0-" + std::to_string(count - 1) + "]\"\n",
                            "ring.toml")),
        graph(std::move(traffic)),
        outages(suspects, *ring),
        objective(parse_objective(goal)) {
    for (Node node = 0; node < count; ++node) nodes.push_back({node, slots});
  }
  MappingTask task() { return test::task_of(graph, *ring, outages, nodes, trace, objective); }
  Metrics metrics(const Mapping& mapping) const { return evaluate(graph, *ring, outages, mapping); }

  std::unique_ptr<Topology> ring;
  CommGraph graph;
  OutageMap outages;
  Objective objective;
  Allocation nodes;
  PlaceOptions options;
  Trace trace{options};
};

Mapping annealed(const MappingTask& task, const Mapping& from, const LoadSchedule& schedule) {
  const SearchSpace space(task);
  Seating seating(space.plan(), from);
  anneal_loads(space, schedule, RandomSource(1), seating);
  return seating.mapping();
}

// Two ranks need a resource that the first and the last of eight nodes have.
TEST(LoadAnnealing, LeavesRanksWithWhatTheyNeed) {
  RingJob job(8, 1, CommGraph::neighbours_in_rank_order(8));
  job.ring->set_resource(0, "fpga", 1);
  job.ring->set_resource(7, "fpga", 1);
  const Needs needs({{"fpga", {0, 4}}}, *job.ring, 8);
  MappingTask task = job.task();
  task.needs = &needs;
  const Mapping mapping = {0, 5, 3, 2, 7, 1, 6, 4};
  const Mapping found = annealed(task, mapping, {20'000, 1});
  EXPECT_NE(found, mapping);
  for (const Rank rank : {0, 4}) EXPECT_TRUE(found[rank] == 0 || found[rank] == 7) << rank;
}

// Nodes have room for two ranks each, and one of the four is likely to fail.
TEST(LoadAnnealing, LeavesNodesThatAreWorthAvoiding) {
  RingJob job(4, 2, CommGraph::neighbours_in_rank_order(4), {{"n1", 0.2, -1}});
  const Mapping found = annealed(job.task(), {0, 1, 2, 3}, {20'000, 100});
  EXPECT_EQ(job.metrics(found).abort_probability, 0);
}

TEST(LoadAnnealing, ChangesNothingWhenTheTimeIsOver) {
  RingJob job(16, 1, CommGraph::neighbours_in_rank_order(16));
  MappingTask task = job.task();
  task.deadline = Deadline(0);
  Mapping mapping;
  for (Rank rank = 0; rank < 16; ++rank) mapping.push_back(rank * 7 % 16);
  EXPECT_EQ(annealed(task, mapping, {1'000'000'000'000, 1000}), mapping);
}

// On a ring four pairs talk over the same link, though there is room elsewhere.
TEST(LoadAnnealing, RelievesTheBusiestLink) {
  constexpr Rank pairs = 4;
  Traffic traffic{2 * pairs, {}, {}};
  Mapping mapping;
  for (Rank pair = 0; pair < pairs; ++pair) {
    traffic.entries.push_back({2 * pair, 2 * pair + 1, 1000});
    mapping.push_back(pair);
    mapping.push_back(pair + pairs);
  }
  RingJob job(16, 1, CommGraph(traffic), {}, "congestion");
  EXPECT_EQ(job.metrics(mapping).max_link_load, 4000);
  EXPECT_EQ(job.metrics(annealed(job.task(), mapping, {20'000, 1000})).max_link_load, 1000);
}

// The same among thousands of ranks that hardly load their links, in a try for each: busy links get
// as large a share of these as they have in what counts. Where anybody is tried, 3050 is left.
TEST(LoadAnnealing, RelievesWhatFewRanksLoad) {
  constexpr unsigned nodes = 64;
  constexpr unsigned slots = 64;
  constexpr Rank ranks = nodes * slots;
  constexpr Rank pairs = 8;
  Traffic traffic{ranks, {}, {}};
  Mapping mapping;
  for (Rank rank = 0; rank < ranks; ++rank) {
    mapping.push_back(rank / slots);
    traffic.entries.push_back({rank, (rank + 1) % ranks, 10});
  }
  for (Rank pair = 0; pair < pairs; ++pair) {
    for (Rank i = 0; i < 4; ++i)
      traffic.entries.push_back({pair * slots + 8 + i, (pair + pairs) * slots + 8 + i, 300});
  }
  traffic.normalise();
  RingJob job(nodes, slots, CommGraph(traffic));
  EXPECT_EQ(job.metrics(mapping).max_link_load, 9610);
  const Mapping found = annealed(job.task(), mapping, {ranks, 10});
  EXPECT_LT(job.metrics(found).max_link_load, 1000);
}

// All that is busy are the links of one node, where pairs are whose partners are elsewhere. A pair
// exchanges more than it does with these, so that the first of it to leave makes links busier, and
// where it is hot enough for that, the light traffic of all others is torn apart. If moves were not
// looked at that make ways much longer, more than 400 would be left.
TEST(LoadAnnealing, LooksAtAllMovesOfRanksOnBusyLinks) {
  constexpr unsigned nodes = 64;
  constexpr unsigned slots = 8;
  constexpr Rank ranks = nodes * slots;
  Traffic traffic{ranks, {}, {}};
  Mapping mapping;
  for (Rank rank = 0; rank < ranks; ++rank) {
    mapping.push_back(rank / slots);
    if (rank < slots) continue;
    traffic.entries.push_back({rank, rank ^ 1U, 16});
    traffic.entries.push_back({rank, (rank + slots) % ranks, 4});
  }
  for (Rank first = 0; first < slots; first += 2) {
    const Rank home = (8 + 6 * first) * slots;
    traffic.entries.push_back({first, first + 1, 500});
    traffic.entries.push_back({first, home, 200});
    traffic.entries.push_back({first + 1, home + 1, 200});
  }
  traffic.normalise();
  RingJob job(nodes, slots, CommGraph(traffic));
  EXPECT_GT(job.metrics(mapping).max_link_load, 1200);
  for (const double temperature : {0.02, 0.1, 0.2}) {
    const Mapping found = annealed(job.task(), mapping, {100 * ranks, temperature});
    EXPECT_LT(job.metrics(found).max_link_load, 100) << temperature;
  }
}

// Pairs of ranks over the one link between two groups of a machine of so many nodes that routes are
// walked; in their own groups there is room.
TEST(LoadAnnealing, RelievesLinksOfRoutesThatAreWalked) {
  const auto dragonfly = parse_topology(
      "[topology]\nkind = \"dragonfly\"\ngroups = 17\nrouters = 16\nnodes_per_router = 4\n"
      "nodes = \"n[0-1087]\"\n",
      "dragonfly.toml");
  constexpr Rank pairs = 16;
  constexpr Node of_group = 64;
  Traffic traffic{2 * pairs, {}, {}};
  Mapping mapping;
  for (Rank pair = 0; pair < pairs; ++pair) {
    traffic.entries.push_back({2 * pair, 2 * pair + 1, 1000});
    mapping.push_back(pair);
    mapping.push_back(of_group + pair);
  }
  const CommGraph graph(traffic);
  Allocation nodes;
  for (Node node = 0; node < dragonfly->nodes(); ++node) nodes.push_back({node, 1});
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *dragonfly, none, nodes, trace, parse_objective("completion-time"));
  const auto busiest = [&](const Mapping& of) {
    return evaluate(graph, *dragonfly, none, of).max_link_load;
  };
  EXPECT_EQ(busiest(mapping), 16'000);
  EXPECT_EQ(busiest(annealed(task, mapping, {20'000, 1000})), 1000);
}

// The share of their time that particles in space still take, which are on nodes of four ranks at
// first and are annealed from such a temperature, where nodes have so many slots and some may fail.
double left_of_time(double temperature, unsigned slots, const OutageList& suspects,
                    unsigned tries = 200) {
  const test::Machine machine{"4, 8, 8", 256, 4};
  const CommGraph graph = test::neighbours_in_space(1024, 12);
  const auto torus = test::torus_of(machine);
  const Allocation nodes = test::all_but_every(*torus, 0, slots);
  const OutageMap outages(suspects, *torus);
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *torus, outages, nodes, trace, parse_objective("completion-time"));
  const Mapping start = test::placed(graph, machine, "geometric").mapping;
  const Mapping found = annealed(task, start, {tries * graph.ranks(), temperature});
  const auto time = [&](const Mapping& mapping) {
    return communication_time(evaluate(graph, *torus, outages, mapping));
  };
  return time(found) / time(start);
}

// What is known about distances tells the first temperature roughly, in a hurry by a factor of ten:
// cooled from there at once, the colder one leaves 0.82. The hotter one is about right.
TEST(LoadAnnealing, WarmsUpUntilLinksGetBusier) {
  for (const double temperature : {10, 1000})
    EXPECT_LT(left_of_time(temperature, 4, {}), 0.77) << temperature;
}

// Nor until ways are a fifth longer, where a few tries of each rank have to mend that: 0.83 then.
TEST(LoadAnnealing, SpoilsNoMoreThanItCanMend) {
  EXPECT_LT(left_of_time(1000, 4, {}, 15), 0.80);
}

// What ranks save by leaving a node says nothing about links.
TEST(LoadAnnealing, WarmsUpWhereRanksLeaveNodes) {
  OutageList suspects;
  for (Node node = 0; node < 256; node += 16)
    suspects.push_back({"n" + std::to_string(node), 0.2, -1});
  EXPECT_LT(left_of_time(10, 5, suspects), 0.75);  // 0.80 if it did
}

}  // namespace
}  // namespace tofa
