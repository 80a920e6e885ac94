// SPDX-License-Identifier: BSD-3-Clause
// The database of tofa-healthd: nothing that was saved is lost, and what cannot be trusted is
// refused.
#include "healthd/store.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "healthd/sqlite.hpp"
#include "support.hpp"

namespace tofa::health::store_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StoreTest : public ::testing::Test {
 protected:
  // All outages, as text.
  std::vector<std::string> outages() {
    sqlite3* database = nullptr;
    ::sqlite3_open(path_.c_str(), &database);
    std::vector<std::string> rows;
    {
      Statement statement(
          database,
          "SELECT host || ' ' || start || ' ' || ifnull(end, '-') || ' ' || observed "
          "FROM outage ORDER BY host, start");
      while (statement.step()) rows.push_back(statement.text(0));
    }
    ::sqlite3_close(database);
    return rows;
  }

  test::ScratchDirectory directory_;
  std::string path_ = directory_ / "health.db";
};

const HostRecord kRecord{.name = "n1",
                         .seen = true,
                         .up = false,
                         .since = 12.5,
                         .misses_in_row = 3,
                         .misses = 7,
                         .method = "ewma",
                         .estimate = "0.25",
                         .boot = 0xfedcba9876543210};

TEST_F(StoreTest, KeepsTheReasonOfAnOutage) {
  Store(path_).save({}, {{"n1", false, 10, true, "check gpu: no \"device\""}}, 20);
  Store store(path_);
  EXPECT_EQ(store.damage(), "");
  EXPECT_EQ(store.read().outages.at(0).cause, "check gpu: no \"device\"");
}

TEST_F(StoreTest, KeepsRecordsAcrossARestart) {
  {
    Store store(path_);
    EXPECT_TRUE(store.read().hosts.empty());
    store.save({kRecord}, {}, 20);
  }
  EXPECT_THAT(Store(path_).read().hosts, ElementsAre(kRecord));
}

TEST_F(StoreTest, NobodyElseMayReadItsFiles) {
  const auto modes = [&] {
    std::vector<std::string> found;
    for (const char* end : {"", "-wal", "-shm"}) {
      struct stat info {};
      EXPECT_EQ(::stat((path_ + end).c_str(), &info), 0) << end;
      found.push_back(fmt::format("{:o}", info.st_mode & 07777));
    }
    return found;
  };
  {
    Store store(path_);
    store.save({kRecord}, {}, 20);
    EXPECT_THAT(modes(), ElementsAre("600", "600", "600"));
    // As an earlier version that was killed left them.
    for (const char* end : {"", "-wal", "-shm"}) {
      std::filesystem::copy_file(path_ + end, path_ + ".old" + end);
    }
  }
  path_ += ".old";
  for (const char* end : {"", "-wal", "-shm"}) ::chmod((path_ + end).c_str(), 0644);
  Store store(path_);
  EXPECT_THAT(store.read().hosts, ElementsAre(kRecord));
  EXPECT_THAT(modes(), ElementsAre("600", "600", "600"));
}

TEST_F(StoreTest, RecordsOutagesFromBeginToEnd) {
  Store store(path_);
  store.save({}, {{"a", false, 10}, {"b", false, 11}}, 12);
  store.save({}, {{"a", true, 15}}, 16);
  EXPECT_THAT(outages(), ElementsAre("a 10.0 15.0 1", "b 11.0 - 1"));
}

TEST_F(StoreTest, OutagesGoOnOverARestart) {
  { Store(path_).save({}, {{"a", false, 10}, {"b", false, 11}, {"gone", false, 12}}, 30); }
  Store store(path_);
  EXPECT_THAT(store.read().lasting_outages(), ::testing::UnorderedElementsAre("a", "b", "gone"));
  EXPECT_EQ(store.read().last_round(), 30);
  store.save({},
             {{"a", false, 99},
              {"b", true, 30, true, "heartbeat", false},
              {"gone", true, 30, true, "heartbeat", false}},
             100);
  EXPECT_THAT(outages(), ElementsAre("a 10.0 - 1", "b 11.0 30.0 0", "gone 12.0 30.0 0"))
      << "a host has one outage at a time";
  store.save({}, {{"a", true, 120}}, 121);
  EXPECT_THAT(outages(), ElementsAre("a 10.0 120.0 1", "b 11.0 30.0 0", "gone 12.0 30.0 0"));
}

TEST_F(StoreTest, KeepsWhatTheClocksSaid) {
  const ClockMark mark{{30, 1000.5, "b1"}, 77};
  {
    Store store(path_);
    EXPECT_EQ(store.read().last_round(), 0);
    store.save({}, {}, 30, {}, mark);
  }
  EXPECT_EQ(Store(path_).read().clock, mark);
}

TEST_F(StoreTest, ForgetsOnlyWhatIsOld) {
  Store store(path_);
  store.save(
      {}, {{"a", false, 1}, {"a", true, 2}, {"b", false, 3}, {"b", true, 50}, {"c", false, 4}}, 60);
  store.forget_before(40);
  EXPECT_THAT(outages(), ElementsAre("b 3.0 50.0 1", "c 4.0 - 1"));
}

