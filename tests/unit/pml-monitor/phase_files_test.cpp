// SPDX-License-Identifier: BSD-3-Clause
// Counts that came with their phase in the receiver's number end up in the files of that phase.
#include "phase_files.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "collected_parts.hpp"

namespace tofa::phase_files_test {
namespace {

namespace fs = std::filesystem;

class PhaseFiles : public CollectedParts {
 protected:
  int write(bool apart = false) {
    publication files = {};
    const std::string stem = folder_ + "/app";
    const int written =
        phase_files_write(collection_, kRanks, stem.c_str(), apart, &metadata_, &files);
    const int error = written >= 0 ? publication_commit(&files, stem.c_str(), false) : 0;
    publication_discard(&files);
    return error != 0 ? -error : written;
  }
};

TEST_F(PhaseFiles, AreWrittenWhereSomethingWasSent) {
  add(0, {{1, 3, 10}, {7, 3, 20}, {7, 199, 30}});
  add(5, {{7, 0, 40}});
  add(6, {});
  EXPECT_EQ(write(), 2);
  const std::string one = file("app.phase1.bytes.mtx"), seven = file("app.phase7.bytes.mtx");
  EXPECT_NE(one.find("\n200 200 1\n1 4 10\n"), std::string::npos) << one;
  EXPECT_NE(one.find("\"phase\":\"phase1\""), std::string::npos) << one;
  EXPECT_NE(seven.find("\n200 200 3\n1 4 20\n1 200 30\n6 1 40\n"), std::string::npos) << seven;
  EXPECT_NE(file("app.phase7.messages.mtx").find("\n6 1 1\n"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ + "/app.phase2.bytes.mtx"));
}

// What rank 5 got in phase 7, rank 3 has sent.
TEST_F(PhaseFiles, TellClassesApart) {
  add(0, {{1, 3, 10}, {7, 3, 20, TRAFFIC_COLLECTIVE}});
  add(5, {{7, 3, 40, TRAFFIC_FETCHED}});
  EXPECT_EQ(write(true), 2);
  const std::string sent = file("app.phase7.one-sided.bytes.mtx");
  EXPECT_NE(sent.find("\"phase\":\"phase7.one-sided\""), std::string::npos) << sent;
  EXPECT_NE(sent.find("\n200 200 1\n4 6 40\n"), std::string::npos) << sent;
  EXPECT_NE(file("app.phase7.collective.bytes.mtx").find("\n1 4 20\n"), std::string::npos);
  EXPECT_NE(file("app.phase7.bytes.mtx").find("\n200 200 2\n1 4 20\n4 6 40\n"), std::string::npos);
  EXPECT_NE(file("app.phase7.user.messages.mtx").find("\n200 200 0\n"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ + "/app.phase1.one-sided.bytes.mtx"));
}

// The other parts.
TEST_F(PhaseFiles, LeaveSizesOut) {
  add(0, {{0, 3, 10}, {PARTS_OF_SIZES, 3, 0}, {PARTS_COUNT - 1, 199, 10}});
  EXPECT_EQ(write(), 0);
}

TEST_F(PhaseFiles, HoldMoreThanFitsAtOnce) {
  std::vector<Sent> all;
  for (uint32_t phase : {2U, 99U}) {
    for (uint32_t to = 0; to < kRanks; ++to) all.push_back({phase, to, to + 1});
  }
  add(1, all);
  EXPECT_EQ(write(), 2);
  EXPECT_NE(file("app.phase99.bytes.mtx").find("\n200 200 200\n2 1 1\n"), std::string::npos);
  EXPECT_NE(file("app.phase2.bytes.mtx").find("\n2 200 200\n"), std::string::npos);
}

TEST_F(PhaseFiles, SayWhatIsWrong) {
  add(0, {{1, 3, 10}});
  fs::create_directory(folder_ + "/app.phase1.bytes.mtx");
  EXPECT_EQ(write(), -EISDIR);
  publication files = {};
  EXPECT_EQ(phase_files_write(collection_, kRanks, (folder_ + "/gone/app").c_str(), false,
                              &metadata_, &files),
            -ENOENT);
  publication_discard(&files);
}

}  // namespace
}  // namespace tofa::phase_files_test
