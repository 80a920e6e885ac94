// SPDX-License-Identifier: BSD-3-Clause
// What is kept in a folder of the user's, and whose files are believed. More of that, with damaged
// and foreign files, is in cache/placement_cache_test.cpp.
#include "tofa/user_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "support.hpp"

namespace tofa {
namespace {

TEST(UserFolder, FindsWhatWasKeptLast) {
  const test::ScratchDirectory scratch;
  const UserFolder folder(scratch / "new/folder");
  EXPECT_EQ(folder.find("a"), std::nullopt);
  folder.keep("a", "first");
  folder.keep("a", std::string("sec\0nd", 6));
  folder.keep("b", "");
  EXPECT_EQ(folder.find("a"), std::string("sec\0nd", 6));
  EXPECT_EQ(folder.find("b"), "");
  EXPECT_EQ(folder.find("c"), std::nullopt);
}

TEST(UserFolder, BelievesNoFileThatOthersMayWrite) {
  const test::ScratchDirectory scratch;
  const UserFolder folder(scratch / "folder");
  folder.keep("a", "text");
  ::chmod((scratch / "folder/a").c_str(), 0666);
  EXPECT_EQ(folder.find("a"), std::nullopt);
  ::chmod((scratch / "folder/a").c_str(), 0600);
  EXPECT_EQ(folder.find("a"), "text");
  ::chmod((scratch / "folder").c_str(), 0777);
  EXPECT_EQ(folder.find("a"), std::nullopt);
}

TEST(UserFolder, WithoutAFolderNothingIsKept) {
  const UserFolder folder("");
  folder.keep("a", "text");
  folder.touch("a");
  EXPECT_EQ(folder.find("a"), std::nullopt);
  const UserFolder nowhere("/proc/none");
  nowhere.keep("a", "text");
  EXPECT_EQ(nowhere.find("a"), std::nullopt);
}

TEST(UserFolder, WhatWasNotUsedForLongestGoes) {
  const test::ScratchDirectory scratch;
  const UserFolder folder(scratch / "folder", {.bytes = 100, .files = 2});
  folder.keep("large", std::string(101, 'x'));
  EXPECT_EQ(folder.find("large"), std::nullopt);
  const timespec old[2] = {{1, 0}, {1, 0}};
  const timespec older[2] = {{0, 0}, {0, 0}};
  folder.keep("a", "text");
  folder.keep("b", "text");
  ::utimensat(AT_FDCWD, (scratch / "folder/a").c_str(), older, 0);
  ::utimensat(AT_FDCWD, (scratch / "folder/b").c_str(), old, 0);
  folder.touch("a");
  folder.keep("c", "text");
  EXPECT_EQ(folder.find("a"), "text");
  EXPECT_EQ(folder.find("b"), std::nullopt);
  EXPECT_EQ(folder.find("c"), "text");
}

}  // namespace
}  // namespace tofa
