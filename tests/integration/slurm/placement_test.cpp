// SPDX-License-Identifier: BSD-3-Clause
// What `tofa map` is asked, and what of its answer is believed.
#include "placement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tofa/error.hpp"

namespace tofa::spank {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<NodeSlots> kNodes = {{"n0", 2}, {"n1", 2}, {"n2", 1}};

TEST(Placement, NodesThatAreAlikeAreListedOnce) {
  EXPECT_THAT(map_arguments({}, "app", {{"n0", 3}, {"n1", 3}}),
              ElementsAre("map", "--quiet", "--graph", "app", "--nodes", "n[0-1]", "--slots", "3",
                          "--time-limit", "2"));
}

TEST(Placement, NodesOfDifferentSizesAreListedOnceForEverySlot) {
  EXPECT_THAT(map_arguments({}, "app", kNodes),
              ElementsAre("map", "--quiet", "--graph", "app", "--nodes", "n[0-2],n[0-1]",
                          "--time-limit", "2"));
}

TEST(Placement, SettingsArePassedOn) {
  Settings settings;
  settings.topology = "t";
  settings.outages = "o";
  settings.health = "h";
  settings.objective = "hop-bytes";
  EXPECT_THAT(
      map_arguments(settings, "app", {{"n0", 1}}),
      ElementsAre("map", "--quiet", "--graph", "app", "--nodes", "n0", "--slots", "1", "--topology",
                  "t", "--outages", "o", "--objective", "hop-bytes", "--time-limit", "2"));
}

std::string refusal(const std::string& text, unsigned ranks) {
  try {
    read_mapping(text, {ranks, kNodes, {}});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Placement, ANodeForEveryRank) {
  EXPECT_THAT(read_mapping("n2\nn0\nn0\n", {3, kNodes, {}}), ElementsAre("n2", "n0", "n0"));
  EXPECT_THAT(refusal("n2\nn0\n", 3), HasSubstr("describes 2 ranks, the step has 3"));
  EXPECT_THAT(refusal("", 3), HasSubstr("describes 0 ranks"));
}

TEST(Placement, NamesAreSlurms) {
  EXPECT_THAT(read_mapping("n2.site\nn0.site\n", {2, kNodes, {}}), ElementsAre("n2", "n0"));
  EXPECT_THAT(read_mapping("n2\n", {1, {{"n2.site", 1}}, {}}), ElementsAre("n2.site"));
}

TEST(Placement, AnswersThatCannotBeAreRefused) {
  EXPECT_THAT(refusal("n2\nn2\n", 2), HasSubstr("rank 1 on \"n2\", which is full"));
  EXPECT_THAT(refusal("n9\n", 1), HasSubstr("rank 0 on \"n9\", which is not allocated"));
  EXPECT_THAT(refusal("\x1b[2J\n", 1), HasSubstr("not allocated"));
}

TEST(Placement, TheNodesWithMostRanksAreTheBest) {
  const Step step = {3, kNodes, 2};
  EXPECT_THAT(best_nodes(step, {"n1", "n2", "n1"}, 2),
              ElementsAre(NodeSlots{"n1", 2}, NodeSlots{"n2", 1}));
  EXPECT_THAT(best_nodes(step, {"n0", "n1", "n2"}, 2),
              ElementsAre(NodeSlots{"n0", 2}, NodeSlots{"n1", 2}));
  EXPECT_THROW(best_nodes({4, kNodes, 1}, {"n0", "n1", "n2", "n0"}, 1), Error);
}

TEST(Placement, AProgramThatIsMissingOrFailsIsAnError) {
  Settings settings;
  settings.program = "/nowhere/tofa";
  EXPECT_THROW(place_step(settings, "app", {1, kNodes, {}}), Error);
  settings.program = "/bin/false";
  EXPECT_THROW(place_step(settings, "app", {1, kNodes, {}}), Error);
}

}  // namespace
}  // namespace tofa::spank