TEST_F(StoreTest, ASaveThatFailsChangesNothingAndCanBeRepeated) {
  Store store(path_);
  store.save({kRecord}, {}, 20);
  sqlite3* other = nullptr;
  ::sqlite3_open(path_.c_str(), &other);
  execute(
      other,
      "CREATE TRIGGER full BEFORE INSERT ON outage BEGIN SELECT RAISE(ABORT, 'disk full'); END");
  HostRecord changed = kRecord;
  changed.estimate = "0.75";
  EXPECT_THAT(test::error_of([&] {
                store.save({changed}, {{"n1", false, 1}}, 30);
              }),
              HasSubstr("disk full"));
  EXPECT_THAT(store.read().hosts, ElementsAre(kRecord));
  execute(other, "DROP TRIGGER full");
  ::sqlite3_close(other);
  store.save({changed}, {{"n1", false, 1}}, 30);
  EXPECT_THAT(store.read().hosts, ElementsAre(changed));
}

TEST_F(StoreTest, KeepsCausesAndDays) {
  const HostDay day{"a", {.day = 20000, .up_seconds = 3600.5, .outages = 2}};
  {
    Store store(path_);
    store.save({}, {{"a", false, 10, true, "slurm"}, {"b", false, 11}, {"a", true, 12}}, 20,
               {{"a", {19000, 1, 0}}, {"a", {20000, 1, 1}}});
    store.save({}, {}, 20, {day});
    store.forget_before(0, 19500);
  }
  Store store(path_);
  EXPECT_THAT(store.read().days, ElementsAre(day));
  EXPECT_THAT(store.read().latest_outages(10),
              ElementsAre(PastOutage{"a", 10, 12, "slurm"}, PastOutage{"b", 11, 0, "heartbeat"}));
  EXPECT_THAT(store.read().latest_outages(1), ElementsAre(PastOutage{"b", 11, 0, "heartbeat"}));
}

