// SPDX-License-Identifier: BSD-3-Clause
// The planner: slots, applications, and the properties that every plan has.
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>

#include "job.hpp"
#include "tofa/file_io.hpp"

namespace tofa::planner::planner_test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Planner : public PlannerTest {};

TEST_F(Planner, WithoutAnythingNeighboursShareNodes) {
  const Plan plan = Job::on(4, 2, 6).with("report", "1").plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  EXPECT_THAT(nodes_of(plan), ElementsAre(0, 0, 1, 1, 2, 2));
  EXPECT_THAT(warnings_of(plan), IsEmpty());
  EXPECT_THAT(text(plan->report),
              HasSubstr("ranks are taken to talk to their neighbours in rank order"));
  EXPECT_THAT(text(plan->report),
              HasSubstr("all nodes are taken to be equally far from each other"));
  EXPECT_THAT(text(plan->report), HasSubstr("no node is taken to be suspect"));
}

TEST_F(Planner, NoReportUnlessAskedFor) {
  EXPECT_EQ(Job::on(2, 1, 2).plan()->report, nullptr);
}

TEST_F(Planner, TheSiteHasALineWhereItAsksForOne) {
  const std::string log = write("log", "");
  ASSERT_EQ(Job::on(4, 2, 6).with("log", log).plan()->error, nullptr);
  EXPECT_THAT(read_file(log), HasSubstr(" outcome=placed "));
  EXPECT_THAT(read_file(log), HasSubstr(" ranks=6 "));
  const Plan plan = Job::on(4, 2, 6).with("report", "1").with("log", log + "/none").plan();
  ASSERT_EQ(plan->error, nullptr);
  EXPECT_THAT(text(plan->report), HasSubstr("no line in the site's log"));
}

TEST_F(Planner, NodesWithoutRanksAreExcluded) {
  const Plan plan = Job::on(4, 2, 4).plan();
  ASSERT_EQ(plan->error, nullptr);
  EXPECT_FALSE(plan->excluded[0] || plan->excluded[1]);
  EXPECT_TRUE(plan->excluded[2] && plan->excluded[3]);
}

TEST_F(Planner, ForASpawningJobOnlySuspectNodesAreExcluded) {
  const Plan plan =
      Job::on(4, 2, 4).with("spawn", "1").with("outages", write("o", "fk03 0.5\n")).plan();
  ASSERT_EQ(plan->error, nullptr);
  EXPECT_FALSE(plan->excluded[0] || plan->excluded[1] || plan->excluded[2]);
  EXPECT_TRUE(plan->excluded[3]);
}

TEST_F(Planner, TooFewSlotsIsAnErrorThatCountsThem) {
  const Plan plan = Job::on(2, 2, 5).plan();
  EXPECT_THAT(text(plan->error),
              HasSubstr("5 ranks need as many slots, but the 2 nodes of the allocation have 4"));
  EXPECT_THAT(text(plan->error), HasSubstr("fk00:2, fk01:2"));
  EXPECT_THAT(text(plan->error), HasSubstr("--oversubscribe"));
  EXPECT_EQ(plan->node_of_rank, nullptr);
}

TEST_F(Planner, OversubscriptionIsSpreadEvenly) {
  Job job = Job::on(3, 1, 7);
  job.oversubscribe = true;
  const Plan plan = job.plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  const auto nodes = nodes_of(plan);
  for (const unsigned node : {0u, 1u, 2u}) {
    EXPECT_GE(std::count(nodes.begin(), nodes.end(), node), 2);
    EXPECT_LE(std::count(nodes.begin(), nodes.end(), node), 3);
  }
}

TEST_F(Planner, OversubscriptionKeepsToTheHardLimit) {
  Job job = Job::on(2, 1, 5);
  job.oversubscribe = true;
  job.slots_max = {2, 0};
  const auto nodes = nodes_of(job.plan());
  EXPECT_EQ(std::count(nodes.begin(), nodes.end(), 0u), 2);
  job.slots_max = {2, 2};
  EXPECT_THAT(text(job.plan()->error), HasSubstr("max_slots"));
}

