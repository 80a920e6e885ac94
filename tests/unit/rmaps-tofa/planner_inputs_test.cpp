// SPDX-License-Identifier: BSD-3-Clause
// What a plan is based on, and what becomes of it when a source fails: a warning and the best that
// is left, or, with `strict`, an error. A topology that was asked for and lacks a node is always an
// error.
#include <algorithm>

#include "job.hpp"
#include "tofa/health_snapshot.hpp"

namespace tofa::planner::planner_inputs_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kTorus[] = "[topology]\nkind = \"torus\"\nshape = [6]\nnodes = \"fk[00-05]\"\n";
constexpr double kNow = 1.7e9;
// Rank i talks to rank i + 3 only.
constexpr char kPairs[] =
    "%%MatrixMarket matrix coordinate integer general\n6 6 3\n1 4 1000\n2 5 1000\n3 6 1000\n";

class PlannerInputs : public PlannerTest {
 protected:
  // The job starts with one warning that has `expected` in it; under `strict` the same is an error.
  void expect_degraded(Job job, const std::string& expected) {
    const Plan plan = job.plan();
    ASSERT_EQ(plan->error, nullptr) << plan->error;
    EXPECT_EQ(plan->ranks, job.ranks[0]);
    EXPECT_THAT(warnings_of(plan), ElementsAre(HasSubstr(expected)));
    const Plan strict = job.with("strict", "1").plan();
    EXPECT_THAT(text(strict->error), AllOf(HasSubstr(expected), HasSubstr("strict")));
    EXPECT_EQ(strict->node_of_rank, nullptr);
  }

  std::string health_program(const std::string& answer) { return program("query", answer); }
};

// A script that prints what tofa-query does.
std::string answer(const std::vector<SnapshotHost>& hosts) {
  return "echo '" + format_snapshot({kNow, 1, hosts, {}}) + "'";
}

TEST_F(PlannerInputs, PartnersShareNodes) {
  const Plan plan = Job::on(6, 2, 6).with("graph", write("app.bytes.mtx", kPairs)).plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  const auto nodes = nodes_of(plan);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(nodes[rank], nodes[rank + 3]);
}

TEST_F(PlannerInputs, GraphByItsStem) {
  write("app.bytes.mtx", kPairs);
  const Plan plan = Job::on(6, 2, 6).with("graph", folder_ / "app").with("report", "1").plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  EXPECT_THAT(warnings_of(plan), IsEmpty());
  EXPECT_THAT(text(plan->report), HasSubstr("3 pairs"));
}

TEST_F(PlannerInputs, MissingGraph) {
  expect_degraded(Job::on(4, 2, 4).with("graph", folder_ / "none"), "none");
}

TEST_F(PlannerInputs, MalformedGraph) {
  expect_degraded(
      Job::on(4, 2, 4).with("graph", write("bad.mtx", "%%MatrixMarket nonsense\n1 2 3\n")),
      "bad.mtx");
}

TEST_F(PlannerInputs, GraphOfFewerRanks) {
  expect_degraded(Job::on(6, 2, 8).with("graph", write("app.mtx", kPairs)),
                  "describes 6 ranks, the job has 8");
}

TEST_F(PlannerInputs, GraphOfMoreRanks) {
  expect_degraded(Job::on(6, 2, 4).with("graph", write("app.mtx", kPairs)),
                  "describes 6 ranks, the job has 4");
}

TEST_F(PlannerInputs, SuspectNodesAreAvoidedAndReported) {
  const Plan plan = Job::on(6, 2, 8)
                        .with("topology", write("t.toml", kTorus))
                        .with("outages", write("o", "fk01 1\nfk02 0.25\n"))
                        .with("report", "1")
                        .plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  EXPECT_THAT(nodes_of(plan), AllOf(Not(::testing::Contains(1u)), Not(::testing::Contains(2u))));
  EXPECT_TRUE(plan->excluded[1] && plan->excluded[2]);
  EXPECT_THAT(text(plan->report), HasSubstr("fk01 (p = 1), fk02 (p = 0.25)"));
  EXPECT_THAT(text(plan->report), HasSubstr("torus"));
}

TEST_F(PlannerInputs, SuspectNodesAreUsedWhenThereIsNoOther) {
  const Plan plan = Job::on(3, 2, 6)
                        .with("outages", write("o", "fk00 1\nfk01 1\nfk02 1\n"))
                        .with("report", "1")
                        .plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  EXPECT_EQ(plan->ranks, 6u);
  EXPECT_THAT(text(plan->report), HasSubstr("suspect but in use"));
  EXPECT_THAT(text(plan->report), HasSubstr("the other nodes have 0 slots for 6 ranks"));
}

