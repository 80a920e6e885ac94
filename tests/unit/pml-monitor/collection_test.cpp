// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 has when not all counts have come: the files hold what is there, and say what is not.
#include "collection.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace tofa::collection_test {
namespace {

namespace fs = std::filesystem;

class CollectionTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "tofa-collection-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    directory_ = name;
    collection_ = collection_new(6, 6, directory_.c_str());
    ASSERT_NE(collection_, nullptr);
  }
  void TearDown() override {
    report_discard(&report_);
    collection_free(collection_);
    fs::remove_all(directory_);
  }

  // `sender` has sent so many bytes to `to`, in one message.
  void add(uint32_t sender, uint32_t to, uint64_t bytes) {
    const partner_row row = {to, {bytes, 0}, {1, 0}};
    const stream_source source = {sender, {2, 9, 1}, &row, 1, PARTNERS_OURS, 0, {}};
    uint8_t chunk[STREAM_RUN_MOST];
    uint64_t next = 0;
    const size_t size = row_stream_encode(chunk, sizeof chunk, &source, false, &next);
    ASSERT_EQ(collection_add(collection_, chunk, size), 0);
  }
  std::string write() {
    mtx_metadata metadata = {};
    metadata.command = metadata.date = metadata.open_mpi = "";
    collection_describe(collection_, &metadata);
    EXPECT_EQ(
        collection_write(collection_, &report_, (directory_ / "app").c_str(), false, &metadata), 0);
    publication files = {};
    EXPECT_EQ(report_finish(&report_, &files), 0);
    EXPECT_EQ(publication_commit(&files, (directory_ / "app").c_str(), false), 0);
    publication_discard(&files);
    std::ifstream stream(directory_ / "app.bytes.mtx");
    std::stringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  fs::path directory_;
  collection* collection_ = nullptr;
  report report_ = {};
};

TEST_F(CollectionTest, WritesWhatHasComeAndSaysWhatHasNot) {
  add(0, 1, 10);
  add(2, 0, 300);
  EXPECT_EQ(collection_missing(collection_), 4U);
  EXPECT_TRUE(collection_has(collection_, 2));
  EXPECT_FALSE(collection_has(collection_, 3));
  EXPECT_EQ(collection_bytes(collection_), 310U);
  EXPECT_EQ(collection_messages(collection_), 2U);
  const std::string text = write();
  EXPECT_NE(text.find("\"untracked_messages\":4,\"untracked_bytes\":18,\"missing_ranks\":4,"
                      "\"not_counted\":\"one-sided\",\"missing\":\"1,3-5\"}\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\n6 6 2\n1 2 10\n3 1 300\n"), std::string::npos) << text;
}

TEST_F(CollectionTest, IsCompleteWhenAllHaveCome) {
  for (uint32_t rank = 0; rank < 6; ++rank) add(rank, 0, rank + 1);
  EXPECT_EQ(collection_missing(collection_), 0U);
  EXPECT_EQ(collection_partial(collection_), 0U);
  EXPECT_EQ(write().find("\"missing\""), std::string::npos);
}

TEST_F(CollectionTest, NoticesRowsThatAreLeftOut) {
  const partner_row rows[2] = {{0, {1, 0}, {1, 0}}, {5, {2, 0}, {1, 0}}};
  const stream_source source = {4, {}, rows, 2, PARTNERS_OURS, 0, {}};
  uint8_t bytes[256];
  uint64_t next = 0;
  size_t size = row_stream_encode(bytes, sizeof bytes, &source, false, &next);
  ASSERT_EQ(next, 2U);
  // The number of rows is the tenth byte, the second row the last four.
  ASSERT_EQ(bytes[9], 2);
  bytes[9] = 1;
  size -= 4;
  ASSERT_EQ(collection_add(collection_, bytes, size), 0);
  EXPECT_EQ(collection_partial(collection_), 1U);
  EXPECT_EQ(collection_missing(collection_), 5U);
  EXPECT_NE(write().find("\"partial\":\"4\""), std::string::npos);
}

// Rank 1 has got something from 0, to whom it is sent, and from 2, of which nothing has come.
TEST_F(CollectionTest, WhatWasFetchedIsInTheRowOfItsSender) {
  add(0, 1, 10);
  partner_row rows[2] = {{0, {}, {}}, {2, {}, {}}};
  rows[0].bytes[TRAFFIC_FETCHED] = 100;
  rows[1].bytes[TRAFFIC_FETCHED] = 1000;
  rows[0].messages[TRAFFIC_FETCHED] = rows[1].messages[TRAFFIC_FETCHED] = 1;
  const stream_source source = {1, {}, rows, 2, PARTNERS_OURS, 0, {}};
  uint8_t chunk[STREAM_RUN_MOST];
  uint64_t next = 0;
  const size_t size = row_stream_encode(chunk, sizeof chunk, &source, false, &next);
  ASSERT_EQ(collection_add(collection_, chunk, size), 0);
  EXPECT_EQ(collection_bytes(collection_), 1110U);
  const std::string text = write();
  EXPECT_NE(text.find("\n6 6 2\n1 2 110\n3 2 1000\n"), std::string::npos) << text;
}

TEST_F(CollectionTest, RefusesWhatIsNoChunk) {
  const uint8_t bytes[] = {0xff, 0xff, 0xff};
  EXPECT_EQ(collection_add(collection_, bytes, sizeof bytes), EPROTO);
  EXPECT_EQ(collection_missing(collection_), 6U);
}

TEST_F(CollectionTest, CutsLongListsOfRanks) {
  collection* large = collection_new(5000, 5000, directory_.c_str());
  for (uint32_t rank = 0; rank < 5000; rank += 2) {
    const stream_source source = {rank, {}, nullptr, 0, PARTNERS_OURS, 0, {}};
    uint8_t bytes[STREAM_RUN_MOST];
    uint64_t next = 0;
    const size_t size = row_stream_encode(bytes, sizeof bytes, &source, false, &next);
    ASSERT_EQ(collection_add(large, bytes, size), 0);
  }
  mtx_metadata metadata = {};
  collection_describe(large, &metadata);
  const std::string list = metadata.missing_list;
  EXPECT_EQ(metadata.missing_ranks, 2500U);
  EXPECT_EQ(list.substr(0, 6), "1,3,5,");
  EXPECT_EQ(list.substr(list.size() - 4), ",...");
  collection_free(large);
}

TEST(Collection, SaysWhyItCannotKeepAnything) {
  EXPECT_EQ(collection_new(4, 4, "/nonexistent/folder"), nullptr);
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace tofa::collection_test
