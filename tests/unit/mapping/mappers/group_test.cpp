// SPDX-License-Identifier: BSD-3-Clause
// group: groups of ranks that belong together fill nodes, whatever these hold, and the groups lie
// where their traffic wants them.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "mapping/mapper.hpp"
#include "mapping/tools/clusters.hpp"
#include "support/background.hpp"
#include "support/grid_traffic.hpp"
#include "support/mapping_task.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/placed_on_torus.hpp"
#include "support/random_cases.hpp"
#include "support/random_traffic.hpp"
#include "tofa/place.hpp"

namespace tofa {
namespace {

std::unique_ptr<Topology> ring(unsigned nodes) {
  return parse_topology("[topology]\nkind = \"torus\"\nshape = [" + std::to_string(nodes) +
                            "]\nnodes = \"n[0-" + std::to_string(nodes - 1) + "]\"\n",
                        "ring.toml");
}

Placement group(const CommGraph& graph, const Topology& topology,
                const std::vector<unsigned>& slots, double work = 0.05) {
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, slots[node]});
  PlaceOptions options = test::options_with_work(work);
  options.objective = parse_objective("hop-bytes");
  options.mapper = "group";
  return place(graph, topology, {}, allocation, options);
}

// Teams of ranks that are far apart in list order and talk among themselves; each talks to the next
// team, too, as a ring, in an order of the teams that is not that of the nodes.
CommGraph ring_of_teams(Rank teams, Rank members) {
  Traffic traffic;
  traffic.ranks = teams * members;
  for (Rank team = 0; team < teams; ++team) {
    for (Rank a = 0; a < members; ++a) {
      for (Rank b = a + 1; b < members; ++b)
        traffic.entries.push_back({team + a * teams, team + b * teams, 100});
    }
    traffic.entries.push_back({team, (team + 3) % teams, 10});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

TEST(Group, PutsTeamsOnNodesAndTheirRingOnTheRingOfNodes) {
  const Placement placement = group(ring_of_teams(16, 8), *ring(16), std::vector(16, 8U));
  EXPECT_EQ(placement.chosen.hop_bytes, 16 * 10);
}

// A task on a torus, each node of which has 8 slots, with so much work; or on a torus of twice as
// many nodes, of which no two that are allocated are neighbours.
class TaskOnATorus {
 public:
  TaskOnATorus(const CommGraph& graph, double seconds, bool scattered = false)
      : network_(parse_topology(
            fmt::format("[topology]\nkind = \"torus\"\nshape = [16, {}]\nnodes = \"n[0-{}]\"\n",
                        (scattered ? 2 : 1) * graph.ranks() / 8 / 16,
                        (scattered ? 2 : 1) * graph.ranks() / 8 - 1),
            "torus.toml")),
        allocation_(allocation_on(*network_, scattered)),
        task_(test::task_of(graph, *network_, none_, allocation_, trace_,
                            parse_objective("hop-bytes"))) {
    task_.seconds = seconds;
  }
  MappingTask& get() { return task_; }

 private:
  static Allocation allocation_on(const Topology& network, bool scattered) {
    Allocation allocation;
    for (Node node = 0; node < network.nodes(); ++node) {
      if (!scattered || (node % 16 + node / 16) % 2 == 0) allocation.push_back({node, 8});
    }
    return allocation;
  }

  const OutageMap none_;
  const PlaceOptions options_;
  Trace trace_{options_};
  std::unique_ptr<Topology> network_;
  Allocation allocation_;
  MappingTask task_;
};

// Whether groups would help there where so many hops per byte are found.
bool would_help(const CommGraph& graph, double hops_per_byte, double seconds) {
  return group_would_help(TaskOnATorus(graph, seconds).get(), hops_per_byte);
}

// Of teams hardly anything goes from node to node, a 57th of the bytes and less.
TEST(Group, WouldHelpWhereLittleGoesBetweenClusters) {
  const CommGraph teams = ring_of_teams(256, 8);
  EXPECT_TRUE(would_help(teams, 0.5, 1));
  EXPECT_FALSE(would_help(teams, 0.001, 1)) << "what is found is better";
  EXPECT_FALSE(would_help(teams, 0.5, 0.001)) << "no time to cut";
  const CommGraph space = test::neighbours_in_space(2048, 12);
  EXPECT_FALSE(would_help(space, 2, 1)) << "clusters leave much";
}

// A hundredth of the bytes goes from team to team, or a little less.
TEST(Group, WouldHelpByWhatClustersLeaveOfWhatIsFound) {
  const CommGraph teams = ring_of_teams(256, 8);
  const double left = share_between_clusters(teams, 8);
  EXPECT_GT(left, 0);
  EXPECT_TRUE(would_help(teams, left / 0.79, 1));
  EXPECT_FALSE(would_help(teams, left / 0.81, 1));
  const CommGraph few = ring_of_teams(128, 8);
  const double left_by_few = share_between_clusters(few, 8);
  EXPECT_TRUE(would_help(few, left_by_few / 0.34, 1));
  EXPECT_FALSE(would_help(few, left_by_few / 0.36, 1)) << "moves lead far on few nodes";
}

TEST(Group, WouldNotHelpWhereNothingGoesBetweenNodesOrTimeIsOver) {
  const CommGraph teams = ring_of_teams(256, 8);
  EXPECT_FALSE(would_help(teams, 0, 1));
  EXPECT_FALSE(would_help(CommGraph(Traffic{.ranks = 2048, .entries = {}, .metadata = {}}), 0, 1));
  TaskOnATorus late(teams, 1);
  EXPECT_TRUE(group_would_help(late.get(), 0.5));
  late.get().deadline = Deadline(-1);
  EXPECT_FALSE(group_would_help(late.get(), 0.5));
}

// Two hundred thousand pairs take longer to join than a short search may look.
TEST(Group, DoesNotLookForClustersAmongVeryManyPairs) {
  constexpr Rank ranks = 2048;
  constexpr Rank partners = 100;
  Traffic traffic;
  traffic.ranks = ranks;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank i = 1; i <= partners; ++i)
      traffic.entries.push_back({rank, (rank + 9 * i) % ranks, 1});
    // Pairs have many partners, but each has one that counts.
    if (rank % 2 == 0) traffic.entries.push_back({rank, rank + 1, 10'000});
  }
  traffic.normalise();
  const CommGraph dense(traffic);
  EXPECT_TRUE(would_help(dense, 4, 1));
  EXPECT_FALSE(would_help(dense, 4, 0.08));
}

// Ranks in a ring that exchange little, but for pairs of them that exchange nearly everything.
CommGraph pairs_in_a_ring(Rank ranks, Bytes of_pairs) {
  Traffic traffic{.ranks = ranks, .entries = {}, .metadata = {}};
  for (Rank rank = 0; rank < ranks; ++rank) {
    traffic.entries.push_back({rank, (rank + 7) % ranks, 10});
    if (rank < ranks / 2) traffic.entries.push_back({rank, rank + ranks / 2, of_pairs});
  }
  traffic.normalise();
  return CommGraph(traffic);
}

bool is_called_for(const CommGraph& graph, double seconds, bool scattered = false) {
  return group_is_called_for(TaskOnATorus(graph, seconds, scattered).get());
}

TEST(Group, IsCalledForWhereFewPairsCarryMostAndThereAreManyNodes) {
  // Of 10 + 10 + 31 bytes of a rank 31 are the strongest partner's.
  EXPECT_TRUE(is_called_for(pairs_in_a_ring(2048, 31), 1));
  EXPECT_FALSE(is_called_for(pairs_in_a_ring(2048, 29), 1));
  EXPECT_FALSE(is_called_for(pairs_in_a_ring(2048, 31), 0.001)) << "no time to cut";
  EXPECT_FALSE(is_called_for(pairs_in_a_ring(1024, 31), 1)) << "few nodes";
  EXPECT_FALSE(is_called_for(test::neighbours_in_space(2048, 12), 1));
  // A grid is laid as one, whatever its weights.
  Traffic grid = test::shuffled_grid({32, 64}, {true, true}, 10, 3);
  for (std::size_t i = 0; i < grid.entries.size(); i += 4) grid.entries[i].value = 1'000'000;
  const CommGraph uneven(grid);
  EXPECT_GT(share_of_strongest(uneven), 0.6);
  EXPECT_FALSE(is_called_for(uneven, 1));
}

TEST(Group, IsCalledForWhereTilesAreAllThatIsKnownInTime) {
  constexpr double seconds = 0.01;  // cutting takes that
  constexpr bool scattered = true;
  const CommGraph grid(test::shuffled_grid({16, 16, 8}, {true, true, true}, 10, 3));
  EXPECT_TRUE(is_called_for(grid, seconds, scattered));
  EXPECT_FALSE(is_called_for(grid, 10 * seconds, scattered)) << "time to draw it";
  EXPECT_FALSE(is_called_for(grid, seconds)) << "it can be folded";
  EXPECT_FALSE(is_called_for(test::neighbours_in_space(2048, 12), seconds, scattered));
}

// Nothing else knows what to do with these.
TEST(Group, IsCalledForWhereAGridHasGaps) {
  for (const Rank ranks : {512 + 128, 2048 + 128}) {
    const CommGraph gaps(test::recursive_doubling(ranks, 10));
    for (const double seconds : {0.01, 1.0}) EXPECT_TRUE(is_called_for(gaps, seconds));
  }
  EXPECT_FALSE(is_called_for(CommGraph(test::recursive_doubling(2048, 10)), 1));
}

bool leads_no_further(const CommGraph& graph, bool scattered = false) {
  return group_leads_no_further(TaskOnATorus(graph, 0.1, scattered).get());
}

TEST(Group, LeadsNoFurtherThanADrawingOnFewNodes) {
  EXPECT_TRUE(leads_no_further(test::neighbours_in_space(2048, 12))) << "256 groups";
  EXPECT_FALSE(leads_no_further(test::neighbours_in_space(2176, 12)));
  EXPECT_FALSE(leads_no_further(test::neighbours_in_space(2048, 12), true)) << "scattered";
  EXPECT_FALSE(leads_no_further(pairs_in_a_ring(2048, 31))) << "heavy tails";
  EXPECT_FALSE(leads_no_further(CommGraph(test::shuffled_grid({32, 64}, {true, true}, 10, 3))))
      << "tiles";
}

bool beats_a_drawing(const CommGraph& graph, double seconds, bool scattered) {
  return group_beats_a_drawing(TaskOnATorus(graph, seconds, scattered).get());
}

TEST(Group, BeatsADrawingOnScatteredNodesWhereThereIsTimeToPlaceManyGroups) {
  constexpr bool scattered = true;
  const CommGraph space = test::neighbours_in_space(4096, 12);
  EXPECT_TRUE(beats_a_drawing(space, 0.26, scattered)) << "512 groups";
  EXPECT_FALSE(beats_a_drawing(space, 0.25, scattered));
  EXPECT_FALSE(beats_a_drawing(space, 0.26, false));
  const CommGraph grid(test::shuffled_grid({16, 16, 16}, {true, true, true}, 10, 3));
  EXPECT_FALSE(beats_a_drawing(grid, 0.26, scattered)) << "tiles are placed beside it";
  EXPECT_FALSE(beats_a_drawing(test::neighbours_in_space(2048, 12), 0.26, scattered))
      << "few groups are placed in no time, beside it";
}

// Tiles need not be cut, but groups are to be placed.
TEST(Group, WouldHelpWhereAGridHasTiles) {
  const CommGraph grid(test::shuffled_grid({16, 16, 8}, {true, true, true}, 10, 3));
  EXPECT_TRUE(would_help(grid, 1.5, 1));
  EXPECT_FALSE(would_help(grid, 1, 1)) << "half of the pairs";
  EXPECT_TRUE(would_help(grid, 3, 0.001));
  EXPECT_FALSE(would_help(grid, 1.5, 0.001));
}

// What stays within nodes where there is no time to cut.
Bytes within_in_a_hurry(const CommGraph& graph) {
  TaskOnATorus task(graph, 0.001);
  const Mapping mapping = find_entry(mapper_registry(), "group")->map(task.get());
  Bytes within = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const auto& [partner, bytes, sent] : graph.partners(rank))
      within += mapping[partner] == mapping[rank] ? bytes : 0;
  }
  return within / 2;
}