TEST_F(PlannerInputs, LinksThatOthersUseAreAvoidedAndReported) {
  const Plan plan = Job::on(6, 1, 2)
                        .with("topology", write("t.toml", kTorus))
                        .with("link_load", write("load", "fk00 fk01 90%\nfk01 fk00 90%\n"))
                        .with("report", "1")
                        .plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  EXPECT_THAT(warnings_of(plan), IsEmpty());
  EXPECT_THAT(nodes_of(plan), Not(::testing::UnorderedElementsAre(0u, 1u)));
  EXPECT_THAT(text(plan->report), HasSubstr("load of 2 links from "));
}

TEST_F(PlannerInputs, MissingOrMalformedLinkLoad) {
  expect_degraded(Job::on(4, 2, 4).with("link_load", folder_ / "none"), "none");
  expect_degraded(Job::on(4, 2, 4).with("link_load", write("load", "fk00 fk01 much\n")),
                  "load:1: ");
}

TEST_F(PlannerInputs, MissingOutages) {
  expect_degraded(Job::on(4, 2, 4).with("outages", folder_ / "none"), "none");
}

TEST_F(PlannerInputs, TopologyThatCannotBeRead) {
  expect_degraded(Job::on(4, 2, 4).with("topology", folder_ / "none.toml"), "none.toml");
  expect_degraded(Job::on(4, 2, 4).with("topology", write("bad.toml", "[topology\n")),
                  "bad.toml:1");
}

TEST_F(PlannerInputs, TopologyThatWasAskedForMustHaveAllNodes) {
  const Plan plan = Job::on(8, 2, 4).with("topology", write("t.toml", kTorus)).plan();
  EXPECT_THAT(text(plan->error),
              AllOf(HasSubstr("t.toml: lacks nodes \"fk06\", \"fk07\" of the allocation"),
                    HasSubstr("[[node]]"), HasSubstr("topology=FILE")));
}

TEST_F(PlannerInputs, DefaultTopologyThatDoesNotFitIsAWarning) {
  ::setenv("TOFA_TOPOLOGY", write("t.toml", kTorus).c_str(), 1);
  expect_degraded(Job::on(8, 2, 4), "lacks nodes");
  ::setenv("TOFA_TOPOLOGY", (folder_ / "none.toml").c_str(), 1);
  expect_degraded(Job::on(4, 2, 4), "none.toml");
}

TEST_F(PlannerInputs, DefaultTopologyIsUsedAndAnEmptyValueDeclinesIt) {
  ::setenv("TOFA_TOPOLOGY", write("t.toml", kTorus).c_str(), 1);
  EXPECT_THAT(text(Job::on(4, 2, 4).with("report", "1").plan()->report), HasSubstr("torus"));
  EXPECT_THAT(text(Job::on(4, 2, 4).with("report", "1").with("topology", "").plan()->report),
              Not(HasSubstr("torus")));
}

TEST_F(PlannerInputs, SlurmsTopologyIsUsedInItsJobsOnly) {
  ::setenv("SLURM_TOPOLOGY",
           write("topology.conf",
                 "SwitchName=s0 Nodes=fk[00-03]\nSwitchName=s1 Nodes=fk[04-05]\nSwitchName=top "
                 "Switches=s[0-1]\n")
               .c_str(),
           1);
  EXPECT_THAT(text(Job::on(4, 2, 4).with("report", "1").plan()->report), HasSubstr("equally far"));
  ::setenv("SLURM_JOB_ID", "1", 1);
  EXPECT_THAT(text(Job::on(4, 2, 4).with("report", "1").plan()->report),
              AllOf(HasSubstr("topology.conf"), HasSubstr("tree")));
  expect_degraded(Job::on(8, 2, 4), "topology.conf: lacks nodes");
}

TEST_F(PlannerInputs, MalformedSiteFile) {
  ::setenv("TOFA_SITE_FILE", write("site.toml", "topology = [\n").c_str(), 1);
  expect_degraded(Job::on(4, 2, 4), "site.toml");
}

TEST_F(PlannerInputs, HealthServiceNamesSuspectNodes) {
  const Plan plan =
      Job::on(4, 2, 4)
          .with("health", "127.0.0.1:1")
          .with("query_program",
                health_program(answer({{"fk00", 1, kNow - 2}, {"fk01", 0, kNow - 2}})))
          .plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  EXPECT_THAT(warnings_of(plan), IsEmpty());
  EXPECT_THAT(nodes_of(plan), Not(::testing::Contains(0u)));
}

