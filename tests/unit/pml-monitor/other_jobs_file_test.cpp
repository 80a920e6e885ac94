// SPDX-License-Identifier: BSD-3-Clause
// What went to other jobs ends up in its file, and in no matrix.
#include "other_jobs_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace tofa::other_jobs_file_test {
namespace {

namespace fs = std::filesystem;

const char* name_of_job(uint32_t job) {
  if (job == 7) return "batch.7";
  return job == 8 ? "two words" : nullptr;
}

class OtherJobsFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tofa-other-jobs-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    collection_ = collection_new(4, 4, directory_.c_str());
    ASSERT_NE(collection_, nullptr);
    metadata_.command = metadata_.date = metadata_.open_mpi = "";
  }
  void TearDown() override {
    collection_free(collection_);
    fs::remove_all(directory_);
  }

  void add(uint32_t sender, uint64_t set, const std::vector<partner_row>& rows, uint64_t beside) {
    stream_source source = {};
    source.sender = sender;
    source.set = set;
    source.rows = rows.data();
    source.count = rows.size();
    source.beside = beside;
    uint8_t chunk[4000];
    uint64_t next = 0;
    const size_t size = row_stream_encode(chunk, sizeof chunk, &source, false, &next);
    ASSERT_EQ(collection_add(collection_, chunk, size), 0);
  }
  static partner_row row(uint64_t rank, int kind, uint64_t messages, uint64_t bytes) {
    partner_row made = {};
    made.rank = rank;
    made.messages[kind] = messages;
    made.bytes[kind] = bytes;
    return made;
  }
  std::string written() {
    mtx_writer writer = {};
    collection_describe(collection_, &metadata_);
    const std::string stem = directory_ / "app";
    EXPECT_EQ(other_jobs_write(&writer, stem.c_str(), &metadata_, collection_, name_of_job), 0);
    if (writer.path == nullptr) return "nothing";
    EXPECT_EQ(mtx_flush(&writer), 0);
    EXPECT_EQ(mtx_publish(&writer), 0);
    mtx_discard(&writer);
    std::ifstream stream(stem + ".other-jobs.txt");
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  fs::path directory_;
  collection* collection_ = nullptr;
  mtx_metadata metadata_ = {};
};

TEST_F(OtherJobsFile, HasALineForEachProcessAndClass) {
  add(0, PARTNERS_OURS, {row(1, TRAFFIC_USER, 1, 1000)}, 2);
  partner_row both = row(100, TRAFFIC_USER, 3, 30);
  both.messages[TRAFFIC_FETCHED] = 1;
  both.bytes[TRAFFIC_FETCHED] = 8;
  add(0, partners_of_job(6), {row(9, TRAFFIC_COLLECTIVE, 2, 0)}, 0);
  add(0, partners_of_job(7), {both}, 0);
  add(2, PARTNERS_OURS, {}, 1);
  add(2, partners_of_job(8), {row(0, TRAFFIC_LIBRARY, 1, 4)}, 0);
  const std::string text = written();
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            "%rank job peer class messages bytes\n"
            "0 6 9 collective 2 0\n"
            "0 batch.7 100 user 3 30\n"
            "0 batch.7 100 fetched 1 8\n"
            "2 8 0 library 1 4\n");
  EXPECT_NE(text.find("\"quantity\":\"other-jobs\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"untracked_messages\":7,\"untracked_bytes\":42,"), std::string::npos)
      << text;
  // The matrix holds the first message only.
  EXPECT_EQ(collection_messages(collection_), 1U);
  EXPECT_EQ(collection_bytes(collection_), 1000U);
  EXPECT_EQ(collection_partial(collection_), 0U);
}

TEST_F(OtherJobsFile, IsNotThereWithoutSuchTraffic) {
  add(0, PARTNERS_OURS, {row(1, TRAFFIC_USER, 1, 1000)}, 0);
  EXPECT_EQ(written(), "nothing");
}

TEST_F(OtherJobsFile, HasNoEstimates) {
  add(0, PARTNERS_OURS, {}, 1);
  add(0, PARTNERS_ESTIMATED, {row(2, TRAFFIC_COLLECTIVE, 1, 1000)}, 0);
  EXPECT_EQ(written(), "nothing");
  EXPECT_EQ(collection_messages(collection_), 0U);
  EXPECT_EQ(collection_estimated(collection_).bytes, 1000U);
}

// What was announced and did not come makes the rank partial.
TEST_F(OtherJobsFile, IsPartOfWhatARankHasToTell) {
  add(0, PARTNERS_OURS, {row(1, TRAFFIC_USER, 1, 1000)}, 1);
  EXPECT_EQ(collection_partial(collection_), 1U);
}

TEST_F(OtherJobsFile, SaysWhatIsWrong) {
  add(0, partners_of_job(7), {row(1, TRAFFIC_USER, 1, 1)}, 0);
  mtx_writer writer = {};
  EXPECT_EQ(other_jobs_write(&writer, (directory_ / "gone/app").c_str(), &metadata_, collection_,
                             nullptr),
            ENOENT);
  mtx_discard(&writer);
}

}  // namespace
}  // namespace tofa::other_jobs_file_test
