// SPDX-License-Identifier: BSD-3-Clause
// Damaged databases: the store always opens, keeps what it found, goes on with what is left and
// with what was published, and takes nothing that cannot be true.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "healthd/store.hpp"
#include "support.hpp"

namespace tofa::health::store_damage_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr double kNow = 1.7e9;
constexpr int kHosts = 60;

std::string host_name(int i) {
  return fmt::format("n{:03}", i);
}

StoreContents healthy() {
  StoreContents contents;
  for (int i = 0; i < kHosts; ++i) {
    contents.hosts.push_back({.name = host_name(i),
                              .seen = true,
                              .up = i % 7 != 0,
                              .since = kNow - 100 * i,
                              .misses_in_row = i % 7 == 0 ? 3U : 0U,
                              .misses = static_cast<std::uint64_t>(i),
                              .method = "ewma",
                              .estimate = fmt::format("{}", 0.01 * i)});
    for (int day = 0; day < 10; ++day) {
      contents.days.push_back({host_name(i), {19'660 + day, 86'000.0 + i, day == 3 ? 1U : 0U}});
    }
  }
  for (int i = 0; i < 200; ++i) {
    const double start = kNow - 5000 + 10 * i;
    contents.outages.push_back(
        {host_name(i % kHosts), start, start + 5 + i % 3, i % 5 != 0, "slurm"});
  }
  contents.clock = {{kNow, 1000, "b1"}, 50};
  return contents;
}

std::vector<Transition> transitions_of(const StoreContents& contents) {
  std::vector<Transition> transitions;
  for (const StoredOutage& outage : contents.outages) {
    transitions.push_back({outage.host, false, outage.start, true, outage.cause});
    transitions.push_back({outage.host, true, *outage.end, true, "", outage.observed});
  }
  return transitions;
}

class StoreDamageTest : public ::testing::Test {
 protected:
  void make_database() {
    Store store(path_);
    const StoreContents contents = healthy();
    store.save(contents.hosts, transitions_of(contents), kNow, contents.days, contents.clock);
  }

  // As if the program had been killed: what was saved last is in the write-ahead log.
  void make_database_with_log() {
    make_database();
    Store store(path_);
    store.save({}, {{"n001", false, kNow + 1}, {"n001", true, kNow + 2}}, kNow + 3);
    for (const char* end : {"", "-wal"}) {
      std::filesystem::copy_file(path_ + end, path_ + ".copy" + end);
    }
    path_ += ".copy";
  }

  void execute_by_hand(const char* sql) {
    const Database database = open_database(path_, SQLITE_OPEN_READWRITE);
    keep_for_good(database.get());
    execute(database.get(), sql);
  }

  std::vector<std::string> kept_aside() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      const std::string name = entry.path().filename();
      if (name.find(".damaged-") != std::string::npos) names.push_back(entry.path());
    }
    return names;
  }

  test::ScratchDirectory directory_;
  std::string path_ = directory_ / "health.db";
};

template <class Row>
void expect_rows_of(const std::vector<Row>& whole, const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_NE(std::find(whole.begin(), whole.end(), row), whole.end());
}

// Every row is one that was saved, unchanged.
void expect_subset(const StoreContents& contents, const StoreContents& whole) {
  expect_rows_of(whole.hosts, contents.hosts);
  expect_rows_of(whole.days, contents.days);
  expect_rows_of(whole.outages, contents.outages);
}

TEST_F(StoreDamageTest, AHealthyDatabaseIsLeftAlone) {
  make_database();
  Store store(path_);
  EXPECT_EQ(store.damage(), "");
  EXPECT_EQ(store.read().hosts, healthy().hosts);
  EXPECT_EQ(store.read().days, healthy().days);
  EXPECT_EQ(store.read().outages, healthy().outages);
  EXPECT_THAT(kept_aside(), IsEmpty());
}