TEST_F(Planner, SeveralCpusPerRankTakeSeveralSlots) {
  Job job = Job::on(4, 4, 6);
  job.cpus_per_rank = 2;
  EXPECT_THAT(nodes_of(job.plan()), ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST_F(Planner, SlotsThatOnlyCountRanksStillDoForSeveralCpusPerRank) {
  Job job = Job::on(2, 2, 4);  // as many slots as ranks: they cannot stand for CPUs
  job.cpus_per_rank = 2;
  EXPECT_THAT(nodes_of(job.plan()), ElementsAre(0, 0, 1, 1));
  job = Job::on(3, 1, 3);
  job.cpus_per_rank = 4;
  EXPECT_THAT(nodes_of(job.plan()), ElementsAre(0, 1, 2));
}

TEST_F(Planner, ApplicationsOnTheSameNodesArePlacedTogether) {
  Job job = Job::on(4, 2, 0);
  job.ranks = {3, 4};
  EXPECT_THAT(nodes_of(job.plan()), ElementsAre(0, 0, 1, 1, 2, 2, 3));
}

TEST_F(Planner, ApplicationsKeepToTheirOwnNodes) {
  Job job = Job::on(3, 2, 0);
  job.ranks = {2, 2};
  job.app_nodes = {{0, 1, 2}, {0}};
  const auto nodes = nodes_of(job.plan());
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_NE(nodes[0], 0u);
  EXPECT_NE(nodes[1], 0u);
  EXPECT_EQ(nodes[2], 0u);
  EXPECT_EQ(nodes[3], 0u);
}

TEST_F(Planner, ApplicationsOnTheirOwnNodesAvoidSuspectOnes) {
  Job job = Job::on(4, 2, 0);
  job.ranks = {2, 2};
  job.app_nodes = {{0, 1}, {2, 3}};
  job.with("outages", write("o", "fk00 1\nfk02 1\n"));
  EXPECT_THAT(nodes_of(job.plan()), ElementsAre(1, 1, 3, 3));
}

TEST_F(Planner, AJobWithoutRanksIsAnError) {
  EXPECT_THAT(text(Job::on(2, 1, 0).plan()->error), HasSubstr("no ranks"));
}

TEST_F(Planner, AWrongSettingIsAnError) {
  EXPECT_THAT(text(Job::on(2, 1, 2).with("mapper", "best").plan()->error), HasSubstr("known are"));
}

// Whatever the allocation: every rank has a node its application may use, and no node has more
// ranks than slots.
TEST_F(Planner, PropertySlotsAndHostsAreRespected) {
  const std::string outages = write("o", "fk01 1\nfk02 0.1\n");
  EXPECT_TRUE(rc::check([&] {
    Job job = Job::on(*rc::gen::inRange<std::size_t>(1, 6), 0, 0);
    for (unsigned& slots : job.slots) slots = *rc::gen::inRange(0u, 4u);
    job.ranks = *rc::gen::container<std::vector<unsigned>>(2, rc::gen::inRange(1u, 5u));
    for (std::size_t app = 0; app < job.ranks.size(); ++app) {
      std::vector<unsigned> nodes;
      for (unsigned node = 0; node < job.names.size(); ++node)
        if (*rc::gen::inRange(0, 3) > 0) nodes.push_back(node);
      job.app_nodes.push_back(nodes);
    }
    job.with("outages", outages).with("mapper", "linear");
    const Plan plan = job.plan();
    if (plan->error != nullptr) {
      RC_ASSERT(plan->node_of_rank == nullptr);
      return;
    }
    const auto nodes = nodes_of(plan);
    RC_ASSERT(nodes.size() == std::accumulate(job.ranks.begin(), job.ranks.end(), std::size_t{0}));
    for (unsigned node = 0; node < job.names.size(); ++node)
      RC_ASSERT(static_cast<unsigned>(std::count(nodes.begin(), nodes.end(), node)) <=
                job.slots[node]);
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      const auto& allowed = job.app_nodes[rank < job.ranks[0] ? 0 : 1];
      RC_ASSERT(std::find(allowed.begin(), allowed.end(), nodes[rank]) != allowed.end());
    }
  }));
}

std::string with_fpga() {
  return "[topology]\nkind = \"flat\"\nnodes = \"fk[00-03]\"\n"
         "[[attributes]]\nnodes = \"fk[02-03]\"\ngres = { fpga = 1 }\n";
}

TEST_F(Planner, RanksGetTheResourcesTheyNeed) {
  const std::string topology = write("t.toml", with_fpga());
  const Plan named = Job::on(4, 2, 4).with("topology", topology).with("gres", "fpga:0+3").plan();
  ASSERT_EQ(named->error, nullptr) << named->error;
  const auto nodes = nodes_of(named);
  EXPECT_GE(nodes[0], 2u);
  EXPECT_GE(nodes[3], 2u);
  EXPECT_NE(nodes[0], nodes[3]);
  const Plan any = Job::on(4, 2, 4).with("topology", topology).with("gres", "fpga=2").plan();
  ASSERT_EQ(any->error, nullptr) << any->error;
  EXPECT_THAT(nodes_of(any), ::testing::IsSupersetOf({2u, 3u}));
}

TEST_F(Planner, ApplicationsOnTheirOwnNodesCountRanksOfTheJob) {
  Job job = Job::on(4, 2, 0).with("topology", write("t.toml", with_fpga())).with("gres", "fpga:3");
  job.ranks = {2, 2};
  job.app_nodes = {{0, 1}, {1, 2}};
  const Plan plan = job.plan();
  ASSERT_EQ(plan->error, nullptr) << plan->error;
  EXPECT_EQ(nodes_of(plan)[3], 2u);
  job.settings.back().second = "fpga=1";
  EXPECT_THAT(text(job.plan()->error), HasSubstr("name them, as in gres=fpga:0-3"));
}

TEST_F(Planner, ResourcesThatAreNotThereAreAnError) {
  Job job = Job::on(4, 2, 4).with("topology", write("t.toml", with_fpga()));
  EXPECT_THAT(text(Job(job).with("gres", "fpga:0-2").plan()->error),
              HasSubstr("room for 2 of them (fk02: 1, fk03: 1)"));
  EXPECT_THAT(text(Job(job).with("gres", "gpu:0").plan()->error),
              HasSubstr("no node of the topology has any (known: fpga)"));
  char* wrong = tofa_check_setting("gres", "fpga");
  EXPECT_THAT(text(wrong), HasSubstr("name ranks, as in fpga:0-3,8"));
  free(wrong);
}

}  // namespace
}  // namespace tofa::planner::planner_test
