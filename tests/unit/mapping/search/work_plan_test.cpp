// SPDX-License-Identifier: BSD-3-Clause
// How much is searched: of very many ranks nothing, unless each gets some moves.
#include "mapping/search/work_plan.hpp"

#include <gtest/gtest.h>

#include "support/ring_job.hpp"

namespace tofa::work_plan_test {
namespace {

bool searches(Rank ranks, double seconds) {
  test::RingJob job(50, ranks / 50, CommGraph::neighbours_in_rank_order(ranks));
  MappingTask task = job.task();
  task.seconds = seconds;
  return is_worth_searching(task, plan_work(task));
}

TEST(WorkPlan, SearchesAmongManyRanksOnlyWithMovesForEach) {
  EXPECT_TRUE(searches(1000, 1e-3));
  EXPECT_TRUE(searches(100'000, 0.1));
  EXPECT_FALSE(searches(400'000, 1));
  EXPECT_TRUE(searches(400'000, 100));
}

// Their tables take longer than to cut the search short.
TEST(WorkPlan, SearchesAmongManyRanksOnlyWhereTheClockLeavesTime) {
  const auto has_time = [](Rank ranks, double seconds_left, double share) {
    test::RingJob job(50, ranks / 50, CommGraph::neighbours_in_rank_order(ranks));
    MappingTask task = job.task();
    task.seconds = 100;
    task.deadline = Deadline(seconds_left);
    return has_time_to_search(task, plan_work(task), share);
  };
  EXPECT_TRUE(has_time(400'000, 500, 1));
  EXPECT_FALSE(has_time(400'000, 500, 1e-3));
  EXPECT_FALSE(has_time(400'000, 0.5, 1));
  EXPECT_TRUE(has_time(1000, 0.5, 1));
}

// Of a job with a rank on each of 50 nodes in a ring.
WorkPlan plan_of_ring(const char* objective, double seconds, double spent = 0) {
  const auto ring = parse_topology(
      "[topology]\nkind = \"torus\"\nshape = [50]\nnodes = \"n[0-49]\"\n", "ring.toml");
  const CommGraph graph = CommGraph::neighbours_in_rank_order(50);
  Allocation allocation;
  for (Node node = 0; node < 50; ++node) allocation.push_back({node, 1});
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap none;
  MappingTask task =
      test::task_of(graph, *ring, none, allocation, trace, parse_objective(objective));
  task.seconds = seconds;
  return plan_work(task, spent);
}

// As when candidates were given all of the time twice.
TEST(WorkPlan, IsNoneWhereNoTimeIsLeft) {
  EXPECT_EQ(plan_of_ring("completion-time", 1, 2).descent, 0U);
  EXPECT_EQ(plan_of_ring("completion-time", 1, 2).load_tries, 0U);
}

// On four times the nodes a rank has to be moved four times as often.
TEST(WorkPlan, TakesMoreMovesForAsManyWhereThereAreMoreNodes) {
  const auto of_a_rank = [](Rank nodes) {
    test::RingJob job(nodes, 2, CommGraph::neighbours_in_rank_order(2 * nodes));
    return moves_of_a_rank(job.task(), 1000.0 * 2 * nodes);
  };
  EXPECT_DOUBLE_EQ(of_a_rank(64), 1000);
  EXPECT_DOUBLE_EQ(of_a_rank(512), 1000);
  EXPECT_DOUBLE_EQ(of_a_rank(2048), 250);
}

// What the default took tells how long pairs take; to write comes on top.
TEST(WorkPlan, KeepsTimeToCloseByWhatTheDefaultTook) {
  test::RingJob job(50, 200, CommGraph::neighbours_in_rank_order(10'000));
  const MappingTask task = job.task();
  const auto closing = [&task](double of_default) {
    return closing_seconds(task.graph, task.topology, of_default);
  };
  EXPECT_GT(closing(1e-5), 2e-5);
  EXPECT_LT(closing(1e-5), closing(1e-4));
  EXPECT_LT(closing(1e-4), closing(1));
  EXPECT_DOUBLE_EQ(closing(1), closing(10));
}

// The most moves of a rank with which two lanes work on one arrangement.
double most_together(Rank ranks) {
  test::RingJob job(64, ranks / 64, CommGraph::neighbours_in_rank_order(ranks));
  MappingTask task = job.task();
  double most = 0;
  for (task.seconds = 1e-3; task.seconds < 10; task.seconds *= 1.02) {
    const WorkPlan plan = plan_work(task);
    if (plan.together) most = static_cast<double>(plan.annealing) / ranks;
  }
  return most;
}

TEST(WorkPlan, KeepsTwoLanesTogetherForLongerAmongManyRanks) {
  EXPECT_GT(most_together(2048), 15'000);
  EXPECT_LE(most_together(2048), 20'000);
  EXPECT_LE(most_together(64), 3000);
}

TEST(WorkPlan, MeasuresNothingInAHurry) {
  EXPECT_EQ(plan_of_ring("hop-bytes", 1e-4).measuring, 0U);
  EXPECT_GE(plan_of_ring("hop-bytes", 1).measuring, 50 * 30U);
  EXPECT_GT(plan_of_ring("completion-time", 1e-4).measuring, 0U) << "loads go by it";
}

TEST(WorkPlan, AnnealsOnLoadsWhereTheyCountAndThereIsTime) {
  EXPECT_GT(plan_of_ring("completion-time", 1).load_tries, 0U);
  EXPECT_GT(plan_of_ring("congestion", 1).load_tries, 0U);
  EXPECT_EQ(plan_of_ring("hop-bytes", 1).load_tries, 0U);
  EXPECT_EQ(plan_of_ring("pair-cost", 1).load_tries, 0U);
  EXPECT_GT(plan_of_ring("pair-cost", 1).descent, 0U);
  EXPECT_EQ(plan_of_ring("completion-time", 2e-5).load_tries, 0U) << "less than some of each rank";
}

// Of a rank on each node of a machine, in so many seconds.
std::uint64_t load_tries_on(const Topology& topology, double seconds) {
  const CommGraph graph = CommGraph::neighbours_in_rank_order(topology.nodes());
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) allocation.push_back({node, 1});
  const PlaceOptions options;
  Trace trace(options);
  const OutageMap none;
  MappingTask task =
      test::task_of(graph, topology, none, allocation, trace, parse_objective("completion-time"));
  task.seconds = seconds;
  return plan_work(task).load_tries;
}

TEST(WorkPlan, PlansFewerTriesOnLoadsWhereRoutesAreWalked) {
  const auto flat = [](unsigned nodes) {
    std::vector<std::string> names;
    for (unsigned i = 0; i < nodes; ++i) names.push_back("n" + std::to_string(i));
    return make_flat_topology(names);
  };
  const auto torus = [](unsigned side) {
    const std::string extent = std::to_string(side);
    return parse_topology("[topology]\nkind = \"torus\"\nshape = [" + extent + ", " + extent +
                              ", " + extent + "]\nnodes = \"n[0-" +
                              std::to_string(side * side * side - 1) + "]\"\n",
                          "torus.toml");
  };
  constexpr double brief = 0.05;
  EXPECT_GT(load_tries_on(*flat(1024), brief), 0U);
  EXPECT_GT(load_tries_on(*flat(1025), brief), 0U) << "they are walked every time";
  EXPECT_GT(load_tries_on(*torus(11), brief), 0U) << "a grid's are runs, however many nodes";
  EXPECT_LT(3 * load_tries_on(*flat(1025), 1), 2 * load_tries_on(*flat(1024), 1));
}

// A try takes many times as long there.
TEST(WorkPlan, DoesNotAnnealOnLoadsWhereWaysAreLongOrLinksDiffer) {
  const auto on = [](const std::string& kind) {
    return parse_topology("[topology]\n" + kind + "nodes = \"n[0-1087]\"\n", "machine.toml");
  };
  EXPECT_EQ(load_tries_on(*on("kind = \"torus\"\nshape = [1088]\n"), 1), 0U);
  const auto tree = on("kind = \"fat-tree\"\ndown = [16, 68]\nup = [1, 4]\n");
  EXPECT_GT(load_tries_on(*tree, 1), 0U);
  LinkUse use;
  use.bytes_per_second.assign(tree->links(), 0);
  use.bytes_per_second[0] = kAssumedBandwidth / 2;
  weigh_links(*tree, use, {});
  EXPECT_EQ(load_tries_on(*tree, 1), 0U);
}

TEST(WorkPlan, SparesMoreForTheHardWithinTwoFifthsOfTheLimit) {
  const CommGraph graph = CommGraph::neighbours_in_rank_order(500);
  PlaceOptions options;
  options.time_limit_seconds = 100;
  options.limit_was_given = true;
  const PlannedWork ample = planned_work(graph, options);
  EXPECT_GT(ample.seconds, 0);
  EXPECT_EQ(ample.spare, ample.seconds);
  options.time_limit_seconds = 1.5 * ample.seconds / 0.4;
  const PlannedWork scarce = planned_work(graph, options);
  EXPECT_EQ(scarce.seconds, ample.seconds);
  EXPECT_DOUBLE_EQ(scarce.spare, 0.5 * ample.seconds);
  options.time_limit_seconds = 0.1 * ample.seconds;
  EXPECT_EQ(planned_work(graph, options).spare, 0);
  options.time_limit_seconds = 100;
  options.effort = Effort::thorough;
  EXPECT_EQ(planned_work(graph, options).spare, 0);
}

TEST(WorkPlan, AGivenLimitIsForMoreMovesUpToTwiceTheWork) {
  const CommGraph graph = CommGraph::neighbours_in_rank_order(512);
  PlaceOptions options;
  options.limit_was_given = true;
  options.time_limit_seconds = 100;
  const PlannedWork ample = planned_work(graph, options);
  EXPECT_DOUBLE_EQ(ample.more, ample.seconds);
  // Of what is short, candidates and the like take a part.
  options.time_limit_seconds = 0.05;
  const PlannedWork brief = planned_work(graph, options);
  EXPECT_DOUBLE_EQ(brief.seconds, 0.02);
  EXPECT_DOUBLE_EQ(brief.more, 0.005);
  options.time_limit_seconds = 0.2;
  const PlannedWork scarce = planned_work(graph, options);
  EXPECT_DOUBLE_EQ(scarce.seconds, 0.08);
  EXPECT_DOUBLE_EQ(scarce.more, 0.06);
  options.effort = Effort::thorough;
  options.time_limit_seconds = 100;
  EXPECT_EQ(planned_work(graph, options).more, 0) << "it is all that can be had anyway";
  options.time_limit_seconds = 0.2;
  const PlannedWork thorough = planned_work(graph, options);
  EXPECT_EQ(thorough.seconds + thorough.more, scarce.seconds + scarce.more);
  options.limit_was_given = false;
  EXPECT_EQ(planned_work(graph, options).more, 0);
}

TEST(WorkPlan, OfUpTo512RanksSparesNothingUnlessALimitIsGiven) {
  const PlaceOptions options;
  const auto spare = [&options](Rank ranks) {
    return planned_work(CommGraph::neighbours_in_rank_order(ranks), options).spare;
  };
  EXPECT_EQ(spare(12), 0);
  EXPECT_EQ(spare(512), 0);
  EXPECT_GT(spare(768), 0);
  EXPECT_LT(spare(768), spare(1024));
  PlaceOptions patient;
  patient.limit_was_given = true;
  EXPECT_GT(planned_work(CommGraph::neighbours_in_rank_order(512), patient).spare, 0);
}

}  // namespace
}  // namespace tofa::work_plan_test