// However long it would take to cut such a grid, its tiles are the answer and not a drawing.
TEST(Group, OfAGridAreItsTilesInAHurry) {
  const CommGraph grid(test::shuffled_grid({16, 16, 8}, {true, true, true}, 10, 3));
  EXPECT_EQ(within_in_a_hurry(grid), grid.total_bytes() / 2) << "tiles of 2x2x2";
  const Rank ranks = 2048 + 128;
  const CommGraph gaps(test::recursive_doubling(ranks, 10));
  EXPECT_EQ(within_in_a_hurry(gaps), 3 * (ranks / 2) * 10) << "the first three steps of each";
}

// Off grids of nodes as well, where fold has no say.
TEST(Group, TilesOfAGridFillNodes) {
  std::string text =
      "[topology]\nkind = \"fat-tree\"\ndown = [8, 8]\nup = [1, 4]\nnodes = \"n[0-63]\"\n";
  const auto tree = parse_topology(text, "tree.toml");
  const CommGraph graph(test::shuffled_grid({16, 16, 16}, {true, true, true}, 10, 3));
  const Placement placement = group(graph, *tree, std::vector(64, 64U));
  // A quarter of the pairs leaves a node, and half of these a switch.
  EXPECT_EQ(placement.chosen.hop_bytes, graph.total_bytes() / 4 * 3);
}

