// SPDX-License-Identifier: BSD-3-Clause
// All files of a result, or none; and never files of two.
#include "publication.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {
bool second_names = true;
}

// As a file system has it that knows no second names, or the system where a file is of another
// user. In place of the C library's for all of this program.
extern "C" int link(const char* from, const char* to) noexcept {
  if (second_names) return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
  errno = access(from, F_OK) == 0 ? EPERM : ENOENT;
  return -1;
}

namespace tofa::publication_test {
namespace {

namespace fs = std::filesystem;

class PublicationTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tofa-publication-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override {
    second_names = true;
    publication_discard(&files_);
    fs::remove_all(directory_);
  }

  void touch(const std::string& name) const { std::ofstream(directory_ / name) << "old"; }
  void add(const std::string& name) {
    mtx_writer writer = {};
    ASSERT_EQ(mtx_create(&writer, (directory_ / name).c_str()), 0);
    ASSERT_GE(fputs("new", writer.stream), 0);
    ASSERT_EQ(publication_take(&files_, &writer), 0);
    mtx_discard(&writer);
  }
  int commit(bool replace) {
    return publication_commit(&files_, (directory_ / "app").c_str(), replace);
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_)) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(directory_ / name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  fs::path directory_;
  publication files_ = {};
};

using Names = std::set<std::string>;

TEST_F(PublicationTest, ShowsNothingBeforeAllIsThere) {
  add("app.bytes.mtx");
  EXPECT_FALSE(fs::exists(directory_ / "app.bytes.mtx"));
  add("app.messages.mtx");
  EXPECT_EQ(commit(false), 0);
  publication_discard(&files_);
  EXPECT_EQ(names(), (Names{"app.bytes.mtx", "app.messages.mtx"}));
}

TEST_F(PublicationTest, LeavesNothingOfAnEarlierResult) {
  for (const char* name : {"app.bytes.mtx", "app.messages.mtx", "app.user.bytes.mtx",
                           "app.phase3.io.messages.mtx", "app.ranks.json", "app.1.bytes.mtx"}) {
    touch(name);
  }
  add("app.bytes.mtx");
  add("app.messages.mtx");
  EXPECT_EQ(commit(true), 0);
  publication_discard(&files_);
  EXPECT_EQ(names(), (Names{"app.1.bytes.mtx", "app.bytes.mtx", "app.messages.mtx"}));
  EXPECT_EQ(read("app.bytes.mtx"), "new");
}

TEST_F(PublicationTest, LeavesWhatItWasNotToldToReplace) {
  touch("app.user.bytes.mtx");
  add("app.bytes.mtx");
  EXPECT_EQ(commit(false), 0);
  publication_discard(&files_);
  EXPECT_EQ(names(), (Names{"app.bytes.mtx", "app.user.bytes.mtx"}));
}

// The last file cannot be renamed: the earlier result is there again, with what was to go.
class BringsBackTest : public PublicationTest, public testing::WithParamInterface<bool> {};

TEST_P(BringsBackTest, AllWhenOneFileCannotBe) {
  second_names = GetParam();
  const std::vector<std::string> before{"app.bytes.mtx", "app.messages.mtx", "app.phase1.bytes.mtx",
                                        "app.user.bytes.mtx"};
  for (const std::string& name : before) touch(name);
  fs::create_directories(directory_ / "app.ranks.json/in-the-way");
  add("app.bytes.mtx");
  add("app.messages.mtx");
  add("app.ranks.json");
  EXPECT_EQ(commit(true), EISDIR);
  EXPECT_EQ(files_.failed, (directory_ / "app.ranks.json").string());
  publication_discard(&files_);
  for (const std::string& name : before) EXPECT_EQ(read(name), "old") << name;
  EXPECT_EQ(names().size(), before.size() + 1);
}

TEST_P(BringsBackTest, NothingWhenAllAreThere) {
  second_names = GetParam();
  for (const char* name : {"app.bytes.mtx", "app.messages.mtx", "app.phase1.bytes.mtx"}) {
    touch(name);
  }
  add("app.bytes.mtx");
  add("app.messages.mtx");
  EXPECT_EQ(commit(true), 0);
  publication_discard(&files_);
  EXPECT_EQ(names(), (Names{"app.bytes.mtx", "app.messages.mtx"}));
  EXPECT_EQ(read("app.messages.mtx"), "new");
}

INSTANTIATE_TEST_SUITE_P(SecondNames, BringsBackTest, testing::Bool());

TEST_F(PublicationTest, LeavesNothingBehindWhenDiscarded) {
  add("app.bytes.mtx");
  publication_discard(&files_);
  EXPECT_TRUE(names().empty());
}

TEST_F(PublicationTest, GivesUpTheLatestFiles) {
  add("app.bytes.mtx");
  add("app.phase1.bytes.mtx");
  add("app.phase2.bytes.mtx");
  publication_cut(&files_, 1);
  EXPECT_EQ(commit(false), 0);
  publication_discard(&files_);
  EXPECT_EQ(names(), (Names{"app.bytes.mtx"}));
}

TEST_F(PublicationTest, KnowsFoldersInTheWayOfTheLatestFiles) {
  fs::create_directory(directory_ / "app.messages.mtx");
  fs::create_directory(directory_ / "app.phase2.bytes.mtx");
  add("app.messages.mtx");
  EXPECT_EQ(publication_check(&files_, 0), EISDIR);
  add("app.phase1.bytes.mtx");
  EXPECT_EQ(publication_check(&files_, 1), 0);
  add("app.phase2.bytes.mtx");
  EXPECT_EQ(publication_check(&files_, 1), EISDIR);
}

// The folder goes away under the files: nobody is told that they are there.
TEST_F(PublicationTest, NamesTheFileThatFailed) {
  add("app.messages.mtx");
  fs::remove_all(directory_);
  EXPECT_EQ(commit(true), ENOENT);
  EXPECT_EQ(files_.failed, (directory_ / "app.messages.mtx").string());
}

}  // namespace
}  // namespace tofa::publication_test
