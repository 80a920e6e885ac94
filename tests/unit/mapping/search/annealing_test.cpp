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
