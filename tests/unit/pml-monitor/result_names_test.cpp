// SPDX-License-Identifier: BSD-3-Clause
// Whose file it is, told by its name alone: a wrong answer deletes a stranger's file.
#include "result_names.h"

#include <gtest/gtest.h>

namespace tofa::result_names_test {
namespace {

TEST(ResultNames, OwnAllFilesOfAResult) {
  for (const char* name :
       {"app.bytes.mtx", "app.messages.mtx", "app.user.bytes.mtx", "app.one-sided.messages.mtx",
        "app.phase3.bytes.mtx", "app.phase99.user.messages.mtx", "app.ranks.json",
        "app.other-jobs.txt", "app.estimated.bytes.mtx", "app.sizes.txt", "app.declared.mtx"}) {
    EXPECT_TRUE(result_owns("app", name)) << name;
  }
}

TEST(ResultNames, DoNotOwnFilesOfOthers) {
  for (const char* name :
       {"app", "app.", "app.mtx", "app.counts", "app.1.bytes.mtx", "app.spawn2.bytes.mtx",
        "apps.bytes.mtx", "app.phase.bytes.mtx", "app.phasex.bytes.mtx", "app.phase3bytes.mtx",
        "app.user.user.bytes.mtx", "app.users.bytes.mtx", "app.bytes.mtx.gz", "app.html",
        "bytes.mtx", "app.user", "app.ranks.json.bak"}) {
    EXPECT_FALSE(result_owns("app", name)) << name;
  }
}

TEST(ResultNames, HaveABaseWithDots) {
  EXPECT_TRUE(result_owns("app.1", "app.1.user.bytes.mtx"));
  EXPECT_FALSE(result_owns("app.1", "app.bytes.mtx"));
  EXPECT_FALSE(result_owns("app.1", "app.10.bytes.mtx"));
}

}  // namespace
}  // namespace tofa::result_names_test
