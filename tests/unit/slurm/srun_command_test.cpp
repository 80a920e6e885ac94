// SPDX-License-Identifier: BSD-3-Clause
// srun's command line is read by srun's rules.
#include "srun_command.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tofa::spank::srun_command_test {
namespace {

SrunCommand parse(const std::string& line, Release release = kNewestRelease) {
  std::istringstream words(line);
  std::vector<std::string> list;
  for (std::string word; words >> word;) list.push_back(word);
  return parse_srun_command(list, release);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ' ';
  return text;
}

using Text = std::optional<std::string>;

TEST(SrunCommand, LongOptionsTakeTheirValueInBothWays) {
  const auto command = parse("srun --ntasks=8 --nodes 4 --mpi=pmix ./app --nodes 7");
  EXPECT_EQ(command.find("ntasks"), Text("8"));
  EXPECT_EQ(command.find("nodes"), Text("4"));
  EXPECT_EQ(command.find("mpi"), Text("pmix"));
  EXPECT_EQ(command.program, "app");
}

TEST(SrunCommand, ShortOptionsTakeTheirValueInBothWays) {
  const auto command = parse("srun -n8 -N 2-4 -w n[1-2] -m cyclic -c2 -x n3 -r1 -F file /bin/app");
  EXPECT_EQ(command.find("ntasks"), Text("8"));
  EXPECT_EQ(command.find("nodes"), Text("2-4"));
  EXPECT_EQ(command.find("nodelist"), Text("n[1-2]"));
  EXPECT_EQ(command.find("distribution"), Text("cyclic"));
  EXPECT_EQ(command.find("cpus-per-task"), Text("2"));
  EXPECT_EQ(command.find("exclude"), Text("n3"));
  EXPECT_EQ(command.find("relative"), Text("1"));
  EXPECT_EQ(command.find("nodefile"), Text("file"));
  EXPECT_EQ(command.program, "app");
}

TEST(SrunCommand, ShortOptionsMayBeJoined) {
  const auto command = parse("srun -lOn8 app");
  EXPECT_TRUE(command.overcommit);
  EXPECT_EQ(command.find("ntasks"), Text("8"));
  EXPECT_EQ(command.program, "app");
}

TEST(SrunCommand, ValuesOfOtherOptionsAreNotMistakenForOptionsOrTheProgram) {
  const auto command = parse("srun -J -n9 -o out --job-name -w -A account -n 2 app -n 3");
  EXPECT_EQ(command.find("ntasks"), Text("2"));
  EXPECT_EQ(command.find("nodelist"), std::nullopt);
  EXPECT_EQ(command.program, "app");
}

TEST(SrunCommand, OptionalValuesAreAttachedOnly) {
  const auto command = parse("srun -K -n 2 -I5 -k --exclusive --kill-on-bad-exit --nice=5 app x");
  EXPECT_EQ(command.find("ntasks"), Text("2"));
  EXPECT_EQ(command.program, "app");
}

TEST(SrunCommand, BeginningsOfNamesAreAccepted) {
  const auto command = parse("srun --ntasks-per-n 2 --nodel=n1 --overc --tofa=app app");
  EXPECT_EQ(command.find("ntasks-per-node"), Text("2"));
  EXPECT_EQ(command.find("nodelist"), Text("n1"));
  EXPECT_EQ(command.find("tofa"), Text("app"));
  EXPECT_TRUE(command.overcommit);
  EXPECT_FALSE(parse("srun --overlap app").overcommit);
}

TEST(SrunCommand, FlagsThatBeginAnotherOptionAreFlags) {
  EXPECT_EQ(parse("srun --bcast app -n 2").program, "app");
  EXPECT_EQ(parse("srun --bcast app -n 2").unclear, "");
}

TEST(SrunCommand, TheReleaseDecidesWhichOptionsThereAre) {
  const std::string line = "srun --treewidth 4 --segment 4 --oom-kill-step --stepmgr app";
  const auto command = parse(line, 2411);
  EXPECT_EQ(command.program, "app");
  EXPECT_EQ(command.unclear, "");
  EXPECT_EQ(parse(line, 2311).unclear, "--segment");
  EXPECT_EQ(parse("srun --power 5 app", 2205).program, "app");
  EXPECT_EQ(parse("srun --power 5 app", 2411).unclear, "--power");
  EXPECT_EQ(parse("srun --mem-u 5 app", 2605).find("mem-update"), Text("5"));
}

TEST(SrunCommand, UnknownOptionsAreUnclearWhereAWordFollows) {
  EXPECT_EQ(parse("srun --container-image alpine app").unclear, "--container-image");
  EXPECT_EQ(parse("srun --container-mount-home -n 2 app").unclear, "");
  EXPECT_EQ(parse("srun --container-image=alpine app").unclear, "");
  EXPECT_EQ(parse("srun app --container-image alpine").unclear, "");
  EXPECT_EQ(parse("srun -ly5 app").unclear, "-y");
}

TEST(SrunCommand, BeginningsOfSeveralOptionsAreUnclear) {
  EXPECT_EQ(parse("srun --gpus-per 2 app").unclear, "--gpus-per");
  EXPECT_EQ(parse("srun --gpus 2 app").find("gpus"), Text("2"));
}

TEST(SrunCommand, WithoutTheNumberOfNodes) {
  const auto rest = [](const std::string& line) { return joined(parse(line).without_nodes); };
  EXPECT_EQ(rest("srun -N4 -n8 app -N 4"), "srun -n8 app -N 4 ");
  EXPECT_EQ(rest("srun -N 4 --nodes=2 -n8 --nodes 3 app"), "srun -n8 app ");
  EXPECT_EQ(rest("srun -lON4 -QN 4 app"), "srun -lO -Q app ");
  EXPECT_EQ(rest("srun --nodel=N4 -JN4 app"), "srun --nodel=N4 -JN4 app ");
  EXPECT_EQ(rest("srun -n8 app"), "srun -n8 app ");
}

TEST(SrunCommand, AnInteractiveStepIsRecognised) {
  EXPECT_TRUE(parse("srun --interactive --preserve-env --pty /bin/bash").interactive);
  EXPECT_FALSE(parse("srun bash --interactive").interactive);
}

TEST(SrunCommand, AnotherNameForTasksPerNode) {
  EXPECT_EQ(parse("srun --tasks-per-node=3 app").find("ntasks-per-node"), Text("3"));
}

TEST(SrunCommand, TheLastValueWinsAndMayBeEmpty) {
  EXPECT_EQ(parse("srun -n1 -n2 app").find("ntasks"), Text("2"));
  EXPECT_EQ(parse("srun --tofa= app").find("tofa"), Text(""));
  EXPECT_EQ(parse("srun app --tofa=x").find("tofa"), std::nullopt);
}

TEST(SrunCommand, TheProgramFollowsTwoDashes) {
  const auto command = parse("srun -n2 -- -app -n3");
  EXPECT_EQ(command.program, "-app");
  EXPECT_EQ(command.find("ntasks"), Text("2"));
}

TEST(SrunCommand, WhatDelaysAJob) {
  const auto command = parse("srun -H -b tomorrow -d singleton -M other -p big app");
  EXPECT_TRUE(command.hold);
  EXPECT_EQ(command.find("begin"), Text("tomorrow"));
  EXPECT_EQ(command.find("dependency"), Text("singleton"));
  EXPECT_EQ(command.find("clusters"), Text("other"));
  EXPECT_EQ(command.find("partition"), Text("big"));
  EXPECT_EQ(parse("srun --cluster=other app").find("clusters"), Text("other"));
  EXPECT_TRUE(parse("srun --hold app").hold);
  EXPECT_EQ(parse("srun -lQ --quiet app -Q").quiet, 2u);
  EXPECT_FALSE(parse("srun --hint=nomultithread app").hold);
}

TEST(SrunCommand, HowStepsShareNodes) {
  EXPECT_TRUE(parse("srun --exact app").exact);
  EXPECT_FALSE(parse("srun --exclusive app").exact);
  EXPECT_TRUE(parse("srun --overlap app").overlap);
  EXPECT_FALSE(parse("srun --overcommit app").overlap);
  EXPECT_FALSE(parse("srun app --overlap --exact").overlap);
}

TEST(SrunCommand, SeveralComponents) {
  EXPECT_TRUE(parse("srun -n1 app : -n2 other").heterogeneous);
  EXPECT_TRUE(parse("srun --het-group=0,1 app").heterogeneous);
  EXPECT_FALSE(parse("srun app a:b").heterogeneous);
}

TEST(SrunCommand, IncompleteLinesAreLeftToSrun) {
  EXPECT_EQ(parse_srun_command({}).program, "");
  EXPECT_EQ(parse("srun").program, "");
  EXPECT_EQ(parse("srun -n").find("ntasks"), Text(""));
  EXPECT_EQ(parse("srun --nodes").find("nodes"), Text(""));
  EXPECT_EQ(parse("srun --").program, "");
}

}  // namespace
}  // namespace tofa::spank::srun_command_test
