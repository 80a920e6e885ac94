// SPDX-License-Identifier: BSD-3-Clause
// Remapping must move no rank that can stay, respect the slots that are left, share out what does
// not fit evenly, and choose who moves and where to such that no other choice of as many is better.
#include "tofa/remap.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "support.hpp"
#include "support/random_cases.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::unique_ptr<Topology> ring(unsigned nodes) {
  return parse_topology(fmt::format("[topology]\nkind = \"torus\"\nshape = [{}]\nnodes = "
                                    "\"n[0-{}]\"\n",
                                    nodes, nodes - 1),
                        "ring.toml");
}

Allocation one_slot_each(const std::vector<Node>& nodes, unsigned slots = 1) {
  Allocation allocation;
  for (const Node node : nodes) allocation.push_back({node, slots});
  return allocation;
}

unsigned ranks_on(const Mapping& mapping, Node node) {
  return static_cast<unsigned>(std::count(mapping.begin(), mapping.end(), node));
}

TEST(Remap, OneLostNodeMovesOneRankNextToItsPartners) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, {}, {0, 1, 2, 3}, one_slot_each({0, 2, 3, 4, 5, 6, 7}), {});
  EXPECT_THAT(result.moved, ElementsAre(1));
  EXPECT_EQ(result.mapping[1], 7U);
  EXPECT_FALSE(result.oversubscribed);
}

TEST(Remap, NothingMovesWhenNothingIsLost) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, {}, {0, 4, 2, 6}, one_slot_each({0, 1, 2, 3, 4, 5, 6, 7}), {});
  EXPECT_TRUE(result.moved.empty());
}

TEST(Remap, DeadNodesAreLeftThoughTheyAreListed) {
  const auto topology = ring(8);
  const OutageMap outages({{"n2", 1, -1}}, *topology);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 3, 4, 5, 6, 7}), {});
  EXPECT_THAT(result.moved, ElementsAre(2));
  const Remapping crowded =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 3}), {});
  EXPECT_TRUE(crowded.oversubscribed);
  EXPECT_EQ(ranks_on(crowded.mapping, 2), 0U);
}

TEST(Remap, SuspectNodesKeepTheirRanksButGetNoOthers) {
  const auto topology = ring(8);
  const OutageMap outages({{"n1", 0.02, -1}, {"n4", 0.02, -1}}, *topology);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  const Remapping result =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 4, 5, 6, 7}, 2), {});
  EXPECT_THAT(result.moved, ElementsAre(3));
  EXPECT_EQ(result.mapping[3], 2U);
  const Remapping crowded =
      remap(graph, *topology, outages, {0, 1, 2, 3}, one_slot_each({0, 1, 2, 4}), {});
  EXPECT_EQ(crowded.mapping[3], 4U);
}

TEST(Remap, TooFewNodesAreOversubscribedEvenly) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(8);
  const Remapping result =
      remap(graph, *topology, {}, {0, 1, 2, 3, 4, 5, 6, 7}, one_slot_each({1, 4, 6}), {});
  EXPECT_TRUE(result.oversubscribed);
  for (const Node node : {1U, 4U, 6U}) {
    EXPECT_GE(ranks_on(result.mapping, node), 2U);
    EXPECT_LE(ranks_on(result.mapping, node), 3U);
  }
}

// The example of the paper: when nodes are gained, groups that talk leave together.
TEST(Remap, GainedNodesRelieveOversubscribedOnes) {
  const auto topology = ring(8);
  Traffic traffic;
  traffic.ranks = 4;
  traffic.entries = {{0, 2, 100}, {1, 3, 100}, {0, 1, 1}};
  traffic.normalise();
  const CommGraph graph(traffic);
  const Remapping result = remap(graph, *topology, {}, {5, 5, 5, 5}, one_slot_each({5, 6}, 2), {});
  EXPECT_EQ(result.moved.size(), 2U);
  EXPECT_EQ(result.mapping[0], result.mapping[2]);
  EXPECT_EQ(result.mapping[1], result.mapping[3]);
}