TEST_F(StoreTest, BringsADatabaseOfTheFirstSchemaUpToDate) {
  sqlite3* database = nullptr;
  ::sqlite3_open(path_.c_str(), &database);
  execute(database, R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE host (
  name TEXT PRIMARY KEY, seen INTEGER NOT NULL, up INTEGER NOT NULL, since REAL NOT NULL,
  misses_in_row INTEGER NOT NULL, misses INTEGER NOT NULL, method TEXT NOT NULL, estimate TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE outage (
  host TEXT NOT NULL, start REAL NOT NULL, end REAL, observed INTEGER NOT NULL DEFAULT 1);
INSERT INTO meta VALUES ('schema', 1), ('last_round', 30);
INSERT INTO host VALUES ('n1', 1, 0, 12.5, 3, 7, 'ewma', '0.25');
INSERT INTO outage VALUES ('n1', 1.0, 2.0, 1), ('n1', 12.5, NULL, 1);)");
  ::sqlite3_close(database);
  for (int opened = 0; opened < 2; ++opened) {
    Store store(path_);
    HostRecord expected = kRecord;
    expected.boot = 0;
    EXPECT_THAT(store.read().hosts, ElementsAre(expected));
    EXPECT_TRUE(store.read().days.empty());
    EXPECT_THAT(
        store.read().latest_outages(10),
        ElementsAre(PastOutage{"n1", 1, 2, "heartbeat"}, PastOutage{"n1", 12.5, 0, "heartbeat"}));
  }
}

// As version 3 made it, which knew of no boots; the row of n2 is damaged.
class SchemaThree : public StoreTest {
 protected:
  SchemaThree() {
    const Database database = open_database(path_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    execute(database.get(), R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE host (
  name TEXT PRIMARY KEY, seen INTEGER NOT NULL, up INTEGER NOT NULL, since REAL NOT NULL,
  misses_in_row INTEGER NOT NULL, misses INTEGER NOT NULL, method TEXT NOT NULL, estimate TEXT NOT NULL,
  sum INTEGER) WITHOUT ROWID;
CREATE TRIGGER host_by_hand AFTER UPDATE ON host WHEN new.sum = old.sum BEGIN
  UPDATE host SET sum = NULL WHERE name = new.name; END;
INSERT INTO meta VALUES ('schema', 3), ('last_round', 30);
INSERT INTO host VALUES ('n1', 1, 0, 12.5, 3, 7, 'ewma', '0.25',
  checksum('n1', 1, 0, 12.5, 3, 7, 'ewma', '0.25'));)");
  }
  void damage() {
    const Database database = open_database(path_, SQLITE_OPEN_READWRITE);
    execute(database.get(),
            "INSERT INTO host VALUES ('n2', 1, 1, 1.5, 0, 0, 'ewma', '0.5', 12345)");
  }
  HostRecord expected_ = [] {
    HostRecord record = kRecord;
    record.boot = 0;
    return record;
  }();
};

TEST_F(SchemaThree, IsBroughtUpToDate) {
  for (int opened = 0; opened < 2; ++opened) {
    Store store(path_);
    EXPECT_EQ(store.damage(), "");
    EXPECT_THAT(store.read().hosts, ElementsAre(expected_));
  }
  Store(path_).save({kRecord}, {}, 40);
  EXPECT_THAT(Store(path_).read().hosts, ElementsAre(kRecord));
}

TEST_F(SchemaThree, DamageIsNotBroughtUpToDate) {
  damage();
  Store store(path_);
  EXPECT_THAT(store.damage(), HasSubstr("1 hosts and 0 outages could be read"));
  EXPECT_THAT(store.read().hosts, ElementsAre(expected_));
}

TEST_F(SchemaThree, WhatIsDamagedBeforeItIsBroughtUpToDateIsRead) {
  damage();
  const Database database = open_database(path_, SQLITE_OPEN_READONLY);
  EXPECT_THAT(salvage_contents(database.get()).hosts, ElementsAre(expected_));
}

TEST_F(StoreTest, AnImportedOutageIsNoRestartBesides) {
  StoreContents contents;
  contents.clock.last.wall = 100;
  contents.hosts = {{.name = "a", .boot = 7}, {.name = "b", .boot = 7}};
  contents.outages = {{"a", 110, 120, true, "log"}, {"b", 80, 90, true, "log"}};
  contents.forget_known_restarts();
  EXPECT_EQ(contents.hosts[0].boot, 0);
  EXPECT_EQ(contents.hosts[1].boot, 7);
}

TEST_F(StoreTest, RefusesANewerSchema) {
  { const Store store(path_); }
  sqlite3* database = nullptr;
  ::sqlite3_open(path_.c_str(), &database);
  execute(database, "UPDATE meta SET value = 99 WHERE key = 'schema'");
  ::sqlite3_close(database);
  EXPECT_THAT(test::error_of([&] { Store store(path_); }), HasSubstr("has schema 99"));
  EXPECT_TRUE(std::filesystem::exists(path_)) << "it is not ours to judge";
}

TEST_F(StoreTest, RefusesASecondDaemon) {
  const Store first(path_);
  EXPECT_THAT(test::error_of([&] { Store store(path_); }), HasSubstr("another tofa-healthd"));
}

TEST_F(StoreTest, RefusesASecondDaemonByAnyPath) {
  const Store first(path_);
  std::filesystem::create_symlink(path_, directory_ / "symbolic.db");
  std::filesystem::create_hard_link(path_, directory_ / "hard.db");
  for (const char* name : {"symbolic.db", "hard.db"}) {
    EXPECT_THAT(test::error_of([&] { Store store(directory_ / name); }),
                HasSubstr("another tofa-healthd"))
        << name;
  }
}

TEST_F(StoreTest, TheLockEndsWithTheStore) {
  for (int i = 0; i < 3; ++i) {
    Store store(path_);
    store.save({kRecord}, {}, 20);
  }
  EXPECT_EQ(Store(path_).read().hosts.size(), 1);
}

TEST_F(StoreTest, NamesAFolderThatIsNotThere) {
  EXPECT_THAT(test::error_of([&] { Store store(directory_ / "missing/health.db"); }),
              HasSubstr("must exist and be writable"));
}

Change event_of(const std::string& host, double start, double end) {
  return {.time = 100,
          .user = "root",
          .kind = ChangeKind::event,
          .host = host,
          .reason = "gpu",
          .start = start,
          .end = end};
}

Change merge_of(const std::string& host, const std::string& into, double time) {
  return {.time = time,
          .user = "root",
          .kind = ChangeKind::merge,
          .host = host,
          .reason = "rack",
          .start = time,
          .into = into};
}

TEST_F(StoreTest, AnOutageUnderAFormerNameIsKnownAlready) {
  Store store(path_);
  store.save({}, {{"a", false, 10}, {"a", true, 20}, {"x", false, 60}, {"x", true, 70}}, 20);
  store.save_changes({merge_of("a", "b", 30), merge_of("b", "c", 40)});
  for (const double start : {5.0, 15.0, 20.0}) {
    EXPECT_THAT(test::error_of([&] { store.save_changes({event_of("c", start, 25)}); }),
                HasSubstr("an outage of c at that time is known already (heartbeat)"))
        << start;
  }
  // The name is another host's by now, and what x did is no matter of c's.
  store.save({}, {{"a", false, 62}, {"a", true, 64}}, 65);
  store.save_changes({event_of("c", 62, 64)});
  EXPECT_EQ(store.read().outages.size(), 4);
}

TEST_F(StoreTest, AnEventIsRecordedOfTheHostThatHadTheName) {
  Store store(path_);
  // The name b was another host's until 10; then a became b.
  store.save_changes({merge_of("b", "c", 10), merge_of("a", "b", 20)});
  store.save_changes({event_of("b", 4, 5)});
  store.save_changes({event_of("c", 4, 5)});
  EXPECT_THAT(test::error_of([&] { store.save_changes({event_of("b", 5, 6)}); }),
              HasSubstr("is known already"));
  std::vector<std::string> hosts;
  for (const StoredOutage& outage : store.read().outages) hosts.push_back(outage.host);
  EXPECT_THAT(hosts, ::testing::UnorderedElementsAre("b", "c"));
}

}  // namespace
}  // namespace tofa::health::store_test