// fk00 fails once in two hours, but is up.
const std::string kRates =
    answer({{"fk00", 0, kNow - 2, true, 0.5}, {"fk01", 0, kNow - 2, true, 0}});

TEST_F(PlannerInputs, HorizonMakesNodesThatFailOftenSuspect) {
  const auto report = [this](const std::string& horizon) {
    Job job = Job::on(4, 2, 4).with("health", "127.0.0.1:1").with("report", "1");
    if (horizon != "none") job.with("horizon", horizon);
    return text(job.with("query_program", health_program(kRates)).plan()->report);
  };
  EXPECT_THAT(report("none"), Not(HasSubstr("p = ")));
  EXPECT_THAT(report("1h"),
              AllOf(HasSubstr("for a job of up to 3600 s"), HasSubstr("fk00 (p = 0.393469)")));
  EXPECT_THAT(report("1"), Not(HasSubstr("p = "))) << "too unlikely within a second";
}

TEST_F(PlannerInputs, HorizonIsWhatIsLeftOfTheSlurmJob) {
  const std::string path = std::getenv("PATH");
  const Job job = Job::on(4, 2, 4)
                      .with("health", "127.0.0.1:1")
                      .with("report", "1")
                      .with("query_program", health_program(kRates));
  program("squeue", "test \"$*\" = \"--noheader --format=%A %L --jobs=77\" && echo 77 1:00:00");
  ::setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
  EXPECT_THAT(text(job.plan()->report), Not(HasSubstr("for a job of up to"))) << "not in a job";
  ::setenv("SLURM_JOB_ID", "77", 1);
  EXPECT_THAT(text(job.plan()->report), HasSubstr("for a job of up to 3600 s"));
  EXPECT_THAT(text(Job(job).with("horizon", "60").plan()->report), HasSubstr("of up to 60 s"));
  EXPECT_THAT(text(Job(job).with("horizon", "0").plan()->report), Not(HasSubstr("of up to")));
  for (const char* failure : {"exit 1", "exec sleep 60", "echo 77 UNLIMITED"}) {
    program("squeue", failure);
    const Plan plan = job.plan();
    EXPECT_THAT(text(plan->report), Not(HasSubstr("of up to"))) << failure;
    EXPECT_THAT(warnings_of(plan), IsEmpty()) << failure;
  }
  ::setenv("PATH", path.c_str(), 1);
}

TEST_F(PlannerInputs, WorstEstimateCounts) {
  const Plan plan = Job::on(3, 2, 4)
                        .with("outages", write("o", "fk00 0.5\n"))
                        .with("health", "127.0.0.1:1")
                        .with("query_program", health_program(answer({{"fk00", 0, kNow - 2}})))
                        .plan();
  EXPECT_THAT(nodes_of(plan), Not(::testing::Contains(0u)));
}

TEST_F(PlannerInputs, HealthServiceThatFails) {
  const auto job = [this](const std::string& script) {
    return Job::on(4, 2, 4)
        .with("health", "127.0.0.1:1")
        .with("query_program", health_program(script));
  };
  expect_degraded(job("exit 3"), "health service at 127.0.0.1:1");
  expect_degraded(job("echo rubbish; echo END"), "health service at 127.0.0.1:1");
  expect_degraded(job("echo fk00 1 2"), "health service at 127.0.0.1:1");
  expect_degraded(job("exec sleep 60"), "health service at 127.0.0.1:1");
  expect_degraded(job(answer({{"fk00", 1, kNow - 100000}})), "health service at 127.0.0.1:1");
  expect_degraded(job(answer({{"elsewhere", 1, kNow - 2}})), "about other hosts");
  expect_degraded(job(answer({})), "about other hosts");
}

TEST_F(PlannerInputs, HealthProgramThatIsMissing) {
  expect_degraded(
      Job::on(4, 2, 4).with("health", "127.0.0.1:1").with("query_program", folder_ / "none"),
      "none");
}

TEST_F(PlannerInputs, SourceThatWasAskedForReplacesDefaults) {
  ::setenv("TOFA_OUTAGES", write("defaults", "fk00 1\n").c_str(), 1);
  EXPECT_THAT(nodes_of(Job::on(4, 2, 4).plan()), Not(::testing::Contains(0u)));
  EXPECT_THAT(nodes_of(Job::on(4, 2, 4).with("outages", "").plan()), ::testing::Contains(0u));
}

}  // namespace
}  // namespace tofa::planner::planner_inputs_test
