// SPDX-License-Identifier: BSD-3-Clause
// The files, byte by byte, and what is left behind when they cannot be written: nothing.
#include "report.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace tofa::report_test {
namespace {

namespace fs = std::filesystem;

class ReportTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tofa-report-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override {
    report_discard(&report_);
    publication_discard(&files_);
    fs::remove_all(directory_);
  }

  int open(const std::string& stem, bool apart, const uint64_t (&entries)[REPORT_PHASES]) {
    return report_open(&report_, (directory_ / stem).c_str(), apart, &metadata_, entries);
  }
  int publish() {
    const int error = report_finish(&report_, &files_);
    return error != 0 ? error : publication_commit(&files_, (directory_ / "app").c_str(), false);
  }
  std::string read(const std::string& name) const {
    std::ifstream stream(directory_ / name);
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(directory_), {}));
  }

  fs::path directory_;
  report report_ = {};
  publication files_ = {};
  mtx_metadata metadata_ = {nullptr,
                            nullptr,
                            "./app --name \"a\\b\"\t\xff",
                            "2024-01-02T03:04:05Z",
                            "4.1.4",
                            3,
                            0,
                            nullptr,
                            nullptr,
                            17,
                            0,
                            nullptr,
                            nullptr};
  const partner_row rows_[2] = {{0, {5, 0}, {1, 0}}, {2, {10, 7}, {2, 1}}};
};

TEST_F(ReportTest, WritesAllTraffic) {
  ASSERT_EQ(open("app", false, {1, 1, 0, 0, 0, 2}), 0);
  ASSERT_EQ(report_write(&report_, 1, rows_, 2), 0);
  EXPECT_FALSE(fs::exists(directory_ / "app.bytes.mtx"));
  ASSERT_EQ(publish(), 0);
  EXPECT_EQ(read("app.bytes.mtx"),
            "%%MatrixMarket matrix coordinate integer general\n"
            "%tofa {\"version\":1,\"ranks\":3,\"quantity\":\"bytes\",\"phase\":\"all\","
            "\"command\":\"./app --name \\\"a\\\\b\\\"\\u0009?\",\"date\":\"2024-01-02T03:04:05Z\","
            "\"open_mpi\":\"4.1.4\",\"untracked_messages\":17,\"untracked_bytes\":0,"
            "\"missing_ranks\":0}\n"
            "3 3 2\n"
            "2 1 5\n"
            "2 3 17\n");
  EXPECT_NE(read("app.messages.mtx").find("3 3 2\n2 1 1\n2 3 3\n"), std::string::npos);
  EXPECT_EQ(files(), 2U);
}

TEST_F(ReportTest, WritesUserAndCollectiveTrafficApart) {
  uint64_t entries[REPORT_PHASES] = {};
  report_count_entries(rows_, 2, entries);
  ASSERT_EQ(open("app", true, entries), 0);
  ASSERT_EQ(report_write(&report_, 0, rows_, 2), 0);
  ASSERT_EQ(publish(), 0);
  EXPECT_NE(read("app.user.bytes.mtx").find("\n3 3 2\n1 1 5\n1 3 10\n"), std::string::npos);
  EXPECT_NE(read("app.user.messages.mtx").find("\n3 3 2\n1 1 1\n1 3 2\n"), std::string::npos);
  EXPECT_NE(read("app.collective.bytes.mtx").find("\n3 3 1\n1 3 7\n"), std::string::npos);
  EXPECT_NE(read("app.collective.messages.mtx").find("\n3 3 1\n1 3 1\n"), std::string::npos);
  EXPECT_EQ(files(), 6U);
}

TEST_F(ReportTest, WritesOtherClassesWhereThereAreAny) {
  partner_row row = rows_[0];
  row.bytes[TRAFFIC_ONE_SIDED] = 30;
  row.messages[TRAFFIC_ONE_SIDED] = 2;
  uint64_t entries[REPORT_PHASES] = {};
  report_count_entries(&row, 1, entries);
  ASSERT_EQ(open("app", true, entries), 0);
  ASSERT_EQ(report_write(&report_, 0, &row, 1), 0);
  ASSERT_EQ(publish(), 0);
  EXPECT_NE(read("app.one-sided.bytes.mtx").find("\n3 3 1\n1 1 30\n"), std::string::npos);
  EXPECT_NE(read("app.one-sided.bytes.mtx").find("\"phase\":\"one-sided\""), std::string::npos);
  EXPECT_NE(read("app.bytes.mtx").find("\n3 3 1\n1 1 35\n"), std::string::npos);
  EXPECT_NE(read("app.messages.mtx").find("\n3 3 1\n1 1 3\n"), std::string::npos);
  EXPECT_EQ(files(), 8U);
}

TEST_F(ReportTest, ReplacesFilesOfAnEarlierRun) {
  std::ofstream(directory_ / "app.bytes.mtx") << "old";
  ASSERT_EQ(open("app", false, {0, 0, 0}), 0);
  EXPECT_EQ(read("app.bytes.mtx"), "old");
  ASSERT_EQ(publish(), 0);
  EXPECT_NE(read("app.bytes.mtx").find("3 3 0\n"), std::string::npos);
}

// The last file that is renamed cannot be: the others are as they were.
TEST_F(ReportTest, KeepsEarlierFilesWhenOneCannotBeReplaced) {
  fs::create_directories(directory_ / "app.bytes.mtx/in-the-way");
  std::ofstream(directory_ / "app.messages.mtx") << "old";
  ASSERT_EQ(open("app", true, {0, 0, 0}), 0);
  EXPECT_EQ(publish(), EISDIR);
  EXPECT_EQ(files_.failed, (directory_ / "app.bytes.mtx").string());
  publication_discard(&files_);
  EXPECT_EQ(read("app.messages.mtx"), "old");
  EXPECT_EQ(files(), 2U);
}

TEST_F(ReportTest, WritesNamesAsLongAsNamesCanBe) {
  const std::string stem(255 - std::string(".collective.messages.mtx").size(), 'x');
  ASSERT_EQ(open(stem, true, {0, 0, 0}), 0);
  ASSERT_EQ(publish(), 0);
  EXPECT_EQ(files(), 6U);
}

TEST_F(ReportTest, LeavesNothingBehindWhenDiscarded) {
  ASSERT_EQ(open("app", true, {0, 0, 0}), 0);
  report_discard(&report_);
  EXPECT_EQ(files(), 0U);
}

TEST_F(ReportTest, NamesTheFileItCannotCreate) {
  EXPECT_EQ(open("missing/app", false, {0, 0, 0}), ENOENT);
  EXPECT_EQ(report_.failed, (directory_ / "missing/app.bytes.mtx").string());
}

TEST_F(ReportTest, NoticesThatTheDiskIsFull) {
  struct rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  auto* handler = std::signal(SIGXFSZ, SIG_IGN);
  struct rlimit small = {100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  int error = open("app", false, {0, 0, 0});
  if (error == 0) error = publish();
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, EFBIG);
  report_discard(&report_);
  publication_discard(&files_);
  EXPECT_EQ(files(), 0U);
}

}  // namespace
}  // namespace tofa::report_test
