// SPDX-License-Identifier: BSD-3-Clause
// Past outages from a log: what is new goes in, what is there already does not count twice.
#include "healthd/history_import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "healthd/exposure.hpp"
#include "healthd/store.hpp"
#include "support.hpp"

namespace tofa::health::history_import_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr double kBegin = 20'000 * kDay;  // of the log
constexpr double kNow = kBegin + 100 * kDay;

HealthdConfig make_config(const std::string& method = "gamma") {
  HealthdConfig config;
  config.estimator.method = method;
  for (const char* host : {"n0", "n1", "n2"}) config.hosts.push_back({host, {host, 7411}});
  return config;
}

// Times in days since the log's begin.
LoggedOutage outage(std::uint32_t host, double start, double end, const std::string& cause = "") {
  return {host, kBegin + start * kDay, kBegin + end * kDay, cause};
}

OutageLog make_log() {
  OutageLog log;
  log.hosts = {"n0", "n1", "db1"};
  log.classes.resize(3);
  log.outages = {outage(0, 0, 0.5, "Not responding"), outage(2, 10, 11), outage(0, 20, 21),
                 outage(1, 30, 31, "power\x01")};
  log.span = {kBegin, kBegin + 40 * kDay};
  return log;
}

HostEvidence evidence_in(const StoreContents& contents, const std::string& host) {
  HostEvidence evidence;
  for (const HostRecord& record : contents.hosts) {
    if (record.name == host) evidence.restore(record.estimate);
  }
  return evidence;
}

// As the database is after an import.
StoreContents with(StoreContents contents, const StoreContents& added) {
  for (const HostRecord& record : added.hosts) {
    std::erase_if(contents.hosts, [&](const auto& other) { return other.name == record.name; });
    contents.hosts.push_back(record);
  }
  contents.days.insert(contents.days.end(), added.days.begin(), added.days.end());
  contents.outages.insert(contents.outages.end(), added.outages.begin(), added.outages.end());
  return contents;
}

TEST(HistoryImport, OutagesOfConfiguredHostsGoIn) {
  const ImportPlan plan = plan_import(make_log(), make_config(), {}, kNow);
  EXPECT_THAT(
      plan.added.outages,
      ElementsAre(StoredOutage{"n0", kBegin, kBegin + 0.5 * kDay, true, "log: Not responding"},
                  StoredOutage{"n0", kBegin + 20 * kDay, kBegin + 21 * kDay, true, "log"},
                  StoredOutage{"n1", kBegin + 30 * kDay, kBegin + 31 * kDay, true, "log: power"}));
  EXPECT_EQ(plan.known, 0);
  EXPECT_EQ(plan.of_others, 1);
  EXPECT_EQ(plan.other, "db1");
}

TEST(HistoryImport, EstimatesLearnFromItAlsoOfHostsThatDidNotFail) {
  const ImportPlan plan = plan_import(make_log(), make_config(), {}, kNow);
  ASSERT_THAT(plan.added.hosts, SizeIs(3));
  for (const HostRecord& record : plan.added.hosts) {
    EXPECT_EQ(record.method, "gamma");
    EXPECT_FALSE(record.seen) << "whether an agent runs there, the log does not know";
    EXPECT_TRUE(record.up);
  }
  const HostEvidence failed = evidence_in(plan.added, "n0");
  EXPECT_NEAR(failed.outages(), 1.8, 0.1) << "two, the older ones count less";
  EXPECT_NEAR(failed.age_days(kBegin + 40 * kDay), 19, 1e-3);
  const HostEvidence fine = evidence_in(plan.added, "n2");
  EXPECT_EQ(fine.outages(), 0);
  EXPECT_NEAR(fine.up_days(), 37, 0.5) << "forty, those long ago count less";
  EXPECT_FALSE(fine.has_failed());
}

TEST(HistoryImport, TheSameLogAgainAddsNothing) {
  const ImportPlan first = plan_import(make_log(), make_config(), {}, kNow);
  const ImportPlan again = plan_import(make_log(), make_config(), with({}, first.added), kNow);
  EXPECT_THAT(again.added.outages, IsEmpty());
  EXPECT_THAT(again.added.days, IsEmpty());
  EXPECT_EQ(again.known, 3);
  // Also when the outages have been forgotten meanwhile.
  StoreContents pruned = with({}, first.added);
  pruned.outages.clear();
  pruned.days.clear();
  EXPECT_THAT(plan_import(make_log(), make_config(), pruned, kNow).added.hosts, IsEmpty());
}

TEST(HistoryImport, ALongerLogAddsWhatItHasMore) {
  const ImportPlan first = plan_import(make_log(), make_config(), {}, kNow);
  OutageLog longer = make_log();
  longer.outages.insert(longer.outages.begin(), outage(1, -60, -59));
  longer.span.from = kBegin - 60 * kDay;
  const ImportPlan more = plan_import(longer, make_config(), with({}, first.added), kNow);
  EXPECT_THAT(more.added.outages, SizeIs(1));
  EXPECT_NEAR(evidence_in(more.added, "n0").outages(), evidence_in(first.added, "n0").outages(),
              1e-6);
  EXPECT_NEAR(evidence_in(more.added, "n1").outages(), 0.97 + 0.68, 0.02);
  EXPECT_NEAR(evidence_in(more.added, "n2").up_days(), 83, 1) << "a hundred, by now";
}

