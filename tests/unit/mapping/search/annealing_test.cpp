// SPDX-License-Identifier: BSD-3-Clause
// The annealer must respect seats, never end above where it started, and do the same for the same
// random numbers, whatever the kind of cost.
#include "mapping/search/annealing.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "mapping/tools/lanes.hpp"
#include "support/mapping_task.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

std::int64_t cost(const SearchSpace& space, const Seating& seating) {
  std::int64_t sum = 0;
  for (Rank rank = 0; rank < space.task().graph.ranks(); ++rank) {
    for (const auto& [partner, weight] : space.partners(rank)) {
      sum +=
          std::int64_t{weight} * space.cost().between(seating.entry(rank), seating.entry(partner));
    }
  }
  return sum;
}

RC_GTEST_PROP(AnnealingProperty, NeverEndsAboveItsStart, ()) {
  const auto topology = test::any_topology();
  const Allocation allocation = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(allocation), 40U));
  const OutageMap outages = test::any_outages(*topology);
  const auto objective =
      *rc::gen::element(parse_objective("hop-bytes"), parse_objective("fault-weighted"));
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task = test::task_of(graph, *topology, outages, allocation, trace, objective);
  const SearchSpace space(task);
  const bool zones = *rc::gen::arbitrary<bool>();
  const auto run = [&] {
    Seating seating(space.plan(), map_linear(task));
    Seating melted = seating;
    const Freezing freezing = measure_freezing(space, 4'000, RandomSource(4), melted);
    const AnnealingSchedule schedule{20'000, freezing.temperature(0.5), freezing.temperature(0.98)};
    RC_ASSERT(schedule.start >= schedule.end);
    RC_ASSERT(schedule.end > 0);
    if (zones) {
      anneal_in_zones(space, schedule, RandomSource(5), seating);
    } else {
      anneal(space, schedule, RandomSource(5), seating);
    }
    return seating;
  };
  const Seating seating = run();
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    RC_ASSERT(seating.occupant(seating.seat(rank)) == rank);
  }
  RC_ASSERT(seating.mapping() == run().mapping());
  if (!zones) {
    RC_ASSERT(cost(space, seating) <= cost(space, Seating(space.plan(), map_linear(task))));
  }
}

// Two lanes that start where nothing could be better, and are kept hot, do not return there after
// each phase: where one ends, the next one goes on.
TEST(Annealing, PhasesInZonesKeepTheirHeat) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8, 8]\nnodes = \"n[00-63]\"\n", "torus.toml");
  Allocation allocation;
  for (Node node = 0; node < 64; ++node) allocation.push_back({node, 1});
  Traffic traffic;
  traffic.ranks = 64;
  for (Rank rank = 0; rank < 64; ++rank) {
    traffic.entries.push_back({rank, rank / 8 * 8 + (rank + 1) % 8, 100});
    traffic.entries.push_back({rank, (rank + 8) % 64, 100});
  }
  traffic.normalise();
  const CommGraph graph(traffic);
  const OutageMap outages;
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *torus, outages, allocation, trace, parse_objective("hop-bytes"));
  const SearchSpace space(task);
  Seating seating(space.plan(), map_linear(task));
  const std::int64_t least = cost(space, seating);
  Seating melted = seating;
  const double hot = measure_freezing(space, 4'000, RandomSource(4), melted).temperature(0.1);
  anneal_in_zones(space, {1'000'000, hot, hot}, RandomSource(5), seating);
  EXPECT_GT(cost(space, seating), 1.5 * static_cast<double>(least));
}

// Pairs of teams have each other's halves: of those who sit where a rank wants to go, the one that
// had better leave is found in so few moves that trying whoever is drawn does not get there.
TEST(Annealing, ExchangesWithWhoHadBetterLeave) {
  constexpr unsigned nodes = 16;
  constexpr unsigned members = 32;
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [16]\nnodes = \"n[0-15]\"\n", "ring.toml");
  Allocation allocation;
  Mapping torn;
  Traffic traffic;
  traffic.ranks = nodes * members;
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    const Rank team = rank / members;
    for (Rank step = 1; step <= 4; ++step)
      traffic.entries.push_back({rank, team * members + (rank + step) % members, 10});
    torn.push_back(rank % 4 == 0 ? team ^ 1U : team);
  }
  traffic.normalise();
  for (Node node = 0; node < nodes; ++node) allocation.push_back({node, members});
  const CommGraph graph(traffic);
  const OutageMap safe;
  const PlaceOptions options;
  Trace trace(options);
  const MappingTask task =
      test::task_of(graph, *ring, safe, allocation, trace, parse_objective("hop-bytes"));
  const SearchSpace space(task);
  Seating seating(space.plan(), torn);
  const std::int64_t before = cost(space, seating);
  anneal(space, {16'384, 5, 1}, RandomSource(1), seating);
  EXPECT_LE(cost(space, seating), before / 4);
}

TEST(Lanes, AllRunAndTheirErrorsArrive) {
  std::array<bool, kLanes> ran{};
  run_lanes([&](unsigned lane) { ran[lane] = true; });
  for (const bool lane : ran) EXPECT_TRUE(lane);
  EXPECT_THROW(run_lanes([](unsigned lane) {
                 if (lane == kLanes - 1) throw std::runtime_error("lane");
               }),
               std::runtime_error);
}

}  // namespace
}  // namespace tofa
