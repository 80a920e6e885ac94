// SPDX-License-Identifier: BSD-3-Clause
// Messages are counted with those of about their size, and sizes end up in their file, phases do
// not.
#include "sizes_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "parts.h"

namespace {

namespace fs = std::filesystem;

constexpr uint32_t kRanks = 50;

TEST(SizeBins, GoFromOnePowerOfTwoToTheNext) {
  EXPECT_EQ(size_bin(0), 0U);
  EXPECT_EQ(size_bin(1), 1U);
  EXPECT_EQ(size_bin(UINT64_MAX), SIZE_BINS - 1U);
  for (uint32_t bin = 0; bin < SIZE_BINS; ++bin) {
    EXPECT_EQ(size_bin(size_bin_start(bin)), bin);
  }
  for (uint32_t bin = 1; bin < SIZE_BINS; ++bin) {
    EXPECT_EQ(size_bin(size_bin_start(bin) - 1), bin - 1);
  }
}

class SizesFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "tofa-sizes-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    collection_ = collection_new(PARTS_COUNT * kRanks, kRanks, folder_.c_str());
    ASSERT_NE(collection_, nullptr);
    metadata_.command = metadata_.date = metadata_.open_mpi = "";
    metadata_.ranks = kRanks;
  }
  void TearDown() override {
    collection_free(collection_);
    fs::remove_all(folder_);
  }

  // So many messages of a kind, in ascending order of part and receiver.
  struct Sent {
    uint32_t part, to;
    uint64_t messages;
    traffic_kind kind = TRAFFIC_USER;
  };
  void add(uint32_t sender, const std::vector<Sent>& all) {
    std::vector<partner_row> rows;
    for (const Sent& sent : all) {
      rows.push_back({parts_join(sent.part, sent.to, kRanks), {}, {}});
      rows.back().messages[sent.kind] = sent.messages;
    }
    const stream_source source = {sender, {}, rows.data(), rows.size(), PARTNERS_OURS, 0, {}};
    uint64_t next = 0;
    uint8_t chunk[4000];
    const size_t size = row_stream_encode(chunk, sizeof chunk, &source, false, &next);
    ASSERT_EQ(next, rows.size());
    ASSERT_EQ(collection_add(collection_, chunk, size), 0);
  }
  int write(const std::string& name) {
    publication files = {};
    const std::string stem = folder_ + "/" + name;
    int error = sizes_file_write(collection_, kRanks, stem.c_str(), &metadata_, &files);
    if (error == 0) error = publication_commit(&files, stem.c_str(), false);
    publication_discard(&files);
    return error;
  }

  std::string folder_;
  collection* collection_ = nullptr;
  mtx_metadata metadata_ = {};
};

TEST_F(SizesFile, HoldsWhatWasSentOfEachSize) {
  add(0, {{7, 3, 99}, {PARTS_OF_SIZES, 3, 2}, {PARTS_OF_SIZES + 11, 49, 4, TRAFFIC_IO}});
  add(2, {{PARTS_OF_SIZES + 64, 1, 6, TRAFFIC_FETCHED}});
  ASSERT_EQ(write("app"), 0);
  std::ifstream stream(folder_ + "/app.sizes.txt");
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_EQ(text.str().rfind("%%tofa message sizes\n%", 0), 0U) << text.str();
  EXPECT_NE(text.str().find("\"quantity\":\"sizes\",\"phase\":\"all\""), std::string::npos);
  EXPECT_NE(text.str().find("}\n50 50 3\n1 4 0 2\n1 50 1024 4\n2 3 9223372036854775808 6\n"),
            std::string::npos)
      << text.str();
}

TEST_F(SizesFile, SaysWhatIsWrong) {
  fs::create_directory(folder_ + "/app.sizes.txt");
  EXPECT_EQ(write("app"), EISDIR);
  EXPECT_EQ(write("gone/app"), ENOENT);
}

}  // namespace