// Cliques of `size` in a ring, each joined to the next by one edge; the last takes what is left.
CommGraph ring_of_cliques(Rank ranks, Rank size) {
  Traffic traffic;
  traffic.ranks = ranks;
  const Rank cliques = ranks / size;
  for (Rank clique = 0; clique < cliques; ++clique) {
    const Rank first = clique * size;
    const Rank end = clique + 1 < cliques ? first + size : ranks;
    for (Rank a = first; a < end; ++a) {
      for (Rank b = a + 1; b < end; ++b) traffic.entries.push_back({a, b, 1});
    }
    traffic.entries.push_back({end - 1, end % ranks, 1});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

struct Relief {
  Rank clique;
  Rank held;  // ranks on a node before
  unsigned slots;
  Rank stride;  // ranks are dealt out with this stride, so that cliques are torn apart
  double cut;   // what long runs of simulated annealing, written for this, found at best
};

class RemapRelief : public testing::TestWithParam<Relief> {};

// On nodes that are equally far, two hops, hop-bytes are twice the edges that are cut.
TEST_P(RemapRelief, AsFewEdgesAreCutAsAnnealingCuts) {
  const Relief& given = GetParam();
  const auto topology = make_flat_topology({"a", "b", "c", "d", "e", "f", "g", "h"});
  Mapping old;
  for (Rank rank = 0; rank < 64; ++rank) old.push_back(rank * given.stride % 64 / given.held);
  std::vector<Node> nodes;
  for (Node node = 0; node * given.slots < 64; ++node) nodes.push_back(node);
  PlaceOptions options;
  options.objective = parse_objective("hop-bytes");
  options.time_limit_seconds = 1e6;  // work decides, however slow the machine is
  const Remapping result = remap(ring_of_cliques(64, given.clique), *topology, {}, old,
                                 one_slot_each(nodes, given.slots), options);
  EXPECT_LE(result.cost / 2, given.cut);
  EXPECT_FALSE(result.out_of_time);
}

INSTANTIATE_TEST_SUITE_P(RingsOfCliques, RemapRelief,
                         testing::Values(Relief{8, 64, 8, 1, 8}, Relief{8, 32, 16, 1, 4},
                                         Relief{9, 64, 8, 7, 67}, Relief{6, 22, 16, 7, 89},
                                         Relief{8, 22, 16, 1, 5}));

// Calls with every mapping of as few moves as possible.
template <typename Call>
void each_choice(const Mapping& old, const std::vector<unsigned>& slots, const Call& call) {
  std::size_t must = old.size();
  for (Node node = 0; node < slots.size(); ++node)
    must -= std::min(ranks_on(old, node), slots[node]);
  Mapping mapping(old.size());
  for (;;) {
    bool fits = moved_ranks(old, mapping).size() == must;
    for (Node node = 0; fits && node < slots.size(); ++node)
      fits = ranks_on(mapping, node) <= slots[node];
    if (fits) call(mapping);
    std::size_t digit = 0;
    while (digit < mapping.size() && ++mapping[digit] == slots.size()) mapping[digit++] = 0;
    if (digit == mapping.size()) return;
  }
}

TEST(Remap, NoOtherChoiceOfAsManyMovesIsBetter) {
  std::mt19937 random(5);
  const auto below = [&random](unsigned bound) { return static_cast<unsigned>(random() % bound); };
  const auto topology = ring(5);
  for (int i = 0; i < 24; ++i) {
    Traffic traffic;
    traffic.ranks = 6;
    for (int entry = 0; entry < 9; ++entry)
      traffic.entries.push_back({below(6), below(6), 1 + below(100)});
    traffic.normalise();
    const CommGraph graph(traffic);
    Mapping old;
    for (Rank rank = 0; rank < 6; ++rank) old.push_back(below(2));
    const std::vector<unsigned> slots = {below(3), 1 + below(2), 1 + below(2), 2, 2};
    Allocation allocation;
    for (Node node = 0; node < slots.size(); ++node) allocation.push_back({node, slots[node]});
    PlaceOptions options;
    options.objective = all_objectives()[static_cast<std::size_t>(i) % all_objectives().size()];
    options.time_limit_seconds = 1e6;
    const Remapping result = remap(graph, *topology, {}, old, allocation, options);
    double best = result.cost;
    each_choice(old, slots, [&](const Mapping& mapping) {
      best = std::min(best,
                      objective_value(options.objective, evaluate(graph, *topology, {}, mapping)));
    });
    EXPECT_GE(best, result.cost * (1 - 1e-9)) << "case " << i;
  }
}

TEST(Remap, MistakesAreExplained) {
  const auto topology = ring(8);
  const CommGraph graph = CommGraph::neighbours_in_rank_order(4);
  EXPECT_THAT(test::error_of([&] {
                remap(graph, *topology, {}, {0, 1}, one_slot_each({0}), {});
              }),
              HasSubstr("places 2 ranks, the graph has 4"));
  EXPECT_THAT(test::error_of([&] {
                remap(graph, *topology, {}, {0, 1, 2, 3}, {}, {});
              }),
              HasSubstr("no node is available"));
}

RC_GTEST_PROP(RemapProperty, MovesOnlyWhoMustAndRespectsSlots, ()) {
  const auto topology = test::any_topology();
  const Allocation before = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(before), 30U));
  PlaceOptions random;
  random.mapper = "random";
  const OutageMap outages;
  const Mapping old = place(graph, *topology, outages, before, random).mapping;
  const Allocation after = test::any_allocation(*topology);
  const Remapping result = remap(graph, *topology, outages, old, after, {});
  const Allocation room = with_room_for(after, graph.ranks());
  std::size_t must = graph.ranks();
  for (const auto& [node, slots] : room) {
    RC_ASSERT(ranks_on(result.mapping, node) <= slots);
    must -= std::min(ranks_on(old, node), slots);
  }
  RC_ASSERT(result.moved.size() == must);
  RC_ASSERT(result.moved == moved_ranks(old, result.mapping));
  RC_ASSERT(result.mapping == remap(graph, *topology, outages, old, after, {}).mapping);
}

