// SPDX-License-Identifier: BSD-3-Clause
// A profile's files are found by their names, and nobody else's are.
#include "tofa/profile_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace tofa {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class ProfileFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (fs::temp_directory_path() / "tofa-profile-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  void TearDown() override { fs::remove_all(folder_); }
  void touch(const std::string& name) const { std::ofstream(folder_ + "/" + name) << "old"; }

  std::string folder_;
};

TEST_F(ProfileFiles, AreThoseOfItsName) {
  for (const char* name : {"app.bytes.mtx", "app.one-sided.messages.mtx", "app.phase99.bytes.mtx",
                           "app.phase3.user.messages.mtx", "app.estimated.bytes.mtx",
                           "app.ranks.json", "app.other-jobs.txt", "app.sizes.txt"}) {
    touch(name);
  }
  for (const char* name : {"app", "app.mtx", "app.1.bytes.mtx", "app.spawn2.bytes.mtx",
                           "apps.bytes.mtx", "app.phase100.bytes.mtx", "app.phase0.bytes.mtx",
                           "app.all.bytes.mtx", "app.user.user.bytes.mtx",
                           "app.phase3.estimated.bytes.mtx", "app.sizes.txt.bak", "bytes.mtx"}) {
    touch(name);
  }
  fs::create_directory(folder_ + "/app.messages.mtx");
  const std::string stem = folder_ + "/app";
  EXPECT_THAT(profile_files(stem),
              ElementsAre(stem + ".bytes.mtx", stem + ".estimated.bytes.mtx",
                          stem + ".one-sided.messages.mtx", stem + ".other-jobs.txt",
                          stem + ".phase3.user.messages.mtx", stem + ".phase99.bytes.mtx",
                          stem + ".ranks.json", stem + ".sizes.txt"));
}

TEST_F(ProfileFiles, MayBeNone) {
  EXPECT_THAT(profile_files(folder_ + "/app"), IsEmpty());
  EXPECT_THAT(profile_files(folder_ + "/gone/app"), IsEmpty());
}

}  // namespace
}  // namespace tofa
