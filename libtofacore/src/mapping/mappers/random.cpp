// SPDX-License-Identifier: BSD-3-Clause
// random: every slot is as likely as any other. A baseline, and a start for searches that want no
// structure.
#include "mapping/mapper.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {

Mapping map_random(const MappingTask& task) {
  std::vector<Node> seats;
  for (const auto& [node, slots] : task.allocation) {
    seats.insert(seats.end(), std::min(slots, task.graph.ranks()), node);
  }
  RandomSource random(task.seed);
  random.shuffle(seats);
  seats.resize(task.graph.ranks());
  return seats;
}

namespace {

// It only tells what searches that begin anywhere have grown from, and takes as long to assess as
// any.
bool random_is_candidate(const MappingTask& task) {
  constexpr Rank few = 4096;
  return task.graph.ranks() <= few;
}

}  // namespace

extern constexpr Mapper kRandomMapper{"random", map_random, random_is_candidate, Turn::any_lane};

}  // namespace tofa
