// SPDX-License-Identifier: BSD-3-Clause
// The course of time: who starts when and where, by Slurm's rules, on machines small enough to work
// it out by hand.
#include "tofa/replay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tofa/error.hpp"
#include "tofa/replay_metrics.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;

// Two leaf switches of four nodes each.
constexpr const char* kTwoLeaves =
    "SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\nSwitchName=top Switches=a,b\n";

LoggedJob job_of(double submit, unsigned nodes, double run, double limit = 0) {
  LoggedJob job;
  job.submit = submit;
  job.ranks = nodes;
  job.nodes = nodes;
  job.run_seconds = run;
  job.limit_seconds = limit > 0 ? limit : run;
  return job;
}

std::vector<std::uint32_t> starts_of(const Replay& replay) {
  std::vector<std::uint32_t> jobs;
  for (const JobRun& run : replay.runs) jobs.push_back(run.job);
  return jobs;
}

class Replayed : public testing::Test {
 protected:
  Replay run(std::vector<LoggedJob> jobs, const char* policy = "slurm") {
    workload_.jobs = std::move(jobs);
    for (std::size_t i = 0; i < workload_.jobs.size(); ++i)
      workload_.jobs[i].id = std::to_string(i);
    JobTraffic traffic({}, 0.5, 1);
    return replay(workload_, *topology_, outages_, traffic, find_policy(policy), options_);
  }

  std::unique_ptr<Topology> topology_ = parse_slurm_topology(kTwoLeaves, "topology.conf");
  OutageMap outages_;
  Workload workload_;
  ReplayOptions options_;
};

TEST_F(Replayed, JobsWaitForTheirNodes) {
  const Replay replay = run({job_of(0, 6, 100), job_of(1, 4, 10), job_of(2, 2, 50)});
  EXPECT_EQ(replay.last_run(0).start, 0);
  EXPECT_EQ(replay.last_run(1).start, 100);
  EXPECT_EQ(replay.last_run(2).end, replay.last_run(2).start + 50);
  // The last one fits beside the first, but only backfill, half a minute after the time before,
  // looks at it.
  EXPECT_EQ(replay.last_run(2).start, 30);
  EXPECT_TRUE(replay.jobs[2].backfilled);
  EXPECT_THAT(starts_of(replay), ElementsAre(0, 2, 1));
}

TEST_F(Replayed, BackfillDelaysNobodyAhead) {
  // The third would hold nodes that the second is to have at 100.
  const Replay replay = run({job_of(0, 6, 100), job_of(1, 8, 10), job_of(2, 2, 90)});
  EXPECT_EQ(replay.last_run(1).start, 100);
  EXPECT_EQ(replay.last_run(2).start, 110);
}

TEST_F(Replayed, LimitsAndNotRunTimesAreWhatBackfillKnows) {
  // By its limit the third could still run at 100, though it would be done.
  const Replay replay = run({job_of(0, 6, 100), job_of(1, 8, 10), job_of(2, 2, 20, 200)});
  EXPECT_EQ(replay.last_run(2).start, 110);
}

TEST_F(Replayed, BackfillLooksAtSoManyJobsOnly) {
  options_.limits.depth = 1;
  const Replay replay = run({job_of(0, 6, 100), job_of(1, 8, 10), job_of(2, 2, 50)});
  EXPECT_EQ(replay.last_run(2).start, 110);
}

TEST_F(Replayed, TheFullestLeafThatSufficesIsTaken) {
  const Replay replay =
      run({job_of(0, 2, 100), job_of(1, 2, 100), job_of(2, 3, 100), job_of(3, 1, 100)});
  EXPECT_THAT(replay.last_run(0).nodes, ElementsAre(0, 1));
  EXPECT_THAT(replay.last_run(1).nodes, ElementsAre(2, 3));
  EXPECT_THAT(replay.last_run(2).nodes, ElementsAre(4, 5, 6));
  EXPECT_THAT(replay.last_run(3).nodes, ElementsAre(7));
}

TEST_F(Replayed, JobsOfFewRanksShareANode) {
  options_.cores_per_node = 4;
  LoggedJob small = job_of(0, 1, 100);
  small.ranks = 2;
  const Replay replay = run({small, small, small});
  EXPECT_THAT(replay.last_run(1).nodes, ElementsAre(0));
  EXPECT_THAT(replay.last_run(2).nodes, ElementsAre(1));
}