// In the work of 0.1 s, on the first nodes of a torus.
Placement in_a_hurry(const CommGraph& graph, const test::Machine& machine, Node nodes) {
  const auto torus = test::torus_of(machine);
  Allocation allocation;
  for (Node node = 0; node < nodes; ++node) allocation.push_back({node, machine.slots});
  PlaceOptions options = test::options_with_work(0.04);
  options.objective = parse_objective("hop-bytes");
  options.mapper = "group";
  return place(graph, *torus, {}, allocation, options);
}

// 32 ranks by 44 in tiles of 4 by 2 are 8 tiles by 22, and 22 rows of nodes have 8 each. Tiles of 2
// by 4, 16 by 11 of them, cut a little less and lie worse.
TEST(Group, TilesLieWellOnTheMachineInAHurryToo) {
  const Placement placement = in_a_hurry(CommGraph(test::plane(32, 44)), {"8, 8, 8", 512, 8}, 176);
  const double between = 7 * 44 + 21 * 32;  // pairs of neighbours in different tiles
  EXPECT_EQ(placement.chosen.hop_bytes, 100 * between);
}

// An allgather by recursive doubling, which sends the most in its last steps. Tiles of 24 of these
// ranks, a grid of 2x2x...x2 with gaps, leave 2.3 times what is left if it is cut.
TEST(Group, CutsBesideTilesThatLeaveMuch) {
  Traffic traffic = test::recursive_doubling(1680, 1);
  for (TrafficEntry& entry : traffic.entries) entry.value = entry.sender ^ entry.receiver;
  const Placement placement = in_a_hurry(CommGraph(traffic), {"10, 10", 100, 24}, 70);
  EXPECT_LT(placement.chosen.average_hops_per_byte, 0.2);
}

