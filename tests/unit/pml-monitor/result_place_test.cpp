// SPDX-License-Identifier: BSD-3-Clause
// Two runs never share a name, and nothing of an earlier one is touched unasked.
#include "result_place.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "partner_arena.h"

namespace tofa::result_place_test {
namespace {

// Lustre without the option `flock`.
bool no_locks = false;

namespace fs = std::filesystem;

class ResultPlaceTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tofa-place-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override {
    result_place_release(&place_);
    fs::remove_all(directory_);
  }
  int take(const std::string& name, bool overwrite = false) {
    result_place_release(&place_);
    return result_place_take(&place_, (directory_ / name).c_str(), overwrite);
  }
  std::string name() const { return fs::path(place_.stem).filename().string(); }
  void touch(const std::string& name) const { std::ofstream(directory_ / name) << "x"; }

  fs::path directory_;
  result_place place_ = {};
};

TEST_F(ResultPlaceTest, TakesTheNameWhereItIsFree) {
  ASSERT_EQ(take("app"), 0);
  EXPECT_EQ(name(), "app");
  EXPECT_EQ(std::string(place_.folder), (directory_ / "app.counts").string());
  EXPECT_TRUE(fs::is_directory(place_.folder));
}

TEST_F(ResultPlaceTest, GivesNumbersToRunsAtTheSameTime) {
  ASSERT_EQ(take("app"), 0);
  ASSERT_EQ(take("app"), 0);
  EXPECT_EQ(name(), "app.1");
  ASSERT_EQ(take("app"), 0);
  EXPECT_EQ(name(), "app.2");
}

TEST_F(ResultPlaceTest, GivesANumberWhereAnyFileOfAResultIs) {
  for (const char* file : {"a.bytes.mtx", "b.messages.mtx", "c.user.bytes.mtx",
                           "d.collective.messages.mtx", "e.phase4.bytes.mtx", "f.ranks.json"}) {
    touch(file);
    ASSERT_EQ(take(std::string(file, 1)), 0);
    EXPECT_EQ(name(), std::string(file, 1) + ".1");
  }
}

TEST_F(ResultPlaceTest, OverwritesOnlyWhenAsked) {
  touch("app.bytes.mtx");
  ASSERT_EQ(take("app", true), 0);
  EXPECT_EQ(name(), "app");
  EXPECT_TRUE(fs::exists(directory_ / "app.bytes.mtx"));
  touch("app.counts/7");
  ASSERT_EQ(take("app", true), 0);
  EXPECT_TRUE(fs::is_empty(place_.folder));
}

// Its ranks may not have made their files yet.
TEST_F(ResultPlaceTest, OverwritesNoRunThatHasNotEnded) {
  result_place running = {};
  ASSERT_EQ(result_place_take(&running, (directory_ / "app").c_str(), true), 0);
  EXPECT_TRUE(running.overwrite);
  touch("app.1.bytes.mtx");
  ASSERT_EQ(take("app", true), 0);
  EXPECT_EQ(name(), "app.2");
  EXPECT_FALSE(place_.overwrite);
  EXPECT_TRUE(fs::is_directory(running.folder));
  result_place_release(&running);
  ASSERT_EQ(take("app", true), 0);
  EXPECT_EQ(name(), "app");
}

// Where rank 0 is on another host, its lock on the folder may not be seen, but those on files are.
TEST_F(ResultPlaceTest, OverwritesNothingOfARankThatLives) {
  fs::create_directory(directory_ / "app.counts");
  touch("app.counts/0");
  for (const char* file : {"app.counts/3", "app.counts/3.parts"}) {
    partner_arena* arena = partner_arena_new((directory_ / file).c_str(), nullptr);
    ASSERT_NE(arena, nullptr);
    ASSERT_EQ(take("app", true), 0);
    EXPECT_NE(name(), "app");
    EXPECT_TRUE(fs::exists(directory_ / "app.counts/0"));
    EXPECT_TRUE(fs::exists(directory_ / file));
    partner_arena_free(arena);
    fs::remove(directory_ / file);
  }
  ASSERT_EQ(take("app", true), 0);
  EXPECT_EQ(name(), "app");
  EXPECT_TRUE(fs::is_empty(place_.folder));
}

// A job that was killed need not have ended when the next one starts.
TEST_F(ResultPlaceTest, OverwritesNothingWhereNobodyKnowsWhoLives) {
  fs::create_directory(directory_ / "app.counts");
  touch("app.counts/3");
  no_locks = true;
  const int error = take("app", true);
  no_locks = false;
  ASSERT_EQ(error, 0);
  EXPECT_EQ(name(), "app.1");
  EXPECT_TRUE(fs::exists(directory_ / "app.counts/3"));
}

TEST_F(ResultPlaceTest, WaitsAMomentForWhoIsAboutToEnd) {
  result_place dying = {};
  ASSERT_EQ(result_place_take(&dying, (directory_ / "app").c_str(), false), 0);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    result_place_release(&dying);
  });
  EXPECT_EQ(take("app", true), 0);
  end.join();
  EXPECT_EQ(name(), "app");
}

// Of several runs that start at the same time, one gets the name.
TEST_F(ResultPlaceTest, GivesEachRunAPlaceOfItsOwn) {
  for (int round = 0; round < 3; ++round) {
    fs::create_directory(directory_ / "app.counts");
    std::array<result_place, 4> places = {};
    std::vector<std::thread> threads;
    threads.reserve(places.size());
    for (result_place& place : places) {
      threads.emplace_back(
          [&] { EXPECT_EQ(result_place_take(&place, (directory_ / "app").c_str(), true), 0); });
    }
    for (std::thread& thread : threads) thread.join();
    std::set<std::string> stems;
    for (result_place& place : places) {
      stems.insert(place.stem);
      EXPECT_TRUE(fs::remove(place.folder));
      result_place_release(&place);
    }
    EXPECT_EQ(stems.size(), places.size());
  }
}

TEST_F(ResultPlaceTest, DoesNotRemoveWhatIsNotItsOwn) {
  fs::create_directory(directory_ / "app.counts");
  touch("app.counts/notes");
  EXPECT_NE(take("app", true), 0);
  EXPECT_EQ(std::string(place_.failed), (directory_ / "app.counts").string());
  EXPECT_TRUE(fs::exists(directory_ / "app.counts/notes"));
}

TEST_F(ResultPlaceTest, SaysWhatItCannotWrite) {
  EXPECT_EQ(take("missing/app"), ENOENT);
  EXPECT_EQ(std::string(place_.failed), (directory_ / "missing/app.counts").string());
  touch("file");
  EXPECT_EQ(take("file/app"), ENOTDIR);
  fs::create_directory(directory_ / "app.messages.mtx");
  EXPECT_EQ(take("app", true), EISDIR);
  EXPECT_EQ(std::string(place_.failed), (directory_ / "app.messages.mtx").string());
  EXPECT_EQ(take(std::string(250, 'x')), ENAMETOOLONG);
}

TEST_F(ResultPlaceTest, ClearsWhatRanksLeft) {
  ASSERT_EQ(take("app"), 0);
  touch("app.counts/0");
  touch("app.counts/12");
  result_place_clear(&place_);
  EXPECT_TRUE(fs::is_empty(directory_));
}

}  // namespace

// In place of the C library's.
extern "C" int flock(int file, int operation) noexcept {
  if (no_locks) {
    errno = ENOSYS;
    return -1;
  }
  return static_cast<int>(syscall(SYS_flock, file, operation));
}

}  // namespace tofa::result_place_test
