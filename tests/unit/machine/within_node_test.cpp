// SPDX-License-Identifier: BSD-3-Clause
// The order of ranks inside a node: a permutation, deterministic, never worse than the given order,
// the best one where that can be checked, and good where it is known what good is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "mapping/tools/random_source.hpp"
#include "support/random_cases.hpp"
#include "tofa/machine.hpp"

namespace tofa {
namespace {

double cost_of(const CommGraph& graph, const std::vector<Rank>& ranks, const Machine& machine,
               const std::vector<unsigned>& place_of) {
  double sum = 0;
  for (std::size_t a = 0; a < ranks.size(); ++a) {
    for (const auto& [partner, bytes, sent] : graph.partners(ranks[a])) {
      for (std::size_t b = 0; b < a; ++b) {
        if (ranks[b] == partner)
          sum += static_cast<double>(bytes) * machine.distance(place_of[a], place_of[b]);
      }
    }
  }
  return sum;
}

Machine any_machine() {
  Machine machine;
  machine.places = *rc::gen::inRange(1U, 24U);
  const auto levels = *rc::gen::inRange(0, 4);
  for (int level = 0; level < levels; ++level) {
    const auto groups = *rc::gen::inRange(1U, 5U);
    machine.levels.push_back({"level", *rc::gen::container<std::vector<unsigned>>(
                                           machine.places, rc::gen::inRange(0U, groups))});
  }
  return machine;
}

struct AnyNode {
  Machine machine = any_machine();
  CommGraph graph;
  std::vector<Rank> ranks;

  explicit AnyNode(Rank most) : graph(test::any_graph(most)) {
    for (Rank rank = 0; rank < graph.ranks() && ranks.size() < machine.places; ++rank) {
      if (*rc::gen::inRange(0, 3) > 0) ranks.push_back(rank);
    }
  }
};

std::vector<unsigned> given_order(const std::vector<Rank>& ranks) {
  std::vector<unsigned> order(ranks.size());
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

RC_GTEST_PROP(WithinNodeProperty, DifferentPlacesNeverWorseAndTheSameAgain, ()) {
  const AnyNode any(30);
  const auto place_of = arrange_within_node(any.graph, any.ranks, any.machine);
  RC_ASSERT(place_of.size() == any.ranks.size());
  const std::set<unsigned> distinct(place_of.begin(), place_of.end());
  RC_ASSERT(distinct.size() == place_of.size());
  for (const unsigned place : distinct) RC_ASSERT(place < any.machine.places);
  RC_ASSERT(cost_of(any.graph, any.ranks, any.machine, place_of) <=
            cost_of(any.graph, any.ranks, any.machine, given_order(any.ranks)));
  RC_ASSERT(place_of == arrange_within_node(any.graph, any.ranks, any.machine));
}

RC_GTEST_PROP(WithinNodeProperty, FewPlacesGetTheBestOrder, ()) {
  AnyNode any(6);
  any.machine.places = std::min(any.machine.places, 5U);
  if (any.ranks.size() > any.machine.places) any.ranks.resize(any.machine.places);
  const double found = cost_of(any.graph, any.ranks, any.machine,
                               arrange_within_node(any.graph, any.ranks, any.machine));
  std::vector<unsigned> order(any.machine.places);
  std::iota(order.begin(), order.end(), 0U);
  do {
    RC_ASSERT(found <= cost_of(any.graph, any.ranks, any.machine, order));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(WithinNode, PartnersShareACacheAndFriendsAPackage) {
  const Machine machine = read_machine("package:2 l3:2 core:2");
  // 0-7, 1-6, 2-5 and 3-4 talk most; 0 with 1 and 2 with 3 a little.
  const CommGraph graph(
      Traffic{8, {{0, 1, 10}, {0, 7, 100}, {1, 6, 100}, {2, 3, 10}, {2, 5, 100}, {3, 4, 100}}, ""});
  const std::vector<Rank> ranks = {0, 1, 2, 3, 4, 5, 6, 7};
  const auto place_of = arrange_within_node(graph, ranks, machine);
  for (const Rank rank : {0U, 1U, 2U, 3U})
    EXPECT_EQ(machine.distance(place_of[rank], place_of[7 - rank]), 0U) << rank;
  EXPECT_EQ(machine.distance(place_of[0], place_of[1]), 1U);
  EXPECT_EQ(machine.distance(place_of[2], place_of[3]), 1U);
}

TEST(WithinNode, AShuffledGridOnALargeNodeIsPutBackInOrder) {
  // 256 ranks in a 16 x 16 grid, shuffled; in order, a package holds 8 rows and a cache 1.
  const Machine machine = read_machine("package:2 l3:8 core:16");
  std::vector<Rank> name(256);
  std::iota(name.begin(), name.end(), Rank{0});
  RandomSource random(7);
  random.shuffle(name);
  Traffic traffic{256, {}, ""};
  for (Rank i = 0; i < 256; ++i) {
    if (i % 16 < 15) traffic.entries.push_back({name[i], name[i + 1], 1000});
    if (i < 240) traffic.entries.push_back({name[i], name[i + 16], 1000});
  }
  traffic.normalise();
  const CommGraph graph(traffic);
  std::vector<Rank> ranks(256);
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  std::vector<unsigned> rows(256);
  for (unsigned i = 0; i < 256; ++i) rows[name[i]] = i;
  const double found = cost_of(graph, ranks, machine, arrange_within_node(graph, ranks, machine));
  // Blocks of 4 x 4 beat rows.
  EXPECT_LT(found, 0.6 * cost_of(graph, ranks, machine, rows));
}

TEST(WithinNode, FreePlacesAreUsedToKeepPartnersTogether) {
  const Machine machine = read_machine("package:2 core:3");
  const CommGraph graph(Traffic{4, {{0, 1, 5}, {2, 3, 5}}, ""});
  const std::vector<Rank> ranks = {0, 1, 2, 3};
  const auto place_of = arrange_within_node(graph, ranks, machine);
  EXPECT_EQ(cost_of(graph, ranks, machine, place_of), 0);
}

TEST(WithinNode, EveryNodeOfAMappingIsArranged) {
  const Machine machine = read_machine("package:2 core:2");
  const CommGraph graph(Traffic{8, {{0, 4, 5}, {1, 5, 5}, {2, 6, 5}, {3, 7, 5}}, ""});
  const Mapping mapping = {0, 1, 0, 1, 0, 1, 0, 1};
  const auto place_of = arrange_within_nodes(graph, mapping, machine);
  for (const Rank rank : {0U, 1U, 2U, 3U})
    EXPECT_EQ(machine.distance(place_of[rank], place_of[rank + 4]), 0U) << rank;
  for (const Node node : {0U, 1U}) {
    std::set<unsigned> places;
    for (Rank rank = 0; rank < 8; ++rank) {
      if (mapping[rank] == node) places.insert(place_of[rank]);
    }
    EXPECT_THAT(places, testing::ElementsAre(0, 1, 2, 3));
  }
}

}  // namespace
}  // namespace tofa