// Teams of 8 where nodes have 8 slots or 16: two teams share the larger nodes.
TEST(Group, SeveralGroupsShareALargeNode) {
  std::vector<unsigned> slots(12, 8U);
  for (const std::size_t large : {1, 4, 5, 9}) slots[large] = 16;
  const Placement placement = group(ring_of_teams(16, 8), *ring(12), slots);
  EXPECT_LE(placement.chosen.hop_bytes, 16 * 10);
}

// On a tree of 4,096 nodes with 16 slots each, with the work of 5 s.
bool is_candidate_on_a_tree(const Mapper& mapper, const CommGraph& graph) {
  const auto tree = parse_topology(
      "[topology]\nkind = \"fat-tree\"\ndown = [16, 16, 16]\nup = [1, 16, 16]\n"
      "nodes = \"n[0-4095]\"\n",
      "tree.toml");
  Allocation allocation;
  for (Node node = 0; node < tree->nodes(); ++node) allocation.push_back({node, 16});
  const OutageMap none;
  const PlaceOptions options;
  Trace trace(options);
  MappingTask task =
      test::task_of(graph, *tree, none, allocation, trace, parse_objective("hop-bytes"));
  task.seconds = 2;
  return mapper.candidate(task);
}

// There is no time for two ways to cut so many ranks: what has no tiles is left to multisect.
TEST(Group, OfVeryManyRanksOnTreesAreTiles) {
  constexpr Rank ranks = 65'536;
  const Mapper& groups = *find_entry(mapper_registry(), "group");
  const Mapper& cuts = *find_entry(mapper_registry(), "multisect");
  const CommGraph grid(test::plane(256, 256));
  EXPECT_TRUE(is_candidate_on_a_tree(groups, grid));
  const CommGraph none(test::random_traffic(ranks, 2));
  EXPECT_FALSE(is_candidate_on_a_tree(groups, none));
  EXPECT_TRUE(is_candidate_on_a_tree(cuts, none));
}

