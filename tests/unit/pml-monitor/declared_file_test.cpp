// SPDX-License-Identifier: BSD-3-Clause
// What programs have declared ends up in its file, without what was sent.
#include "declared_file.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "collected_parts.hpp"

namespace tofa::declared_file_test {
namespace {

namespace fs = std::filesystem;

class DeclaredFile : public CollectedParts {
 protected:
  int write(const std::string& name) {
    publication files = {};
    const std::string stem = folder_ + "/" + name;
    int error = declared_file_write(collection_, stem.c_str(), &metadata_, &files);
    if (error == 0) error = publication_commit(&files, stem.c_str(), false);
    publication_discard(&files);
    return error;
  }
};

TEST_F(DeclaredFile, HasTheWeightsAndSaysNothingOfTraffic) {
  metadata_.untracked_messages = 4;
  metadata_.not_counted = "one-sided";
  add(0, {{0, 9, 1000}});
  add(0, {{0, 1, 7}, {0, 2, 1}}, PARTNERS_DECLARED);
  add(2, {{0, 0, 40, TRAFFIC_USER, 3}}, PARTNERS_DECLARED);
  add(3, {{0, 0, 50}}, PARTNERS_ESTIMATED);
  ASSERT_EQ(write("app"), 0);
  EXPECT_EQ(file("app.declared.mtx"),
            "%%MatrixMarket matrix coordinate integer general\n"
            "%tofa {\"version\":1,\"ranks\":200,\"quantity\":\"weight\",\"phase\":\"declared\","
            "\"command\":\"\",\"date\":\"\",\"open_mpi\":\"\",\"untracked_messages\":0,"
            "\"untracked_bytes\":0,\"missing_ranks\":0}\n"
            "200 200 3\n1 2 7\n1 3 1\n3 1 40\n");
}

TEST_F(DeclaredFile, IsNotThereWhenNothingIsDeclared) {
  add(0, {{0, 9, 1000}});
  add(3, {{0, 0, 50}}, PARTNERS_ESTIMATED);
  ASSERT_EQ(write("app"), 0);
  EXPECT_FALSE(fs::exists(folder_ + "/app.declared.mtx"));
}

TEST_F(DeclaredFile, SaysWhatIsWrong) {
  add(0, {{0, 1, 7}}, PARTNERS_DECLARED);
  fs::create_directory(folder_ + "/app.declared.mtx");
  EXPECT_EQ(write("app"), EISDIR);
  EXPECT_EQ(write("gone/app"), ENOENT);
}

}  // namespace
}  // namespace tofa::declared_file_test
