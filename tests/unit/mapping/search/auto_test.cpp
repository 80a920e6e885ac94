// SPDX-License-Identifier: BSD-3-Clause
// How long `auto` searches, longer where its candidates know little; and what from.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "support/any_grid_task.hpp"
#include "support/grid_traffic.hpp"
#include "support/in_rows.hpp"
#include "support/neighbours_in_space.hpp"
#include "support/placed_on_torus.hpp"
#include "support/random_traffic.hpp"
#include "support/ring_job.hpp"
#include "tofa/place.hpp"
#include "tofa/topology.hpp"

namespace tofa::auto_test {
namespace {

// On a torus, with so much work and so much more for what is hard.
Placement placed(const CommGraph& graph, const std::string& shape, const PlannedWork& work,
                 const char* objective, const std::string& outages = "") {
  const auto torus = parse_topology(
      fmt::format("[topology]\nkind = \"torus\"\nshape = [{}]\nnodes = \"n[0-{}]\"\n", shape,
                  graph.ranks() - 1),
      "torus.toml");
  Allocation allocation;
  for (Node node = 0; node < torus->nodes(); ++node) allocation.push_back({node, 1});
  PlaceOptions options;
  options.objective = parse_objective(objective);
  options.work = work;
  options.time_limit_seconds = 600;
  return place(graph, *torus, OutageMap(parse_outages(outages, "outages"), *torus), allocation,
               options);
}

double cost(const CommGraph& graph, const PlannedWork& work) {
  return placed(graph, "8, 8, 8", work, "hop-bytes").chosen_cost;
}

TEST(Auto, SearchesLongerWhereNoCandidateKnowsTheShape) {
  const CommGraph graph(test::random_traffic(512, 3));
  const double briefly = cost(graph, {0.1});
  EXPECT_LT(cost(graph, {0.1, 0.2}), briefly);
}

TEST(Auto, SearchesNoLongerWhereOneDoes) {
  const CommGraph graph = test::neighbours_in_space(512, 12);
  const double briefly = cost(graph, {0.1});
  EXPECT_EQ(cost(graph, {0.1, 0.2}), briefly);
}

// Of two seeds on average, in planned work.
double mean_hops(const CommGraph& graph, const test::Machine& machine) {
  double sum = 0;
  for (const std::uint64_t seed : {1, 2})
    sum += test::placed(graph, machine, "auto", seed).chosen.average_hops_per_byte;
  return sum / 2;
}

// Of ranks on large nodes those at the borders pay, and how hot a search begins goes by these:
// 0.156 hops per byte. If it went by what ranks pay on average, it would be 0.165.
TEST(Auto, MeltsTheBordersOfLargeNodes) {
  const CommGraph graph = test::neighbours_in_a_plane(2400, 6);
  EXPECT_LT(mean_hops(graph, {"10, 10", 100, 24}), 0.161);
}

// A ring of rings in any order; pairs within these carry a hundred times as much as others.
CommGraph heavy_rings(Rank rings, Rank length) {
  std::vector<Rank> label = test::labels_in_order({rings, length});
  RandomSource(1).shuffle(label);
  Traffic traffic;
  traffic.ranks = rings * length;
  for (Rank i = 0; i < traffic.ranks; ++i) {
    const Rank ring = i / length * length;
    traffic.entries.push_back({label[i], label[ring + (i + 1) % length], 1000});
    traffic.entries.push_back({label[i], label[(i + length) % traffic.ranks], 10});
  }
  return CommGraph(traffic);
}

// Where light pairs stir, heavy ones may melt: how hot that is is tried, and 0.436 hops per byte
// are left. By what ranks pay alone it would be 0.460.
TEST(Auto, KeepsHeavyRingsBesideEachOther) {
  EXPECT_LT(mean_hops(heavy_rings(30, 67), {"8, 8, 11", 704, 3}), 0.45);
}

// What SCOTCH cuts and the box that is cheapest end at 1.42 hops per byte for most seeds.
TEST(Auto, GoesOnFromTheShapeThatLeadsFurthest) {
  const CommGraph graph = test::rings_and_halves(28, 18);
  EXPECT_LT(placed(graph, "6, 6, 14", {0.4}, "hop-bytes").chosen.average_hops_per_byte, 1.36);
}

// Nor does it matter that all nodes may fail, if one as soon as the other.
TEST(Auto, GoesOnFromItWhereLoadsCount) {
  const CommGraph graph = test::rings_and_halves(28, 18);
  std::string alike;
  for (Rank node = 0; node < graph.ranks(); ++node) alike += fmt::format("n{} 0.0001\n", node);
  for (const std::string& outages : {std::string(), alike}) {
    const Placement found = placed(graph, "6, 6, 14", {0.4}, "completion-time", outages);
    EXPECT_LT(found.chosen.average_hops_per_byte, outages.empty() ? 1.5 : 1.42) << outages.size();
  }
}

// Rows are folded so that ways are as short as can be, and moves do not leave that. What grows from
// cuts leaves the busiest link a tenth less.
TEST(Auto, LeavesAFoldThatIsFrozenWhereLinksAreBusy) {
  const CommGraph graph(test::in_rows({16, 32}, 1, 100));
  const Placement found = placed(graph, "8, 8, 8", {0.1}, "completion-time");
  EXPECT_LT(found.chosen.max_link_load, 3400);  // 3550 from the fold
}

// What SCOTCH cuts has links that are less busy, what is drawn has shorter ways; and links are soon
// relieved. From the cuts 2.63 hops per byte are left, and the time is a twentieth longer.
TEST(Auto, GoesOnFromShortWaysWhereLoadsCount) {
  const CommGraph graph = test::neighbours_in_space(1100, 12);
  const Placement found = placed(graph, "10, 10, 11", {0.1}, "completion-time");
  EXPECT_LT(found.chosen.average_hops_per_byte, 2.5);
  EXPECT_LT(found.chosen_cost, 3520);
}

// What is remembered, and what people are told, depends on whether the clock cut anything.
TEST(Auto, SaysThatTheClockLeftNoTimeToSearchAmongVeryMany) {
  const auto is_short_of_time = [](Rank ranks, double seconds_left) {
    constexpr Node nodes = 50;
    test::RingJob job(nodes, ranks / nodes, CommGraph::neighbours_in_rank_order(ranks));
    MappingTask task = job.task();
    task.seconds = seconds_left > 1 ? 0.001 : 100;
    task.deadline = Deadline(seconds_left);
    Mapping apart;
    for (Rank rank = 0; rank < ranks; ++rank) apart.push_back(rank % nodes);
    task.trace.begin(evaluate_distances(task.graph, task.topology, task.outages, apart), true);
    search_from(task, apart, "linear");
    return task.deadline.passed() || task.trace.hurried();
  };
  EXPECT_TRUE(is_short_of_time(200'000, 0.2));
  EXPECT_FALSE(is_short_of_time(200'000, 600)) << "nothing is planned";
  EXPECT_FALSE(is_short_of_time(1000, 600));
}

RC_GTEST_PROP(SearchFromProperty, IsNoWorseThanWhereItBegins, ()) {
  const test::AnyGridTask any;
  MappingTask task = any.task();
  task.seconds = 0.0005;
  const Mapping start = linear_mapping(task.allocation, task.graph.ranks());
  task.trace.begin(evaluate_distances(task.graph, task.topology, task.outages, start), true);
  const MapperAnswer answer = search_from(task, start, "linear");
  RC_ASSERT(hop_bytes_of(task.graph, task.topology, answer.mapping) <=
            hop_bytes_of(task.graph, task.topology, start));
}

}  // namespace
}  // namespace tofa::auto_test
