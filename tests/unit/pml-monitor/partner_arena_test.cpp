// SPDX-License-Identifier: BSD-3-Clause
// Counters in a file: there after a process was killed, wherever it was, and no matter for the
// program when there can be no file.
#include "partner_arena.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "partner_table.h"

namespace tofa::partner_arena_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHeadSize = 512, kRecordSize = 112, kBlockSize = 4096;

class PartnerArenaTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tofa-arena-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    path_ = (directory_ / "7").string();
  }
  void TearDown() override { fs::remove_all(directory_); }

  std::string bytes() const {
    std::ifstream stream(path_, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  bool is_in_use() const {
    const int file = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    const bool locked = flock(file, LOCK_SH | LOCK_NB) != 0;
    close(file);
    return locked;
  }
  template <typename Number>
  static Number number(const std::string& bytes, std::size_t at) {
    Number value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  // Messages of the user, by partner.
  std::map<uint32_t, uint64_t> messages() const {
    std::map<uint32_t, uint64_t> found;
    const std::string file = bytes();
    for (std::size_t at = kHeadSize; at + kRecordSize <= file.size(); at += kRecordSize) {
      const std::size_t left = kBlockSize - at % kBlockSize;
      if (left < kRecordSize) at += left;
      if (at == file.size() || number<uint32_t>(file, at + 4) == 0) continue;
      found[number<uint32_t>(file, at)] += number<uint64_t>(file, at + 56);
    }
    return found;
  }

  fs::path directory_;
  std::string path_;
};

TEST_F(PartnerArenaTest, WhatWasCountedSurvivesSigkill) {
  const pid_t child = fork();
  if (child == 0) {
    partner_table* table = partner_table_new(partner_arena_new(path_.c_str(), nullptr));
    for (uint32_t i = 0; i < 30000; ++i) {
      partner_count(partner_table_find(table, i % 3000), TRAFFIC_USER, i);
    }
    partner_table_count_untracked(table, 70);
    partner_table_note(table, 2);
    (void)raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  const auto found = messages();
  ASSERT_EQ(found.size(), 3000U);
  for (const auto& [rank, count] : found) ASSERT_EQ(count, 10U) << rank;
  EXPECT_EQ(number<uint64_t>(bytes(), 32), 1U);
  EXPECT_EQ(number<uint64_t>(bytes(), 184), 70U);
  EXPECT_EQ(number<uint32_t>(bytes(), 192), 2U);
  EXPECT_EQ(number<uint32_t>(bytes(), 20), 0U);
}

TEST_F(PartnerArenaTest, SaysWhenCountingHasEnded) {
  partner_table* table = partner_table_new(partner_arena_new(path_.c_str(), nullptr));
  partner_table_complete(table);
  partner_table_free(table);
  EXPECT_EQ(number<uint32_t>(bytes(), 20), 1U);
}

TEST_F(PartnerArenaTest, IsSmallForFewPartners) {
  partner_table* table = partner_table_new(partner_arena_new(path_.c_str(), nullptr));
  for (uint32_t rank = 0; rank < 30; ++rank) ASSERT_NE(partner_table_find(table, rank), nullptr);
  partner_table_free(table);
  EXPECT_EQ(bytes().size(), static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
}

TEST_F(PartnerArenaTest, NeverTouchesAFileThatIsThere) {
  std::ofstream(path_) << "mine";
  EXPECT_EQ(partner_arena_new(path_.c_str(), nullptr), nullptr);
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(bytes(), "mine");
  EXPECT_EQ(partner_arena_new((directory_ / "missing/7").c_str(), nullptr), nullptr);
  EXPECT_EQ(errno, ENOENT);
}

// A full disk, here a limit of the size of files: counting goes on in memory, and the
// file says that it is not all, and that the process lives.
TEST_F(PartnerArenaTest, CountsOnWhereTheDiskIsFull) {
  partner_table* table = partner_table_new(partner_arena_new(path_.c_str(), nullptr));
  ASSERT_NE(table, nullptr);
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  struct rlimit small = {static_cast<rlim_t>(bytes().size()), before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  for (uint32_t rank = 0; rank < 5000; ++rank) {
    partner* found = partner_table_find(table, rank);
    ASSERT_NE(found, nullptr);
    partner_count(found, TRAFFIC_USER, 1);
  }
  setrlimit(RLIMIT_FSIZE, &before);
  partner_row* rows = nullptr;
  EXPECT_EQ(partner_table_rows(table, &rows), 5000);
  std::free(rows);
  partner_table_complete(table);
  EXPECT_TRUE(is_in_use());
  partner_table_free(table);
  EXPECT_FALSE(is_in_use());
  EXPECT_LT(messages().size(), 5000U);
  EXPECT_EQ(number<uint32_t>(bytes(), 20), 2U);
}

}  // namespace
}  // namespace tofa::partner_arena_test
