// SPDX-License-Identifier: BSD-3-Clause
// Messages are counted with those of about their size, and sizes end up in their file, phases do
// not.
#include "sizes_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "collected_parts.hpp"

namespace tofa::sizes_file_test {
namespace {

namespace fs = std::filesystem;

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

class SizesFile : public CollectedParts {
 protected:
  int write(const std::string& name) {
    publication files = {};
    const std::string stem = folder_ + "/" + name;
    int error = sizes_file_write(collection_, kRanks, stem.c_str(), &metadata_, &files);
    if (error == 0) error = publication_commit(&files, stem.c_str(), false);
    publication_discard(&files);
    return error;
  }
};

TEST_F(SizesFile, HoldsWhatWasSentOfEachSize) {
  add(0, {{7, 3, 99},
          {PARTS_OF_SIZES, 3, 0, TRAFFIC_USER, 2},
          {PARTS_OF_SIZES + 11, 199, 4096, TRAFFIC_IO, 4}});
  add(2, {{PARTS_OF_SIZES + 64, 1, 0, TRAFFIC_FETCHED, 6}});
  ASSERT_EQ(write("app"), 0);
  const std::string text = file("app.sizes.txt");
  EXPECT_EQ(text.rfind("%%tofa message sizes\n%", 0), 0U) << text;
  EXPECT_NE(text.find("\"quantity\":\"sizes\",\"phase\":\"all\""), std::string::npos);
  EXPECT_NE(text.find("}\n200 200 3\n1 4 0 2\n1 200 1024 4\n2 3 9223372036854775808 6\n"),
            std::string::npos)
      << text;
}

TEST_F(SizesFile, SaysWhatIsWrong) {
  fs::create_directory(folder_ + "/app.sizes.txt");
  EXPECT_EQ(write("app"), EISDIR);
  EXPECT_EQ(write("gone/app"), ENOENT);
}

}  // namespace
}  // namespace tofa::sizes_file_test
