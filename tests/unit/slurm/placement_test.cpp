// SPDX-License-Identifier: BSD-3-Clause
// What `tofa select` is asked, and what of its answer is believed.
#include "placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tofa/error.hpp"
#include "tofa/hostlist.hpp"

namespace tofa::spank::placement_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<NodeSlots> kNodes = {{"n0", 2}, {"n1", 2}, {"n2", 1}};

// What is asked behind the arguments that are always there.
std::vector<std::string> question(std::vector<std::string> arguments) {
  const std::vector<std::string> common = {"select",   "--quiet",  "--best-effort",
                                           "--cached", "--format", "launcher",
                                           "--graph",  "app",      "--ntasks"};
  EXPECT_TRUE(std::equal(common.begin(), common.end(), arguments.begin()));
  arguments.erase(arguments.begin(), arguments.begin() + static_cast<int>(common.size()));
  return arguments;
}

TEST(Placement, NodesThatAreAlikeAreListedOnce) {
  const Step step = {6, {{"n0", 3}, {"n1", 3}}, {}};
  EXPECT_THAT(question(select_arguments({}, "app", step)),
              ElementsAre("6", "--nodes", "n[0-1]", "--slots", "3"));
}

TEST(Placement, NodesOfDifferentSizesAreListedOnceForEverySlot) {
  const Step step = {3, kNodes, 2};
  EXPECT_THAT(question(select_arguments({}, "app", step)),
              ElementsAre("3", "--nodes", "n[0-2],n[0-1]", "--node-count", "2"));
}

TEST(Placement, NoArgumentIsLongerThanLinuxTakes) {
  constexpr std::size_t most = 131072;
  Step step{1, {}, {}};
  std::map<std::string, unsigned> slots;
  for (unsigned i = 0; i < 12000; i += 2) {
    step.nodes.push_back({"node" + std::to_string(i), 1 + i * 7 % 13});
    slots[step.nodes.back().name] = step.nodes.back().slots;
  }
  std::map<std::string, unsigned> named;
  std::size_t all = 0;
  const auto arguments = select_arguments({}, "app", step);
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    EXPECT_LT(arguments[i].size(), most);
    all += arguments[i].size();
    if (arguments[i - 1] != "--nodes") continue;
    for (const std::string& name : expand_hostlist(arguments[i])) ++named[name];
  }
  EXPECT_GT(all, most);
  EXPECT_EQ(named, slots);
}

TEST(Placement, SettingsOfTheSiteArePassedOnAsDefaults) {
  Settings settings;
  settings.given = {
      {"topology", "t"}, {"outages", "o"}, {"health", "h"}, {"objective", "hop-bytes"}};
  EXPECT_THAT(question(select_arguments(settings, "app", Step{1, {{"n0", 1}}, {}})),
              ElementsAre("1", "--default", "topology=t", "--default", "outages=o", "--default",
                          "health=h", "--objective", "hop-bytes", "--nodes", "n0", "--slots", "1"));
}

TEST(Placement, WhatAJobAsksForIsPassedOn) {
  Job job;
  job.ranks = 8;
  EXPECT_THAT(question(select_arguments({}, "app", job)), ElementsAre("8", "--cpus-per-task", "1"));
  job = {8, {.cpus = 2, .ranks_per_node = 3}, 4, {}, "big", "n1"};
  EXPECT_THAT(question(select_arguments({}, "app", job)),
              ElementsAre("8", "--partition", "big", "--exclude", "n1", "--node-count", "4",
                          "--cpus-per-task", "2", "--ntasks-per-node", "3"));
  job = {8, {.cpus = 2}, 4, 2, "", ""};
  EXPECT_THAT(question(select_arguments({}, "app", job)),
              ElementsAre("8", "--node-count", "4", "--slots", "2"));
  job = {8, {.threads_per_core = 1, .memory_per_cpu = 100}, {}, {}, "", ""};
  job.needs.gres = slurm::parse_gpus("a100:2");
  EXPECT_THAT(question(select_arguments({}, "app", job)),
              ElementsAre("8", "--cpus-per-task", "1", "--threads-per-core", "1", "--mem-per-cpu",
                          "100", "--gres-per-task", "gpu:a100:2"));
}

TEST(Placement, ANodeForEveryRank) {
  EXPECT_THAT(read_mapping("n2\nn0\nn0\n", 3), ElementsAre("n2", "n0", "n0"));
  for (const char* text : {"n2\nn0\n", "", "n0\nn0\nn0\nn0\n"})
    EXPECT_THROW(read_mapping(text, 3), Error) << text;
}

TEST(Placement, WhatStandsBehindTheNodesIsAComment) {
  const std::string text = "n2\nn0\n#report tofa: a\n#report tofa:   b\n#figures ranks=2\n#x\n";
  EXPECT_THAT(read_mapping(text, 2), ElementsAre("n2", "n0"));
  EXPECT_THAT(read_comments(text, "#report "), ElementsAre("tofa: a", "tofa:   b"));
  EXPECT_THAT(read_comments(text, "#figures "), ElementsAre("ranks=2"));
}

TEST(Placement, WarningsAreTakenFromStandardError) {
  EXPECT_THAT(read_warnings("tofa: no topology given; ...\ntofa: warning: a; b\n"),
              ElementsAre("a; b"));
  EXPECT_THAT(read_warnings("tofa: warning: t: lacks n1 (named by --default); flat\n"),
              ElementsAre("t: lacks n1 (named by plugstack.conf); flat"));
  EXPECT_TRUE(read_warnings("").empty());
}

TEST(Placement, UnderStrictAWarningIsAnError) {
  Settings settings;
  settings.program = ::testing::TempDir() + "warning-tofa";
  std::ofstream(settings.program) << "#!/bin/sh\necho 'tofa: warning: odd' >&2\necho n0\n";
  std::filesystem::permissions(settings.program, std::filesystem::perms::owner_all);
  const Step step = {1, kNodes, {}};
  EXPECT_THAT(place_step(settings, "app", step).warnings, ElementsAre("odd"));
  settings.strict = true;
  EXPECT_THROW(place_step(settings, "app", step), Error);
}

std::string refusal(const std::vector<std::string>& mapping) {
  try {
    check_mapping(mapping, {static_cast<unsigned>(mapping.size()), kNodes, {}});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Placement, AnswersThatCannotBeAreRefused) {
  EXPECT_EQ(refusal({"n1", "n2", "n1"}), "");
  EXPECT_THAT(refusal({"n2", "n2"}), HasSubstr("rank 1 on \"n2\", which is full"));
  EXPECT_THAT(refusal({"n9"}), HasSubstr("rank 0 on \"n9\", which is not allocated"));
  EXPECT_THAT(refusal({"\x1b[2J"}), HasSubstr("not allocated"));
}

TEST(Placement, AProgramThatIsMissingOrFailsIsAnError) {
  Settings settings;
  settings.program = "/nowhere/tofa";
  EXPECT_THROW(place_step(settings, "app", {1, kNodes, {}}), Error);
  settings.program = "/bin/false";
  EXPECT_THROW(place_step(settings, "app", {1, kNodes, {}}), Error);
  EXPECT_THROW(place_job(settings, "app", {}), Error);
}

}  // namespace
}  // namespace tofa::spank::placement_test