TEST_F(Replayed, PriorityGoesFirst) {
  LoggedJob urgent = job_of(2, 8, 10);
  urgent.priority = 7;
  const Replay replay = run({job_of(0, 8, 100), job_of(1, 8, 10), urgent});
  EXPECT_THAT(starts_of(replay), ElementsAre(0, 2, 1));
}

TEST_F(Replayed, AJobThatAsksForTooMuchIsNamed) {
  EXPECT_THROW(run({job_of(0, 9, 1)}), Error);
  EXPECT_TRUE(fitting_workload(workload_, *topology_, outages_, 1).jobs.empty());
}

TEST_F(Replayed, JobsThatNeedADeadNodeAreLeftOut) {
  outages_ = OutageMap({{.host = "n0", .probability = 1}}, *topology_);
  workload_.jobs = {job_of(0, 8, 1), job_of(0, 7, 1)};
  const Workload fitting = fitting_workload(workload_, *topology_, outages_, 1);
  ASSERT_EQ(fitting.jobs.size(), 1U);
  EXPECT_EQ(fitting.left_out, 1U);
  EXPECT_THAT(run(fitting.jobs).last_run(0).nodes, ElementsAre(1, 2, 3, 4, 5, 6, 7));
}

// They stand on the machine's nodes, and only a node list that names them uses them.
TEST_F(Replayed, VirtualHostsGetNothing) {
  for (const char* machine :
       {"kind = \"tree\"\n[[switch]]\nname = \"a\"\nnodes = \"n[0-3]\"\n[[switch]]\nname = \"b\"\n"
        "nodes = \"n[4-7]\"\n[[switch]]\nname = \"top\"\nswitches = \"a,b\"\n",
        "kind = \"torus\"\nshape = [8]\nnodes = \"n[0-7]\"\n"}) {
    topology_ = parse_topology(
        std::string("[topology]\n") + machine + "[[host]]\nname = \"vm[1-4]\"\non = \"n6\"\n", "t");
    ASSERT_EQ(topology_->nodes(), 12U);
    EXPECT_EQ(machine_nodes(*topology_), 8U);
    workload_.jobs = {job_of(0, 9, 100)};
    EXPECT_TRUE(fitting_workload(workload_, *topology_, outages_, 1).jobs.empty());
    EXPECT_THROW(run({job_of(0, 9, 100)}), Error);
    for (const std::string& policy : policy_names()) {
      const Replay replay = run({job_of(0, 4, 100), job_of(1, 8, 100)}, policy.c_str());
      for (const JobRun& run : replay.runs)
        for (const Node node : run.nodes) EXPECT_LT(node, 8U) << policy;
      EXPECT_EQ(replay.last_run(1).start, replay.last_run(0).end) << policy;
    }
    const Replay replay = run({job_of(0, 4, 100), job_of(1, 8, 100)});
    EXPECT_DOUBLE_EQ(measure(workload_, *topology_, replay, 1).utilisation, 0.75);
    // Four nodes are idle together, whatever stands on them.
    EXPECT_EQ(replay.fragmentation, 0);
  }
}

TEST_F(Replayed, DeadNodesGetNothing) {
  outages_ = OutageMap({{.host = "n0", .probability = 1}}, *topology_);
  const Replay replay = run({job_of(0, 4, 10)});
  EXPECT_THAT(replay.last_run(0).nodes, ElementsAre(4, 5, 6, 7));
}

TEST_F(Replayed, RunsThatAbortAreRunAgain) {
  OutageList list;
  for (Node node = 0; node < topology_->nodes(); ++node)
    list.push_back({.host = topology_->name(node), .probability = 0.3});
  outages_ = OutageMap(list, *topology_);
  std::vector<LoggedJob> jobs(40, job_of(0, 2, 10));
  const Replay first = run(jobs);
  const ReplayMetrics metrics = measure(workload_, *topology_, first, 1);
  // Each run aborts with probability 0.51.
  EXPECT_GT(metrics.aborts, 15U);
  EXPECT_LT(metrics.aborts, 90U);
  EXPECT_GT(metrics.lost_core_hours, 0);
  EXPECT_EQ(first.runs.size(), 40 + metrics.aborts);
  EXPECT_EQ(starts_of(run(jobs)), starts_of(first));
}

