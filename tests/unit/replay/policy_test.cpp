// SPDX-License-Identifier: BSD-3-Clause
// Policies: which nodes each of them gives a job whose traffic is known, and that it pays.
#include "replay/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tofa/error.hpp"
#include "tofa/replay_metrics.hpp"

namespace tofa {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Lt;

// Four leaf switches of four nodes, in two halves.
constexpr const char* kFourLeaves =
    "SwitchName=a Nodes=n[00-03]\nSwitchName=b Nodes=n[04-07]\nSwitchName=c Nodes=n[08-11]\n"
    "SwitchName=d Nodes=n[12-15]\nSwitchName=ab Switches=a,b\nSwitchName=cd Switches=c,d\n"
    "SwitchName=top Switches=ab,cd\n";

// Of the job that came last.
const JobRun& last_of(const Replay& replay) {
  return replay.last_run(replay.jobs.size() - 1);
}

class Policies : public testing::Test {
 protected:
  Policies() {
    // Three runs of other jobs, of which the first two end soon: there are gaps then.
    for (const unsigned nodes : {2U, 3U, 1U}) add(0, nodes, nodes == 1 ? 1000 : 10);
  }

  void add(double submit, unsigned nodes, double run, const char* program = "none") {
    LoggedJob job;
    job.id = std::to_string(workload_.jobs.size());
    job.name = program;
    job.submit = submit;
    job.ranks = nodes;
    job.nodes = nodes;
    job.run_seconds = job.limit_seconds = run;
    workload_.jobs.push_back(job);
  }

  Replay run(const char* policy, double communication = 0.5) {
    TrafficRule halo{.name = "halo", .profile = {}, .traffic_class = "halo-2d"};
    TrafficRule pairs{.name = "pairs", .profile = {}, .traffic_class = "pairs"};
    JobTraffic traffic({halo, pairs}, communication, 1);
    return replay(workload_, *topology_, outages_, traffic, find_policy(policy), {});
  }

