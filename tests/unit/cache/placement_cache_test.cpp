// SPDX-License-Identifier: BSD-3-Clause
// The files of the cache: found again as they were kept, and ignored where anything about them is
// not as it should be.
#include "tofa/placement_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "support.hpp"

namespace tofa {
namespace {

namespace fs = std::filesystem;

const KeptPlacement kPlacement{{3, 1, 2, 0}, {0, 1, 2, 3}, "fold"};
constexpr uid_t kSomebody = 65534;

class PlacementCacheTest : public testing::Test {
 protected:
  std::string file(const std::string& key) const { return folder_ + "/" + key; }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  test::ScratchDirectory scratch_;
  std::string folder_ = scratch_ / "above/tofa";
  PlacementCache cache_{folder_};
};

TEST_F(PlacementCacheTest, FindsWhatWasKept) {
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  cache_.keep("key", kPlacement);
  EXPECT_EQ(cache_.find("key"), kPlacement);
  EXPECT_EQ(cache_.find("other"), std::nullopt);
  const KeptPlacement another{{1}, {0}, "greedy"};
  cache_.keep("key", another);
  EXPECT_EQ(cache_.find("key"), another);
  EXPECT_EQ(files(), 1U) << "no temporary file is left";
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
}

TEST_F(PlacementCacheTest, DamagedFilesAreIgnored) {
  cache_.keep("key", kPlacement);
  const std::string text = test::contents(file("key"));
  const auto damage = [&](const std::string& damaged) {
    std::ofstream(file("key"), std::ios::binary) << damaged;
    EXPECT_EQ(cache_.find("key"), std::nullopt) << damaged;
  };
  for (std::size_t length = 0; length < text.size(); ++length) damage(text.substr(0, length));
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] ^= 1;
    damage(changed);
  }
  damage(text + text);
  std::ofstream(file("key"), std::ios::binary) << text;
  EXPECT_EQ(cache_.find("key"), kPlacement);
  fs::rename(file("key"), file("other"));
  EXPECT_EQ(cache_.find("other"), std::nullopt) << "it is about another key";
}

TEST_F(PlacementCacheTest, FilesOfOthersAreIgnored) {
  cache_.keep("key", kPlacement);
  ASSERT_EQ(::chmod(file("key").c_str(), 0620), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  ASSERT_EQ(::chmod(file("key").c_str(), 0644), 0);
  EXPECT_EQ(cache_.find("key"), kPlacement);
  fs::rename(file("key"), file("real"));
  fs::create_symlink("real", file("key"));
  EXPECT_EQ(cache_.find("key"), std::nullopt) << "a link may lead anywhere";
  fs::remove(file("key"));
  ASSERT_EQ(::mkfifo(file("key").c_str(), 0600), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt) << "and does not wait";
  fs::remove(file("key"));
  fs::rename(file("real"), file("key"));
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(::chown(file("key").c_str(), kSomebody, kSomebody), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
}

TEST_F(PlacementCacheTest, AFolderOfOthersIsIgnored) {
  cache_.keep("key", kPlacement);
  ASSERT_EQ(::chmod(folder_.c_str(), 01777), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  cache_.keep("another", kPlacement);
  EXPECT_EQ(files(), 1U);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
  EXPECT_EQ(cache_.find("key"), kPlacement);
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives folders away";
  ASSERT_EQ(::chown(folder_.c_str(), kSomebody, kSomebody), 0);
  EXPECT_EQ(cache_.find("key"), std::nullopt);
  cache_.keep("another", kPlacement);
  EXPECT_EQ(files(), 1U);
}

TEST_F(PlacementCacheTest, WhereThereIsNoFolderNothingIsKept) {
  for (const std::string& folder :
       {std::string(), std::string("/proc/none/tofa"), scratch_.write("file", "") + "/tofa"}) {
    const PlacementCache cache(folder);
    cache.keep("key", kPlacement);
    EXPECT_EQ(cache.find("key"), std::nullopt) << folder;
  }
}

TEST_F(PlacementCacheTest, TheLeastRecentlyUsedGoWhenThereAreTooMany) {
  const PlacementCache cache(folder_, {.bytes = 1 << 20, .files = 3});
  const auto keep = [&](const std::string& key, int age) {
    cache.keep(key, kPlacement);
    fs::last_write_time(file(key), fs::file_time_type::clock::now() - std::chrono::hours(age));
  };
  keep("a", 30);
  keep("b", 20);
  keep("c", 10);
  EXPECT_TRUE(cache.find("a")) << "and now it is used";
  cache.keep("d", kPlacement);
  EXPECT_EQ(files(), 3U);
  EXPECT_EQ(cache.find("b"), std::nullopt);
  for (const char* key : {"a", "c", "d"}) EXPECT_TRUE(cache.find(key)) << key;

  const std::uint64_t size = fs::file_size(file("d"));
  const PlacementCache small(folder_, {.bytes = 2 * size, .files = 100});
  small.keep("e", kPlacement);
  EXPECT_EQ(files(), 2U);
  EXPECT_TRUE(small.find("e"));
  const PlacementCache tiny(folder_, {.bytes = size - 1, .files = 100});
  tiny.keep("f", kPlacement);
  EXPECT_FALSE(fs::exists(file("f")));
}

TEST(UserCacheFolder, IsInTheUsersCache) {
  const char* home = std::getenv("HOME");
  const std::string before = home != nullptr ? home : "/root";
  ::setenv("XDG_CACHE_HOME", "/scratch/ann", 1);
  EXPECT_EQ(user_cache_folder(), "/scratch/ann/tofa");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/home/ann", 1);
  EXPECT_EQ(user_cache_folder(), "/home/ann/.cache/tofa");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "", 1);
  EXPECT_EQ(user_cache_folder(), "");
  ::unsetenv("HOME");
  EXPECT_EQ(user_cache_folder(), "");
  ::setenv("HOME", before.c_str(), 1);
}

}  // namespace
}  // namespace tofa
