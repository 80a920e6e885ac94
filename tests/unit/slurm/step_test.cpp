// SPDX-License-Identifier: BSD-3-Clause
// What a step and a job ask for, and what Slurm's answers and settings mean.
#include "step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "settings.hpp"
#include "tofa/error.hpp"

namespace tofa::spank::step_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SrunCommand parse(const std::string& line) {
  std::istringstream words("srun " + line);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return parse_srun_command(list);
}

// An allocation of n0, n1, n2 with 2, 2 and 4 processors.
Environment allocation(const Environment& more = {}) {
  Environment environment = {{"SLURM_JOB_ID", "7"},
                             {"SLURM_JOB_NODELIST", "n[0-2]"},
                             {"SLURM_JOB_CPUS_PER_NODE", "2(x2),4"},
                             {"SLURM_JOB_NUM_NODES", "3"}};
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

Step describe(const std::string& line, const Environment& more = {}) {
  return describe_step(parse(line + " app"), allocation(more));
}

std::vector<unsigned> slots(const Step& step) {
  std::vector<unsigned> all;
  for (const NodeSlots& node : step.nodes) all.push_back(node.slots);
  return all;
}

std::string failure(const std::string& line, const Environment& more = {}) {
  try {
    describe(line, more);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Step, RanksComeFromTheCommandLineTheJobOrTheNodes) {
  EXPECT_EQ(describe("-n 5", {{"SLURM_NTASKS", "4"}}).ranks, 5u);
  EXPECT_EQ(describe("", {{"SLURM_NTASKS", "4"}}).ranks, 4u);
  EXPECT_EQ(describe("").ranks, 3u);
  EXPECT_EQ(describe("-N 2").ranks, 2u);
  EXPECT_EQ(describe("--ntasks-per-node=2", {{"SLURM_NTASKS", "4"}}).ranks, 4u);
}

TEST(Step, ProcessorsPerTaskAloneDoNotSayHowManyRanks) {
  EXPECT_THAT(failure("-c 2"), HasSubstr("add --ntasks (-n)"));
  EXPECT_THAT(failure("-N 2", {{"SRUN_CPUS_PER_TASK", "1"}}), HasSubstr("add --ntasks (-n)"));
  EXPECT_EQ(failure("", {{"SLURM_CPUS_PER_TASK", "1"}}), "");
}

TEST(Step, ProcessorsAreSlots) {
  EXPECT_THAT(slots(describe("-n 8")), ElementsAre(2, 2, 4));
  EXPECT_THAT(slots(describe("-n 4 -c 2")), ElementsAre(1, 1, 2));
  EXPECT_THAT(slots(describe("-n 4", {{"SRUN_CPUS_PER_TASK", "2"}})), ElementsAre(1, 1, 2));
  EXPECT_THAT(slots(describe("-n 3 --ntasks-per-node=1")), ElementsAre(1, 1, 1));
}

TEST(Step, TheJobsCpusPerTaskGiveWayToMoreRanks) {
  EXPECT_THAT(slots(describe("-n 4", {{"SLURM_CPUS_PER_TASK", "2"}})), ElementsAre(1, 1, 2));
  EXPECT_THAT(slots(describe("-n 5", {{"SLURM_CPUS_PER_TASK", "2"}})), ElementsAre(2, 2, 4));
}

TEST(Step, NodesWithoutAPlaceAreLeftOut) {
  const Step step = describe("-n 1 -c 4");
  ASSERT_EQ(step.nodes.size(), 1u);
  EXPECT_EQ(step.nodes[0], (NodeSlots{"n2", 4 / 4}));
}

TEST(Step, ExcludedNodesAreLeftOut) {
  const Step step = describe("-n 4 -x n[0,5]");
  ASSERT_EQ(step.nodes.size(), 2u);
  EXPECT_EQ(step.nodes[0].name, "n1");
}

TEST(Step, NodesThatTheJobHasLostAreLeftOut) {
  JobState state;
  for (const char* name : {"n0", "n2"}) state.nodes.push_back({name, 8, 1, 1, 0, {}});
  const auto without_n1 = [&state](const std::string& line) {
    return describe_step(parse(line + " app"), allocation(), state);
  };
  EXPECT_EQ(without_n1("-n 6").nodes, (std::vector<NodeSlots>{{"n0", 2}, {"n2", 4}}));
  EXPECT_EQ(without_n1("").ranks, 2u);
  EXPECT_THROW(without_n1("-n 7"), Error);
}

TEST(Step, OvercommitMakesRoom) {
  EXPECT_THAT(failure("-n 9"), HasSubstr("9 ranks need as many places"));
  EXPECT_THAT(slots(describe("-n 30 -O")), ElementsAre(10, 10, 10));
  EXPECT_THAT(slots(describe("-n 9 -O")), ElementsAre(3, 3, 4));
  EXPECT_THAT(slots(describe("-n 9", {{"SLURM_OVERCOMMIT", "1"}})), ElementsAre(3, 3, 4));
}

TEST(Step, ANumberOfNodesIsKept) {
  EXPECT_EQ(describe("-n 4").use, std::nullopt);
  EXPECT_EQ(describe("-n 4 -N 2").use, 2u);
  EXPECT_EQ(describe("-n 4 -N 1-3").use, 3u);
  EXPECT_EQ(describe("-n 1 -N 2").use, 1u);
  EXPECT_THAT(failure("-n 8 -N 4"), HasSubstr("--nodes (-N) 4 is more than the 3 nodes"));
}

TEST(Step, WhatCannotBePlacedSaysWhy) {
  EXPECT_THAT(failure("-n 1 app : -n 2"), HasSubstr("several components"));
  EXPECT_THAT(failure("-n 1", {{"SLURM_HET_SIZE", "2"}}), HasSubstr("several components"));
  EXPECT_THAT(failure("--jobid=8"), HasSubstr("job 8"));
  EXPECT_EQ(failure("--jobid=7 -n 2"), "");
  EXPECT_THAT(failure("--ntasks-per-node=2"), HasSubstr("add --ntasks (-n)"));
  EXPECT_THAT(failure("", {{"SLURM_NTASKS_PER_NODE", "2"}}), HasSubstr("add --ntasks (-n)"));
  EXPECT_THAT(failure("-n x"), HasSubstr("--ntasks \"x\" is not a number"));
  EXPECT_THAT(failure("-N 1k"), HasSubstr("--nodes"));
  EXPECT_THAT(failure("-n 1", {{"SLURM_JOB_CPUS_PER_NODE", "2(x2)"}}), HasSubstr("3 nodes"));
  EXPECT_THAT(failure("-n 1", {{"SLURM_JOB_CPUS_PER_NODE", "2(x"}}), HasSubstr("list of counts"));
  EXPECT_THAT(failure("-n 1", {{"SLURM_JOB_NODELIST", "n[0-"}}), HasSubstr("n[0-"));
  EXPECT_THAT(failure("-n 1", {{"SLURM_JOB_NODELIST", ""}}), HasSubstr("not set"));
}

TEST(Step, ResourcesThatAreNotCountedAreLeftToSlurm) {
  EXPECT_THAT(failure("-n 2 --cpus-per-gpu=1"), HasSubstr("with --cpus-per-gpu is not known"));
  EXPECT_THAT(failure("-n 2 --hint=compute_bound"), HasSubstr("--hint=compute_bound"));
  EXPECT_THAT(failure("-n 2 -B 1:2"), HasSubstr("--extra-node-info"));
  EXPECT_THAT(failure("-n 2", {{"SLURM_TRES_PER_TASK", "license/x=1"}}),
              HasSubstr("--tres-per-task=license/x=1"));
  EXPECT_THAT(failure("-n 2 --gpus-per-task=2x"), HasSubstr("--gpus-per-task: "));
  EXPECT_THAT(failure("-n 2 --mem-per-cpu=much"), HasSubstr("--mem-per-cpu: "));
  // Nor those of nodes that Slurm says nothing of.
  EXPECT_THAT(failure("-n 2 --gpus-per-task=1"), HasSubstr("does not say what the job has"));
  EXPECT_THAT(failure("-n 2 --hint=nomultithread"), HasSubstr("does not say what the job has"));
}

TEST(Step, TakesFromOthersWhatItsRanksNeedOrWholeNodes) {
  const std::vector<std::string> mapping = {"n0", "n1", "n0"};
  EXPECT_EQ(claim_of(describe("-n 3"), mapping),
            (NodeCounts{{"n0", kWholeNode}, {"n1", kWholeNode}}));
  EXPECT_EQ(claim_of(describe("-n 3 --exact"), mapping), (NodeCounts{{"n0", 2}, {"n1", 1}}));
  EXPECT_EQ(claim_of(describe("-n 3 -c 2"), mapping), (NodeCounts{{"n0", 4}, {"n1", 2}}));
  EXPECT_TRUE(claim_of(describe("-n 3 --overlap"), mapping).empty());
}

TEST(Step, TakesWholeCoresFromOthersWhereItsRanksHaveThem) {
  JobState state;
  for (const char* name : {"n0", "n1", "n2"}) state.nodes.push_back({name, 4, 1, 2, 0, {}});
  const auto claim = [&state](const std::string& line) {
    return claim_of(describe_step(parse(line + " app"), allocation(), state), {"n2", "n0", "n2"});
  };
  const NodeCounts whole_cores = {{"n2", 4}, {"n0", 2}};
  EXPECT_EQ(claim("-n 3 --exact --hint=nomultithread"), whole_cores);
  EXPECT_EQ(claim("-n 3 --exact --threads-per-core=1"), whole_cores);
  EXPECT_EQ(claim("-n 3 --exact --ntasks-per-core=1"), whole_cores);
  EXPECT_EQ(claim("-n 3 -c 2 --ntasks-per-core=1"), whole_cores);
  EXPECT_EQ(claim("-n 3 --exact --threads-per-core=2"), (NodeCounts{{"n2", 2}, {"n0", 1}}));
}

TEST(Step, OptionsNobodyKnowsAreNotGuessed) {
  EXPECT_THAT(failure("--from-tomorrow 2 -n 2"), HasSubstr("--from-tomorrow=VALUE"));
}

TEST(Step, TasksPerNodeAndNodesMakeRanks) {
  EXPECT_EQ(implied_ranks(parse("-N4 --ntasks-per-node=2"), {}), 8u);
  EXPECT_EQ(implied_ranks(parse("--ntasks-per-node=2"), {{"SLURM_JOB_NUM_NODES", "3"}}), 6u);
  EXPECT_EQ(implied_ranks(parse("-N4 --ntasks-per-node=2 -n 7"), {}), std::nullopt);
  EXPECT_EQ(implied_ranks(parse("-N4 --ntasks-per-node=2"), {{"SLURM_NTASKS", "7"}}), std::nullopt);
  EXPECT_EQ(implied_ranks(parse("-N2-4 --ntasks-per-node=2"), {}), std::nullopt);
  EXPECT_EQ(implied_ranks(parse("-N4000000 --ntasks-per-node=4000000"), {}), std::nullopt);
}

TEST(Step, SpareNodesMakeNoRanks) {
  EXPECT_EQ(describe("", {{kNodesToUse, "2"}}).ranks, 2u);
  EXPECT_EQ(describe("-N 3", {{kNodesToUse, "2"}}).ranks, 3u);
  EXPECT_EQ(implied_ranks(parse("--ntasks-per-node=2"),
                          {{"SLURM_JOB_NUM_NODES", "3"}, {kNodesToUse, "2"}}),
            4u);
  EXPECT_EQ(implied_ranks(parse("app"), {{"SLURM_NTASKS_PER_NODE", "2"},
                                         {"SLURM_NTASKS", "6"},
                                         {"SLURM_JOB_NUM_NODES", "3"},
                                         {kNodesToUse, "2"}}),
            4u);
  EXPECT_EQ(implied_ranks(parse("app"), {{"SLURM_NTASKS", "6"}, {kNodesToUse, "2"}}), std::nullopt);
  EXPECT_EQ(implied_ranks(parse("app"), {{kNodesToUse, "2"}}), 2u);
}

TEST(Step, OfAJobWithSpareNodesAsManyAreUsedAsWithout) {
  Environment environment = {
      {"SLURM_JOB_NODELIST", "n[0-5]"}, {"SLURM_JOB_CPUS_PER_NODE", "16(x6)"}, {kNodesToUse, "4"}};
  EXPECT_EQ(describe("-n 8", environment).use, 4u);
  EXPECT_EQ(describe("-n 2", environment).use, 2u);
  EXPECT_EQ(describe("-n 8 -N 5", environment).use, 5u);
  EXPECT_EQ(describe("-n 8 -x n[0-2]", environment).use, 3u);
  EXPECT_EQ(describe("-n 70", environment).use, std::nullopt) << "they are too small";
  environment[kNodesToUse] = "many";
  EXPECT_THAT(failure("-n 8", environment), HasSubstr("SLURM_TOFA_NODES"));
}

TEST(Step, HelpersAreShellsAndSingleTasks) {
  EXPECT_TRUE(is_helper(parse("--interactive --pty"), {}));
  EXPECT_TRUE(is_helper(parse("-n1"), allocation({{"SLURM_NTASKS", "8"}})));
  EXPECT_FALSE(is_helper(parse("-n1"), {}));
  EXPECT_FALSE(is_helper(parse("-N4"), allocation({{"SLURM_NTASKS", "8"}})));
}

TEST(Step, OptionsThatSayOtherwise) {
  EXPECT_EQ(conflict(parse("-w n1 app")), "--nodelist (-w)");
  EXPECT_EQ(conflict(parse("-F file app")), "--nodefile (-F)");
  EXPECT_EQ(conflict(parse("-r 1 app")), "--relative (-r)");
  EXPECT_EQ(conflict(parse("-m cyclic:block app")), "--distribution (-m) cyclic:block");
  EXPECT_EQ(conflict(parse("-m plane=2 app")), "--distribution (-m) plane=2");
  EXPECT_EQ(conflict(parse("-m *:cyclic app")), "");
  EXPECT_EQ(conflict(parse("-m arbitrary app")), "");
  EXPECT_EQ(conflict(parse("-n 4 -x n1 app")), "");
}

TEST(Step, WhatIsSaidOfPlacesWithinNodesIsForgotten) {
  const auto forgotten = [](const std::string& line, const Environment& environment = {}) {
    return forgotten_distribution(parse(line + " app"), environment);
  };
  const Environment job = {{"SLURM_DISTRIBUTION", "cyclic:block"}};
  EXPECT_EQ(forgotten("-m *:block"), "--distribution (-m) *:block");
  EXPECT_EQ(forgotten("-m *:*:cyclic,NoPack"), "--distribution (-m) *:*:cyclic,NoPack");
  EXPECT_EQ(forgotten("-n 2", job), "SLURM_DISTRIBUTION=cyclic:block");
  EXPECT_EQ(forgotten("-m *", job), "");
  EXPECT_EQ(forgotten("-m *:*"), "");
  EXPECT_EQ(forgotten("-m arbitrary,Pack"), "");
  EXPECT_EQ(forgotten("-n 2", {{"SLURM_DISTRIBUTION", "cyclic"}}), "");
}

TEST(Step, DaemonsOfLaunchersAreRecognised) {
  EXPECT_TRUE(starts_daemons(parse("-N2 /usr/bin/orted -mca x y")));
  EXPECT_TRUE(starts_daemons(parse("prted")));
  EXPECT_FALSE(starts_daemons(parse("app orted")));
}

TEST(Step, Counts) {
  EXPECT_THAT(expand_counts("2(x3),1"), ElementsAre(2, 2, 2, 1));
  EXPECT_THAT(expand_counts("4"), ElementsAre(4));
  EXPECT_THAT(expand_counts(""), IsEmpty());
  for (const char* wrong : {"x", "2(x", "2(x)", "2(3)", "1,,2", "-1", "1(x99999999999)"})
    EXPECT_THROW(expand_counts(wrong), Error) << wrong;
}

Job job(const std::string& line, const Environment& environment = {}) {
  return describe_job(parse(line + " app"), environment);
}

std::string job_failure(const std::string& line, const Environment& environment = {}) {
  try {
    job(line, environment);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Job, TheCommandLineGoesBeforeTheEnvironment) {
  const Job all = job("-n 8 -N 2-4 -c2 -p big -x n1 --ntasks-per-node=3");
  EXPECT_EQ(all.ranks, 8u);
  EXPECT_EQ(all.use, 4u);
  EXPECT_EQ(all.needs.cpus, 2u);
  EXPECT_EQ(all.needs.ranks_per_node, 3u);
  EXPECT_EQ(all.slots, std::nullopt);
  EXPECT_EQ(all.partition, "big");
  EXPECT_EQ(all.exclude, "n1");
  const Environment environment = {
      {"SLURM_NTASKS", "4"}, {"SLURM_PARTITION", "p"}, {"SRUN_CPUS_PER_TASK", "3"}};
  EXPECT_EQ(job("", environment).ranks, 4u);
  EXPECT_EQ(job("", environment).partition, "p");
  EXPECT_EQ(job("", environment).needs.cpus, 3u);
  EXPECT_EQ(job("-p q -n 2", environment).partition, "q");
}

TEST(Job, WithoutANumberOfRanksThereIsOneForEachNode) {
  EXPECT_EQ(job("").ranks, 1u);
  EXPECT_EQ(job("-N 3").ranks, 3u);
  EXPECT_EQ(job("-n 2 -N 3").use, 2u);
}

TEST(Job, RanksShareGpusAsSlurmWouldHaveThem) {
  EXPECT_EQ(job("-n 8 -N 4 --gpus-per-node=2").needs.ranks_per_node, 2u);
  EXPECT_EQ(job("-n 8 -N 4 --gpus-per-task=1").needs.ranks_per_node, 0u);
  EXPECT_EQ(job("-n 8 --gpus-per-task=1").needs.gres.at("gpu"), 1u);
  EXPECT_THAT(job_failure("-n 8 -G 8"), HasSubstr("--gpus"));
}

TEST(Job, OvercommittedNodesTakeTheirShare) {
  EXPECT_EQ(job("-n 9 -N 2 -O").slots, 5u);
  EXPECT_EQ(job("-n 9 -N 2", {{"SLURM_OVERCOMMIT", "1"}}).slots, 5u);
  EXPECT_EQ(job("-n 9 -O").slots, std::nullopt);
}

TEST(Job, WhatCannotBeChosenNowSaysWhy) {
  EXPECT_THAT(job_failure("--begin=now"), HasSubstr("--begin"));
  EXPECT_THAT(job_failure("-b now"), HasSubstr("--begin"));
  EXPECT_THAT(job_failure("-d afterok:3"), HasSubstr("--dependency"));
  EXPECT_THAT(job_failure("-n1 -H"), HasSubstr("may start"));
  EXPECT_THAT(job_failure("", {{"SLURM_DEPENDENCY", "singleton"}}), HasSubstr("may start"));
  EXPECT_THAT(job_failure("-M other"), HasSubstr("--clusters"));
  EXPECT_THAT(job_failure("-x ./file"), HasSubstr("names a file"));
  EXPECT_THAT(job_failure("-n1 -QQ"), HasSubstr("leave one Q out"));
  EXPECT_THAT(job_failure("-n1 --quiet -Q"), HasSubstr("leave one Q out"));
  EXPECT_EQ(job_failure("-n1 -Q"), "");
  EXPECT_THAT(job_failure("-n1 app : -n2"), HasSubstr("several components"));
  EXPECT_THAT(job_failure("-N2 --ntasks-per-node=2"), HasSubstr("add --ntasks (-n)"));
}

TEST(SpankSettings, AreReadFromPlugstack) {
  const auto settings = read_settings({"tofa=/opt/tofa", "topology=t", "health=h",
                                       "objective=congestion", "time_limit=0.5", "strict"},
                                      {});
  EXPECT_EQ(settings.program, "/opt/tofa");
  EXPECT_EQ(settings.topology, "t");
  EXPECT_EQ(settings.health, "h");
  EXPECT_EQ(settings.objective, "congestion");
  EXPECT_EQ(settings.time_limit, 0.5);
  EXPECT_TRUE(settings.strict);
  EXPECT_THAT(settings.problems, IsEmpty());
}

TEST(SpankSettings, TheUsersEnvironmentGoesFirst) {
  const std::vector<std::string> site = {"topology=t", "outages=o", "strict=1"};
  EXPECT_EQ(read_settings(site, {{"TOFA_TOPOLOGY", "mine"}}).topology, "");
  EXPECT_EQ(read_settings(site, {{"TOFA_HEALTH", "mine"}}).outages, "");
  EXPECT_EQ(read_settings(site, {}).outages, "o");
  EXPECT_FALSE(read_settings(site, {{"SLURM_TOFA_STRICT", "0"}}).strict);
  EXPECT_TRUE(read_settings({}, {{"SLURM_TOFA_STRICT", "1"}}).strict);
}

TEST(SpankSettings, MistakesAreNamed) {
  const auto settings = read_settings({"topologie=t", "time_limit=soon"}, {});
  ASSERT_EQ(settings.problems.size(), 2u);
  EXPECT_THAT(settings.problems[0], HasSubstr("unknown key \"topologie\"; known are tofa"));
  EXPECT_THAT(settings.problems[1], HasSubstr("time_limit=soon"));
  EXPECT_EQ(settings.time_limit, std::nullopt);
}

}  // namespace
}  // namespace tofa::spank::step_test
