// SPDX-License-Identifier: BSD-3-Clause
// What searches of a task share: whose partner is drawn does not depend on how that is kept.
#include "mapping/search/search_space.hpp"

#include <rapidcheck/gtest.h>

#include <algorithm>

#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/mapping_task.hpp"
#include "support/placed_on_torus.hpp"

namespace tofa::search_space_test {
namespace {

// Ranks that talk to nobody, to few and to so many that some stand for them.
CommGraph any_traffic() {
  const auto ranks = *rc::gen::inRange<Rank>(2, 700);
  Traffic traffic = test::nobody(ranks);
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
    const auto sender = *rc::gen::inRange<Rank>(0, ranks);
    const auto receiver = *rc::gen::inRange<Rank>(0, ranks);
    traffic.entries.push_back({sender, receiver, *rc::gen::inRange<Bytes>(1, 1000)});
  }
  if (*rc::gen::arbitrary<bool>()) {
    for (Rank rank = 1; rank < ranks; ++rank) traffic.entries.push_back({0, rank, 500});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

RC_GTEST_PROP(SearchSpaceProperty, DrawsTheSameOfVeryMany, ()) {
  const CommGraph graph = any_traffic();
  const auto ring = test::torus_of({std::to_string(graph.ranks()), graph.ranks()});
  const Allocation allocation = test::all_but_every(*ring, 0, 1);
  const OutageMap none;
  const PlaceOptions options;
  Trace trace{options};
  const MappingTask task =
      test::task_of(graph, *ring, none, allocation, trace, parse_objective("hop-bytes"));
  const SearchSpace usual(task);
  const SearchSpace of_very_many(task, 0);
  const Seating seating(usual.plan(), map_linear(task));
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  RandomSource random(seed);
  RandomSource same(seed);
  for (int i = 0; i < 500; ++i) {
    const SearchSpace::Draw one = usual.draw(seating, random);
    const SearchSpace::Draw other = of_very_many.draw(seating, same);
    RC_ASSERT(one.rank == other.rank);
    RC_ASSERT(one.target == other.target);
  }
}

}  // namespace
}  // namespace tofa::search_space_test
