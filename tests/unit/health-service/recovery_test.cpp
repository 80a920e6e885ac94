// SPDX-License-Identifier: BSD-3-Clause
// What is made of a database and a snapshot, or of a database and what was kept in memory.
#include "healthd/recovery.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofa::health::recovery_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr double kNow = 20'000 * kDay + 1000;

HostRecord record(const std::string& name, bool up, const std::string& estimate = "0") {
  return {.name = name, .seen = true, .up = up, .method = "ewma", .estimate = estimate};
}

ClockMark last_round(double time) {
  return {{time, 0, ""}, 0};
}

TEST(Recovery, RatesComeBackWithTheirOutages) {
  Snapshot published{kNow, 1, {}, {}};
  published.hosts = {{"a", 0.1, kNow, true, 0.02}, {"b", 0, kNow, true, 0}};
  published.outages = {{"a", kNow - kDay, kNow - kDay + 5, "slurm"},
                       {"a", kNow - 700, kNow - 20, "network"},
                       {"a", kNow - 9, kNow - 5, "slurm"}};
  const StoreContents contents = recover({}, published);
  Exposure exposure;
  std::uint64_t outages = 0;
  for (const HostDay& day : contents.days) {
    EXPECT_EQ(day.host, "a");
    exposure.restore(day.day);
    outages += day.day.outages;
  }
  EXPECT_EQ(outages, 2) << "what the network did is no failure";
  EXPECT_NEAR(exposure.rate(kNow), 0.02, 1e-9);
}

TEST(Recovery, WhoWasExcludedStaysSo) {
  Snapshot published{kNow, 1, {}, {}};
  const HostExclusion fan{"fan", "alice", kNow - 10, kNow + 10};
  for (const char* host : {"lost", "known", "included", "before"}) {
    published.hosts.push_back(
        {host, 1, kNow, true, 0, HostNote::planned, std::nullopt, std::optional(fan)});
  }
  StoreContents contents;
  const auto change = [&](const char* host, double time, ChangeKind kind) {
    contents.changes.push_back({.id = static_cast<std::int64_t>(contents.changes.size() + 1),
                                .time = time,
                                .user = "alice",
                                .kind = kind,
                                .host = host,
                                .reason = "fan",
                                .start = time});
  };
  change("known", kNow - 10, ChangeKind::exclude);
  change("included", kNow - 5, ChangeKind::include);
  change("before", kNow - 50, ChangeKind::include);
  contents = recover(contents, published);
  Exclusions exclusions;
  for (const Change& row : contents.changes) exclusions.apply(row);
  ASSERT_NE(exclusions.find("lost", kNow), nullptr);
  EXPECT_EQ(*exclusions.find("lost", kNow), fan);
  EXPECT_EQ(exclusions.find("known", kNow)->until, 0) << "the row knows better";
  EXPECT_EQ(exclusions.find("included", kNow), nullptr);
  EXPECT_NE(exclusions.find("before", kNow), nullptr);
  EXPECT_EQ(contents.changes.size(), 5);
  EXPECT_EQ(contents.hosts[0].estimate, "0") << "its probability was not an estimate";
}

TEST(Recovery, ChangesOfBothAreMerged) {
  StoreContents disk;
  disk.changes = {{.id = 1, .host = "a"}, {.id = 2, .host = "b"}};
  StoreContents memory;
  memory.changes = {{.id = 2, .host = "b"}, {.id = 3, .host = "c"}};
  const auto merged = merge(disk, memory).changes;
  ASSERT_EQ(merged.size(), 3);
  EXPECT_EQ(merged[2].host, "c");
}

TEST(Recovery, StatesOfALaterSnapshotHold) {
  Snapshot published{kNow, 1, {}, {}};
  published.hosts = {{"a", 1, kNow, false, 0}, {"b", 1, kNow - 100, false, 0}};
  StoreContents contents;
  contents.hosts = {record("a", true, "0.5"), record("b", true)};
  contents.clock = last_round(kNow - 50);
  contents = recover(contents, published);
  EXPECT_FALSE(contents.hosts[0].up);
  EXPECT_EQ(contents.hosts[0].estimate, "0.5") << "which the row knows better";
  EXPECT_TRUE(contents.hosts[1].up) << "the row is newer";
}

TEST(Recovery, TimesThatCannotBeTrueAreLeftOut) {
  Snapshot published{1e300, 1, {}, {}};
  published.hosts = {{"a", 0.5, 1e300, true, 1e300}};
  published.outages = {{"a", 1e300, 0, "slurm"}, {"a", 10, 5, "slurm"}};
  const StoreContents contents = recover({}, published);
  EXPECT_THAT(contents.outages, IsEmpty());
  EXPECT_THAT(contents.days, IsEmpty());
  EXPECT_LE(contents.hosts[0].since, kLatestTime);
  EXPECT_EQ(contents.last_round(), 0);
}

TEST(Recovery, ChangesAreLackingOnlyAfterTheLastRound) {
  Snapshot published{kNow, 1, {}, {}};
  published.outages = {{"a", kNow - 9, kNow - 5, "slurm"}};
  StoreContents contents;
  EXPECT_FALSE(lacks_changes(contents, published)) << "a new database";
  contents.clock = last_round(kNow - 7);
  EXPECT_FALSE(lacks_changes(contents, published)) << "forgotten, or removed by hand";
  contents.clock = last_round(kNow - 10);
  EXPECT_TRUE(lacks_changes(contents, published));
  contents.outages = {{"a", kNow - 9, std::nullopt, true, "slurm"}};
  EXPECT_TRUE(lacks_changes(contents, published)) << "its end";
  contents.outages[0].end = kNow - 5;
  EXPECT_FALSE(lacks_changes(contents, published));
}

TEST(Recovery, MergingLosesNothing) {
  StoreContents disk;
  disk.hosts = {record("a", true), record("b", true, "0.5")};
  disk.days = {{"a", {1, 500, 3}}, {"b", {1, 7, 0}}};
  disk.outages = {{"a", 10, std::nullopt, true, "slurm"}, {"b", 5, 6, true, "slurm"}};
  disk.clock = last_round(30);
  StoreContents memory;
  memory.hosts = {record("a", false)};
  memory.days = {{"a", {1, 600, 1}}, {"a", {2, 1, 1}}};
  memory.outages = {{"a", 10, 40, true, "slurm"}, {"a", 45, std::nullopt, true, "heartbeat"}};
  memory.clock = last_round(50);
  const StoreContents merged = merge(disk, memory);
  EXPECT_THAT(merged.hosts, ElementsAre(record("a", false), record("b", true, "0.5")));
  EXPECT_THAT(merged.days, ElementsAre(HostDay{"a", {1, 600, 3}}, HostDay{"a", {2, 1, 1}},
                                       HostDay{"b", {1, 7, 0}}));
  EXPECT_THAT(merged.outages, ElementsAre(disk.outages[1], memory.outages[0], memory.outages[1]));
  EXPECT_EQ(merged.last_round(), 50);
  EXPECT_EQ(merge(disk, {}).last_round(), 30);
}

}  // namespace
}  // namespace tofa::health::recovery_test