  std::unique_ptr<Topology> topology_ = parse_slurm_topology(kFourLeaves, "topology.conf");
  OutageMap outages_;
  Workload workload_;
};

TEST_F(Policies, AreKnownByName) {
  EXPECT_THAT(policy_names(),
              ElementsAre("slurm", "reorder", "compact", "subtree", "whole", "fault-aware"));
  EXPECT_THROW(find_policy("slrum"), Error);
}

TEST_F(Policies, RunTimesFollowHopBytes) {
  add(20, 12, 100, "pairs");
  for (const char* policy : {"reorder", "compact", "subtree", "whole"}) {
    const Replay replay = run(policy, 0.4);
    const JobRun& job = last_of(replay);
    EXPECT_LT(job.ratio, 1) << policy;
    EXPECT_DOUBLE_EQ(job.run_seconds, (1 + 0.4 * job.ratio - 0.4) * 100) << policy;
  }
  EXPECT_EQ(last_of(run("slurm")).run_seconds, 100);
}

TEST_F(Policies, ReorderKeepsSlurmsNodes) {
  add(20, 6, 100, "pairs");
  EXPECT_EQ(last_of(run("reorder")).nodes, last_of(run("slurm")).nodes);
}

TEST_F(Policies, NothingKnownIsNothingGained) {
  add(20, 6, 100);
  for (const std::string& policy : policy_names())
    EXPECT_EQ(last_of(run(policy.c_str())).run_seconds, 100) << policy;
}

TEST_F(Policies, SubtreeTakesTheFirstPartThatSuffices) {
  // One node of the second leaf is taken.
  add(20, 3, 100, "halo");
  EXPECT_THAT(last_of(run("subtree")).nodes, Each(Lt(4U)));
  EXPECT_THAT(last_of(run("slurm")).nodes, ElementsAre(4, 5, 6));
}

// On any machine and for any traffic, whatever else is there.
TEST_F(Policies, CompactIsNeverWorseThanSlurm) {
  for (int i = 0; i < 40; ++i) {
    add(20 + 7 * i, 2 + i * 5 % 9, 30 + i * 11 % 50, i % 3 == 0 ? "halo" : "pairs");
  }
  for (const char* file :
       {kFourLeaves, "[topology]\nkind = \"torus\"\nshape = [4, 4]\nnodes = \"n[00-15]\"\n"}) {
    topology_ = parse_topology(file, "t");
    for (const char* policy : {"reorder", "compact"}) {
      const Replay replay = run(policy);
      for (const JobRun& job : replay.runs) EXPECT_LE(job.ratio, 1) << policy;
      EXPECT_LT(measure(workload_, *topology_, replay, 1).mean_ratio, 0.99) << policy;
      for (std::size_t i = 0; i < replay.jobs.size(); ++i) {
        const auto& nodes = replay.last_run(i).nodes;
        EXPECT_EQ(std::set<Node>(nodes.begin(), nodes.end()).size(), workload_.jobs[i].nodes);
      }
    }
  }
}

TEST_F(Policies, NoNodeHasTwoJobsAtATime) {
  for (int i = 0; i < 60; ++i) add(3 * i, 1 + i * 5 % 9, 30 + i * 11 % 50, "pairs");
  for (const std::string& policy : policy_names()) {
    const Replay replay = run(policy.c_str());
    for (std::size_t i = 0; i < replay.jobs.size(); ++i) {
      const JobRun& one = replay.last_run(i);
      EXPECT_GE(one.start, workload_.jobs[i].submit);
      for (std::size_t j = 0; j < i; ++j) {
        const JobRun& other = replay.last_run(j);
        if (one.end <= other.start || other.end <= one.start) continue;
        std::vector<Node> both;
        std::set_intersection(one.nodes.begin(), one.nodes.end(), other.nodes.begin(),
                              other.nodes.end(), std::back_inserter(both));
        EXPECT_TRUE(both.empty()) << policy << " " << i << " " << j;
      }
    }
  }
}

// The clock ticks once for each look at it.
TEST_F(Policies, ChoicesAreTimedByTheClockThatIsGiven) {
  for (int i = 0; i < 3; ++i) add(20 + i, 4, 1000, "halo");
  add(30, 3, 1000);  // of nothing known
  add(31, 1, 1000, "halo");
  TrafficRule halo{.name = "halo", .profile = {}, .traffic_class = "halo-2d"};
  const auto times_of = [&](const char* policy, bool timed) {
    double now = 0;
    const auto clock = [&now] { return ++now; };
    JobTraffic traffic({halo}, 0.5, 1);
    if (timed) traffic.set_clock(clock);
    ReplayOptions options;
    if (timed) options.clock = clock;
    return choice_times(
        workload_, replay(workload_, *topology_, outages_, traffic, find_policy(policy), options));
  };
  for (const char* policy : {"subtree", "whole"}) {
    const std::vector<ChoiceTimes> times = times_of(policy, true);
    ASSERT_EQ(times.size(), 1U) << policy;
    EXPECT_EQ(times[0].ranks, 4U);
    EXPECT_EQ(times[0].jobs, 3U);
    EXPECT_EQ(times[0].mean_seconds, 2) << "its choice, and the groups, which were made once";
    EXPECT_EQ(times[0].most_seconds, 2);
    EXPECT_TRUE(times_of(policy, false).empty());
  }
  EXPECT_TRUE(times_of("slurm", true).empty());
}

TEST_F(Policies, FaultAwareAvoidsSuspects) {
  add(20, 4, 100, "halo");
  add(21, 1, 100);
  outages_ = OutageMap({{.host = "n00", .probability = 0.2}, {.host = "n08", .probability = 0.2}},
                       *topology_);
  const auto suspects = [this](const char* policy) {
    double probability = 0;
    const Replay replay = run(policy);
    for (std::size_t i = 3; i < replay.jobs.size(); ++i)
      probability += replay.last_run(i).abort_probability;
    return probability;
  };
  EXPECT_EQ(suspects("fault-aware"), 0);
  EXPECT_GT(suspects("compact"), 0);
}

TEST_F(Policies, SameInputSameReplay) {
  for (int i = 0; i < 40; ++i) add(5 * i, 2 + i * 5 % 9, 30 + i * 11 % 50, "pairs");
  const Replay first = run("compact");
  const Replay second = run("compact");
  ASSERT_EQ(first.runs.size(), second.runs.size());
  for (std::size_t i = 0; i < first.runs.size(); ++i) {
    EXPECT_EQ(first.runs[i].job, second.runs[i].job);
    EXPECT_EQ(first.runs[i].end, second.runs[i].end);
    EXPECT_EQ(first.runs[i].nodes, second.runs[i].nodes);
  }
}

}  // namespace
}  // namespace tofa