// Another free place for one that moves, the place of another that moves, or home, for one that
// stayed there.
RC_GTEST_PROP(RemapProperty, NoExchangeIsBetter, ()) {
  const auto topology = test::any_topology();
  const Allocation room = test::any_allocation(*topology);
  const CommGraph graph = test::any_graph(std::min(test::total_slots(room), 12U));
  Mapping old;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) old.push_back(test::any_node(*topology));
  old.front() = room.front().node;  // one may stay: if all move, that is a placement
  PlaceOptions options;
  options.objective = *rc::gen::elementOf(all_objectives());
  options.time_limit_seconds = 1e6;
  const Remapping result = remap(graph, *topology, {}, old, room, options);
  const auto check = [&](const Mapping& other) {
    const double cost = objective_value(options.objective, evaluate(graph, *topology, {}, other));
    RC_ASSERT(cost >= result.cost * (1 - 1e-9));
  };
  for (const Rank rank : result.moved) {
    for (const auto& [node, slots] : room) {
      if (node == old[rank] || ranks_on(result.mapping, node) == slots) continue;
      Mapping other = result.mapping;
      other[rank] = node;
      check(other);
    }
    for (Rank partner = 0; partner < graph.ranks(); ++partner) {
      const bool both_move = result.mapping[partner] != old[partner];
      const bool shared_home = result.mapping[partner] == old[rank];
      Mapping other = result.mapping;
      std::swap(other[rank], other[partner]);
      if (both_move && (other[rank] == old[rank] || other[partner] == old[partner])) continue;
      if (both_move || shared_home) check(other);
    }
  }
}

}  // namespace
}  // namespace tofa
