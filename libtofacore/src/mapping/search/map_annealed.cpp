// SPDX-License-Identifier: BSD-3-Clause
// One anneal of few ranks, for mappers that arrange parts of a task: how they freeze is measured,
// and then they are cooled slowly through that.
#include <array>
#include <optional>

#include "mapping/mapper.hpp"
#include "mapping/search/annealing.hpp"
#include "mapping/tools/lanes.hpp"

namespace tofa {
namespace {

double cost_of(const SearchSpace& space, const Seating& seating) {
  const CommGraph& graph = space.task().graph;
  double sum = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      sum += static_cast<double>(bytes) *
             space.cost().between(seating.entry(rank), seating.entry(partner));
    }
  }
  return sum;
}

}  // namespace

Mapping map_annealed(const MappingTask& task, const Mapping& start, std::uint64_t moves) {
  const SearchSpace space(task);
  const Seating first(space.plan(), start);
  RandomSource random(task.seed);
  const auto next = [&random] { return RandomSource(random.next()); };
  Seating hot = first;
  const Freezing freezing = measure_freezing(space, moves / 10, next(), hot);
  const AnnealingSchedule schedule{moves, freezing.temperature(0.65), freezing.temperature(0.99)};
  std::array<std::optional<Seating>, kLanes> found;
  const std::array<RandomSource, kLanes> randoms = {next(), next()};
  run_lanes([&](unsigned lane) {
    found[lane] = first;
    anneal(space, schedule, randoms[lane], *found[lane]);
  });
  const bool second = cost_of(space, *found[1]) < cost_of(space, *found[0]);
  return found[second ? 1 : 0]->mapping();
}

}  // namespace tofa