TEST_F(StoreDamageTest, KeepsAsideWhatIsNoDatabase) {
  const std::string garbage(10'000, 'x');
  directory_.write("health.db", garbage);
  Store store(path_);
  EXPECT_THAT(store.damage(), HasSubstr("was damaged"));
  ASSERT_THAT(kept_aside(), SizeIs(1));
  EXPECT_EQ(test::contents(kept_aside()[0]), garbage);
  store.save(healthy().hosts, {}, kNow);
  EXPECT_THAT(store.read().hosts, SizeIs(kHosts));
}

TEST_F(StoreDamageTest, ReadsAroundADamagedPage) {
  make_database();
  {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(0, std::ios::end);
    const auto pages = file.tellp() / 4096;
    ASSERT_GT(pages, 12);
    file.seekp((pages - 2) * 4096);
    file << std::string(4096, '\xff');
  }
  const std::string before = test::contents(path_);
  Store store(path_);
  EXPECT_THAT(store.damage(), HasSubstr("was damaged"));
  ASSERT_THAT(kept_aside(), Not(IsEmpty()));
  const StoreContents left = store.read();
  EXPECT_GT(left.hosts.size() + left.days.size() + left.outages.size(), 400);
  expect_subset(left, healthy());
  bool kept = false;
  for (const std::string& file : kept_aside()) kept = kept || test::contents(file) == before;
  EXPECT_TRUE(kept) << "as it was found";
}

TEST_F(StoreDamageTest, TakesNoRowThatCannotBeTrue) {
  const std::vector<const char*> impossible = {
      "UPDATE host SET name = 'a b' WHERE name = 'n003'",
      "UPDATE host SET up = 2 WHERE name = 'n003'",
      "UPDATE host SET since = 9e999 WHERE name = 'n003'",
      "UPDATE host SET since = 'then' WHERE name = 'n003'",
      "UPDATE host SET misses = -1 WHERE name = 'n003'",
      "UPDATE host SET estimate = '1.5' WHERE name = 'n003'",
      "UPDATE host SET estimate = 'nan' WHERE name = 'n003'",
      "UPDATE outage SET host = 'a b' WHERE rowid = 3",
      "UPDATE outage SET start = -1 WHERE rowid = 3",
      "UPDATE outage SET end = start - 1 WHERE rowid = 3",
      "UPDATE outage SET cause = 'a' || char(10) WHERE rowid = 3",
      "UPDATE outage SET observed = 7 WHERE rowid = 3",
      "UPDATE exposure SET up_seconds = 1e12 WHERE host = 'n003' AND day = 19663",
      "UPDATE exposure SET up_seconds = -5 WHERE host = 'n003' AND day = 19663",
      "UPDATE exposure SET outages = -5 WHERE host = 'n003' AND day = 19663",
      "UPDATE exposure SET day = -3 WHERE host = 'n003' AND day = 19663",
      "UPDATE meta SET value = -1 WHERE key = 'last_round'",
      "UPDATE meta SET value = 'x' WHERE key = 'clock_even'",
      "UPDATE meta SET value = 'x' WHERE key = 'schema'",
      "DROP TABLE outage; CREATE TABLE outage (something)",
  };
  for (std::size_t i = 0; i < impossible.size(); ++i) {
    const char* sql = impossible[i];
    path_ = directory_ / fmt::format("{}.db", i);
    make_database();
    execute_by_hand(sql);
    Store store(path_);
    EXPECT_NE(store.damage(), "") << sql;
    expect_subset(store.read(), healthy());
  }
}

TEST_F(StoreDamageTest, NoticesAChangeThatCouldBeTrue) {
  make_database();
  execute_by_hand(
      "DROP TRIGGER host_by_hand; UPDATE host SET estimate = '0.5' WHERE name = 'n003'");
  Store store(path_);
  EXPECT_NE(store.damage(), "");
  EXPECT_THAT(store.read().hosts, SizeIs(kHosts - 1));
}

TEST_F(StoreDamageTest, TakesWhatPeopleWrite) {
  make_database();
  execute_by_hand(
      "UPDATE outage SET host = 'n001' WHERE host = 'n002';"
      "UPDATE host SET estimate = '0.5' WHERE name = 'n003';"
      "UPDATE exposure SET outages = 2 WHERE host = 'n003' AND day = 19663;"
      "INSERT INTO outage (host, start, end) VALUES ('n004', 5, 6)");
  Store store(path_);
  EXPECT_EQ(store.damage(), "");
  EXPECT_THAT(store.read().outages, SizeIs(201));
}

// The property that matters, for damages of all kinds at random places.
TEST_F(StoreDamageTest, AlwaysOpensAndTakesOnlyWhatWasSaved) {
  make_database_with_log();
  const std::string file = test::contents(path_);
  const std::string log = test::contents(path_ + "-wal");
  StoreContents whole = healthy();
  whole.outages.push_back({"n001", kNow + 1, kNow + 2, true, "heartbeat"});
  const char* const seed = std::getenv("TOFA_SEED");
  std::mt19937_64 random(seed == nullptr ? 20'26 : std::strtoul(seed, nullptr, 10));
  const auto below = [&](std::size_t limit) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(limit, 1));
  };
  const char* const wanted = std::getenv("TOFA_DAMAGES");  // as many as one has time for
  const int rounds = wanted == nullptr ? 150 : std::atoi(wanted);
  int noticed = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    std::string damaged = round % 5 == 4 ? log : file;
    switch (round % 4) {
      case 0:
        for (std::size_t n = 1 + below(30); n > 0; --n) {
          damaged[below(damaged.size())] ^= static_cast<char>(1U << below(8));
        }
        break;
      case 1:
        damaged.resize(below(damaged.size()));
        break;
      case 2: {
        const std::size_t page = below(damaged.size() / 4096) * 4096;
        damaged.replace(page, 4096, std::string(4096, '\0'));
        break;
      }
      default: {
        const std::size_t at = below(damaged.size());
        for (std::size_t i = at; i < std::min(damaged.size(), at + 500); ++i) {
          damaged[i] = static_cast<char>(random());
        }
      }
    }
    const std::string path =
        directory_.write(fmt::format("{}.db", round), round % 5 == 4 ? file : damaged);
    directory_.write(fmt::format("{}.db-wal", round), round % 5 == 4 ? damaged : log);
    try {
      Store store(path);
      noticed += store.damage().empty() ? 0 : 1;
      expect_subset(store.read(), whole);
      store.save(healthy().hosts, {{"n001", false, kNow + 50}}, kNow + 60);
      EXPECT_EQ(store.read().hosts, healthy().hosts);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
    EXPECT_EQ(Store(path).damage(), "") << "what it goes on in is whole";
  }
  EXPECT_GT(noticed, rounds / 2);
}