TEST(HistoryImport, WhatOverlapsAnOutageIsThatOne) {
  StoreContents saved;
  saved.outages = {{"n0", kBegin + 20.1 * kDay, kBegin + 20.9 * kDay, true, "heartbeat"},
                   {"n1", kBegin + 30.5 * kDay, std::nullopt, true, "slurm"}};
  const ImportPlan plan = plan_import(make_log(), make_config(), saved, kNow);
  EXPECT_THAT(plan.added.outages, SizeIs(1));
  EXPECT_EQ(plan.known, 2);
}

TEST(HistoryImport, TimeThatWasWatchedDoesNotCountTwice) {
  StoreContents saved;
  HostEvidence own;
  own.watch(kBegin + 15 * kDay, kBegin + 15.5 * kDay);
  for (int day = 0; day < 70; ++day) {
    own.watch(kBegin + (15.5 + day) * kDay, kBegin + (16.5 + day) * kDay);
  }
  HostRecord record{.name = "n0",
                    .seen = true,
                    .up = true,
                    .since = 0,
                    .misses_in_row = 0,
                    .misses = 7,
                    .method = "gamma",
                    .estimate = own.save()};
  saved.hosts = {record};
  const ImportPlan plan = plan_import(make_log(), make_config(), saved, kNow);
  const HostEvidence merged = evidence_in(plan.added, "n0");
  EXPECT_NEAR(merged.watched_since(), kBegin, 1.5 * kDay);
  EXPECT_NEAR(merged.outages(), 0.72, 0.02) << "the one before, by now; not that of day 20";
  EXPECT_TRUE(merged.has_failed());
  EXPECT_EQ(plan.added.hosts[0].misses, 7);
  EXPECT_TRUE(plan.added.hosts[0].seen);
}

TEST(HistoryImport, DaysForRatesAreThoseOfTheWindow) {
  HealthdConfig config = make_config("ewma");
  config.rate_days = 75;
  const ImportPlan plan = plan_import(make_log(), config, {}, kNow);
  EXPECT_THAT(plan.added.hosts, IsEmpty()) << "other methods know heartbeats only";
  double up = 0;
  std::uint64_t outages = 0;
  for (const HostDay& day : plan.added.days) {
    EXPECT_GT(day.day.day, 20'025);
    if (day.host != "n1") continue;
    up += day.day.up_seconds;
    outages += day.day.outages;
  }
  EXPECT_EQ(outages, 1);
  EXPECT_NEAR(up, 13 * kDay, 1) << "days 26 to 40 without the one in which it was out";
}

TEST(HistoryImport, AnOutageThatLastsWasOverAtSomeTime) {
  OutageLog log = make_log();
  log.outages.back().end = std::numeric_limits<double>::infinity();
  const ImportPlan plan = plan_import(log, make_config(), {}, kNow);
  EXPECT_EQ(plan.added.outages.back().end, log.span.to);
  EXPECT_FALSE(plan.added.outages.back().observed);
}

TEST(HistoryImport, WritesToTheDatabaseAndSaysWhatItDid) {
  const test::ScratchDirectory directory;
  HealthdConfig config = make_config();
  config.database = directory / "health.db";
  const std::string log =
      directory.write("log.csv",
                      "host,start,end,cause\nn[0-1],2026-01-02T00:00,2026-01-02T01:00,power\n"
                      "n0,2026-02-03,2026-02-04,fan\ndb1,2026-03-04,2026-03-05,\n");
  const double now = 1'780'000'000;
  EXPECT_EQ(import_history(log, config, now),
            log +
                ": 4 outages from 2026-01-02 to 2026-03-05\nadded: 3\nknown already: 0\n"
                "of hosts that are not configured, such as db1: 1\n"
                "hosts whose estimates reach further back now: 3\n");
  EXPECT_THAT(import_history(log, config, now),
              ::testing::HasSubstr("added: 0\nknown already: 3\n"));
  Store store(config.database);
  EXPECT_EQ(store.damage(), "");
  EXPECT_THAT(store.read().outages, SizeIs(3));
  EXPECT_EQ(store.read().outages[2].cause, "log: fan");
}

TEST(HistoryImport, NamesWhatIsWrongAndChangesNothing) {
  const test::ScratchDirectory directory;
  HealthdConfig config = make_config();
  config.database = directory / "health.db";
  const auto problem = [&](const std::string& text) {
    const std::string log = directory.write("log.csv", text);
    return test::error_of([&] { import_history(log, config, 1'780'000'000); });
  };
  EXPECT_THAT(problem("n0,100,200\nn0,yesterday,300\n"), ::testing::HasSubstr("log.csv:2: "));
  EXPECT_THAT(problem("n0,2026-01-01,2062-01-02\n"),
              ::testing::HasSubstr("2062-01-02, which is in the future"));
  EXPECT_THAT(problem(""), ::testing::HasSubstr("no outage in it"));
  EXPECT_FALSE(std::filesystem::exists(config.database));
  const Store daemon(config.database);
  EXPECT_THAT(problem("n0,100,200\n"), ::testing::HasSubstr("another tofa-healthd is using"));
}

}  // namespace
}  // namespace tofa::health::history_import_test