// Each of two jobs needs the whole machine, and aborts again and again.
TEST_F(Replayed, EveryRunIsKept) {
  OutageList list;
  for (Node node = 0; node < topology_->nodes(); ++node)
    list.push_back({.host = topology_->name(node), .probability = 0.2});
  outages_ = OutageMap(list, *topology_);
  const Replay replay = run({job_of(0, 8, 100), job_of(0, 8, 100)});
  ASSERT_GT(replay.runs.size(), 4U);
  double idle = 0;
  double last_end = 0;
  std::vector<double> ran(2, 0);
  for (const JobRun& run : replay.runs) {
    // One after the other, on all nodes: no run is told as a later one of the same job.
    EXPECT_GE(run.start, last_end);
    EXPECT_EQ(run.end, run.start + run.run_seconds);
    EXPECT_EQ(run.nodes.size(), 8U);
    EXPECT_EQ(run.aborted, &run != &replay.last_run(run.job));
    EXPECT_EQ(run.run_seconds < 100, run.aborted);
    idle += run.start - last_end;
    last_end = run.end;
    ran[run.job] += run.run_seconds;
  }
  const ReplayMetrics metrics = measure(workload_, *topology_, replay, 1);
  EXPECT_EQ(metrics.aborts + 2, replay.runs.size());
  EXPECT_NEAR(metrics.utilisation, 1 - idle / metrics.makespan, 1e-9);
  EXPECT_GT(metrics.utilisation, 0.8);
  // In the queue is whoever does not run.
  EXPECT_NEAR(metrics.mean_wait,
              (replay.last_run(0).end - ran[0] + replay.last_run(1).end - ran[1]) / 2, 1e-9);
  EXPECT_EQ(metrics.mean_run, 100);
  EXPECT_NEAR(metrics.mean_flow,
              metrics.mean_wait + metrics.mean_run + metrics.lost_core_hours * 3600 / 8 / 2, 1e-9);
}

TEST_F(Replayed, WithoutSwitchesTheShortestRunThatSufficesIsTaken) {
  topology_ =
      parse_topology("[topology]\nkind = \"torus\"\nshape = [8]\nnodes = \"n[0-7]\"\n", "t");
  const Replay replay = run({job_of(0, 2, 100), job_of(0, 2, 10), job_of(0, 1, 100),
                             job_of(20, 3, 10), job_of(21, 2, 10)});
  EXPECT_THAT(replay.last_run(3).nodes, ElementsAre(5, 6, 7));
  EXPECT_THAT(replay.last_run(4).nodes, ElementsAre(2, 3));
}

TEST_F(Replayed, FiguresAddUp) {
  const Replay replay = run({job_of(0, 8, 100), job_of(0, 4, 100)});
  const ReplayMetrics metrics = measure(workload_, *topology_, replay, 1);
  EXPECT_EQ(metrics.jobs, 2U);
  EXPECT_EQ(metrics.makespan, 200);
  EXPECT_DOUBLE_EQ(metrics.utilisation, 0.75);
  EXPECT_EQ(metrics.mean_flow, 150);
  EXPECT_EQ(metrics.mean_wait, 50);
  EXPECT_DOUBLE_EQ(metrics.mean_stretch, 1.5);
  EXPECT_DOUBLE_EQ(metrics.weighted_stretch, (800 + 2 * 400) / 1200.0);
  EXPECT_EQ(metrics.leaves_per_job, 1);
  const PairedComparison same = compare_flow(workload_, replay, replay);
  EXPECT_EQ(same.mean_difference, 0);
  EXPECT_EQ(same.ratio, 1);
  // What only communicates, within nodes, takes no time at all.
  Replay none = replay;
  for (JobRun& job : none.runs) job.run_seconds = 0;
  EXPECT_EQ(compare_run(none, none).ratio, 1);
  EXPECT_GT(compare_run(replay, none).ratio, 1);
  EXPECT_TRUE(std::isfinite(compare_run(replay, none).ratio));
}

TEST_F(Replayed, TheWarmUpFillsTheMachineAndIsNotCounted) {
  options_.warm_up_seconds = 10;
  const Replay replay = run({job_of(0, 8, 100), job_of(20, 8, 100)});
  const ReplayMetrics metrics = measure(workload_, *topology_, replay, 1);
  EXPECT_EQ(metrics.jobs, 1U);
  EXPECT_EQ(metrics.makespan, 180);
  EXPECT_DOUBLE_EQ(metrics.utilisation, 1);
}

}  // namespace
}  // namespace tofa