Snapshot published() {
  Snapshot snapshot{kNow + 10, 1, {}, {}};
  snapshot.hosts = {{"n001", 1, kNow + 10, false, 0.5}, {"n003", 0.25, kNow + 10, true, 0.01}};
  snapshot.outages = {{"n003", kNow - 4970, kNow - 4965, "slurm"},
                      {"n001", kNow + 5, 0, "heartbeat"}};
  return snapshot;
}

TEST_F(StoreDamageTest, TheSnapshotFillsInWhatIsMissing) {
  directory_.write("health.db", std::string(10'000, 'x'));
  Store store(path_, published());
  const StoreContents contents = store.read();
  ASSERT_THAT(contents.hosts, SizeIs(2));
  EXPECT_EQ(contents.hosts[0].name, "n001");
  EXPECT_FALSE(contents.hosts[0].up);
  EXPECT_EQ(contents.hosts[1].estimate, "0.25");
  EXPECT_THAT(contents.lasting_outages(), ElementsAre("n001"));
  EXPECT_THAT(contents.outages, SizeIs(2));
  EXPECT_EQ(contents.last_round(), kNow + 10);
}

TEST_F(StoreDamageTest, AnEmptyFileIsFilledFromTheSnapshot) {
  directory_.write("health.db", "");
  Store store(path_, published());
  EXPECT_THAT(store.damage(), HasSubstr("was empty"));
  EXPECT_THAT(store.read().outages, SizeIs(2));
}

TEST_F(StoreDamageTest, ALostLogIsNoticedByWhatWasPublished) {
  make_database();
  Store store(path_, published());
  EXPECT_THAT(store.damage(), HasSubstr("lacked the last changes"));
  EXPECT_THAT(store.read().outages, SizeIs(201)) << "the other one is known";
  EXPECT_THAT(store.read().lasting_outages(), ElementsAre("n001"));
}

TEST_F(StoreDamageTest, ANewDatabaseTakesNothingFromAnOldSnapshot) {
  Store store(path_, published());
  EXPECT_EQ(store.damage(), "");
  EXPECT_THAT(store.read().hosts, IsEmpty());
}

}  // namespace
}  // namespace tofa::health::store_damage_test