// 5 teams of 6 on nodes of 8 slots: 4 nodes hold them, and 4 more stay free.
TEST(Group, UsesNoMoreNodesThanRanksFill) {
  const Placement placement = group(ring_of_teams(5, 6), *ring(8), std::vector(8, 8U));
  EXPECT_LE(placement.chosen.nodes_used, 4U);
}

// A slot that something else has taken on every other node: groups of 7 and 8.
TEST(Group, NodesNeedNotBeAlike) {
  std::vector<unsigned> slots;
  Rank ranks = 0;
  for (unsigned i = 0; i < 16; ++i) {
    slots.push_back(i % 2 == 0 ? 8 : 7);
    ranks += slots.back();
  }
  const Placement placement = group(CommGraph::neighbours_in_rank_order(ranks), *ring(16), slots);
  EXPECT_LE(placement.chosen_cost, 3 * placement.linear_cost);
  std::map<Node, unsigned> used;
  for (const Node node : placement.mapping) ++used[node];
  for (Node node = 0; node < 16; ++node) EXPECT_EQ(used[node], slots[node]);
}

// How groups lie gets as much time as the search when there is little: with a quarter of
// that, 1.71.
TEST(Group, PlacesGroupsWellInLittleTime) {
  const auto torus = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [8, 8, 8]\nnodes = \"n[0-511]\"\n", "torus.toml");
  const Placement placement =
      group(test::neighbours_in_space(2048, 12), *torus, std::vector(512, 4U), 0.04);
  EXPECT_LT(placement.chosen.average_hops_per_byte, 1.64);
}

TEST(Group, IsListOrderWhereNodesHaveOneSlot) {
  const Placement placement = group(ring_of_teams(4, 4), *ring(16), std::vector(16, 1U));
  EXPECT_EQ(placement.mapping, placement.by_default);
}

RC_GTEST_PROP(GroupProperty, RespectsSlotsOnAnyNetworkAndIsTheSameAgain, ()) {
  const auto topology = test::any_network();
  Allocation allocation;
  std::uint64_t room = 0;
  for (Node node = 0; node < topology->nodes(); ++node) {
    allocation.push_back({node, *rc::gen::element(1U, 2U, 4U, 6U, 8U)});
    room += allocation.back().slots;
  }
  Traffic traffic;
  traffic.ranks = *rc::gen::inRange<Rank>(1, static_cast<Rank>(room) + 1);
  for (int i = *rc::gen::inRange(0, 60); i > 0; --i) {
    traffic.entries.push_back(
        {*rc::gen::inRange<Rank>(0, traffic.ranks), *rc::gen::inRange<Rank>(0, traffic.ranks), 5});
  }
  traffic.normalise();
  const CommGraph graph(traffic);
  PlaceOptions options = test::options_with_work(0.002);
  options.mapper = "group";
  const Placement placement = place(graph, *topology, {}, allocation, options);
  std::map<Node, unsigned> used;
  for (const Node node : placement.mapping) ++used[node];
  for (const auto& [node, slots] : allocation) RC_ASSERT(used[node] <= slots);
  RC_ASSERT(placement.mapping == place(graph, *topology, {}, allocation, options).mapping);
}

// Planes of any extents, and grids with gaps, whose last group may have some seats to spare.
RC_GTEST_PROP(GroupProperty, RespectsSlotsWhereRanksFormAGrid, ()) {
  const auto rows = *rc::gen::inRange(3U, 30U);
  const auto columns = *rc::gen::inRange(3U, 30U);
  const bool gaps = *rc::gen::arbitrary<bool>();
  const Traffic traffic = gaps ? test::recursive_doubling(rows * columns, 10)
                               : test::shuffled_grid({rows, columns}, {false, false}, 10, rows);
  const CommGraph graph(traffic);
  const auto slots = *rc::gen::inRange(4U, 13U);
  const unsigned nodes = (graph.ranks() + slots - 1) / slots + *rc::gen::inRange(0U, 3U);
  const auto torus = ring(nodes);
  const Placement placement = group(graph, *torus, std::vector(nodes, slots), 0.002);
  std::map<Node, unsigned> used;
  for (const Node node : placement.mapping) ++used[node];
  for (const auto& [node, ranks] : used) RC_ASSERT(ranks <= slots);
  RC_ASSERT(placement.mapping.size() == graph.ranks());
}

}  // namespace
}  // namespace tofa
