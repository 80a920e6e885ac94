// SPDX-License-Identifier: BSD-3-Clause
// Reading machines, and places of several cores.
#include "tofa/machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> level_names(const Machine& machine) {
  std::vector<std::string> names;
  for (const Machine::Level& level : machine.levels) names.push_back(level.name);
  return names;
}

TEST(Machine, ADescriptionInALine) {
  const Machine machine = read_machine("package:2 l3:2 core:3");
  EXPECT_EQ(machine.places, 12U);
  EXPECT_THAT(level_names(machine), ElementsAre("package", "l3"));
  EXPECT_EQ(machine.distance(0, 2), 0U);
  EXPECT_EQ(machine.distance(0, 3), 1U);
  EXPECT_EQ(machine.distance(0, 6), 2U);
}

TEST(Machine, LevelsThatSayTheSameCountOnce) {
  EXPECT_THAT(level_names(read_machine("package:2 numa:1 l3:1 core:4 pu:2")),
              ElementsAre("package"));
  EXPECT_THAT(level_names(read_machine("package:1 l3:1 core:4")), ElementsAre());
}

TEST(Machine, HardwareThreadsStandForCoresWhereThereAreNone) {
  EXPECT_EQ(read_machine("package:2 pu:4").places, 8U);
}

TEST(Machine, ARecordedOne) {
  const Machine machine = read_machine(test::fixture("machines/two-packages.xml"));
  EXPECT_EQ(machine.places, 8U);
  EXPECT_THAT(level_names(machine), ElementsAre("package", "l3"));
}

TEST(Machine, TheOneThisRunsOn) {
  EXPECT_GE(read_machine("local").places, 1U);
}

TEST(Machine, PlacesOfSeveralCores) {
  const Machine pairs = with_cores_per_place(read_machine("package:2 l3:2 core:3"), 2);
  EXPECT_EQ(pairs.places, 6U);
  // Cores 0-1 and 4-5 lie within a cache, 2-3 across two; all three lie within a package.
  EXPECT_EQ(pairs.distance(0, 1), 1U);
  EXPECT_EQ(pairs.distance(1, 2), 1U);
  EXPECT_EQ(pairs.distance(2, 3), 2U);
  EXPECT_EQ(with_cores_per_place(read_machine("package:2 core:5"), 4).places, 2U);
}

TEST(Machine, MistakesAreExplained) {
  const test::ScratchDirectory scratch;
  const std::string xml = scratch.write("m.xml", "<topology");
  EXPECT_THAT(test::error_of([&] { read_machine(xml); }), HasSubstr("m.xml"));
  EXPECT_THAT(test::error_of([] { read_machine("bogus:2"); }), HasSubstr("\"bogus:2\""));
  EXPECT_THAT(test::error_of([] { read_machine("missing.xml"); }), HasSubstr("no such file"));
  EXPECT_THAT(test::error_of([] { read_machine("package:4 core:4000"); }),
              HasSubstr("more than 4096"));
  EXPECT_THAT(test::error_of([] { with_cores_per_place(read_machine("core:2"), 4); }),
              HasSubstr("needs 4 cores, but the machine has 2"));
}

}  // namespace
}  // namespace tofa
