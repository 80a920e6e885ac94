// SPDX-License-Identifier: BSD-3-Clause
// Programs run to their end, and what becomes of those that fail; how a host process may get in the
// way is tested with the helper that asks the health service.
#include "tofa/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "support.hpp"

namespace tofa {
namespace {

using test::error_of;

std::string check(const std::string& script, const ChildLimits& limits = {.deadline_seconds = 60}) {
  return run_and_check("sh", {"-c", script}, limits, "it");
}

TEST(RunAndCheck, ReturnsWhatWasPrinted) {
  EXPECT_EQ(check("echo out; echo err >&2"), "out\n");
}

TEST(RunAndCheck, SaysWhyThereIsNoAnswer) {
  EXPECT_EQ(error_of([] { check("printf ' not\\ntoday\\n' >&2; exit 3"); }),
            "it failed: not today");
  EXPECT_EQ(error_of([] { check("exit 3"); }), "it failed: status 3");
  EXPECT_EQ(error_of([] { check("kill -KILL $$"); }), "it failed: status 137");
  EXPECT_EQ(error_of([] { check("exec sleep 1000", {.deadline_seconds = 0.25}); }),
            "it did not answer within 0.25 s");
  EXPECT_EQ(error_of([] { check("exec yes", {.deadline_seconds = 60, .max_output = 1000}); }),
            "it printed more than 1000 bytes");
  EXPECT_THAT(error_of([] { run_and_check("/none", {}, {}, "it"); }),
              testing::HasSubstr("/none: cannot be run"));
}

TEST(RunToEnd, LeavesTheStatusToTheCaller) {
  const ChildResult result =
      run_to_end("sh", {"-c", "echo out; exit 3"}, {.deadline_seconds = 60}, "it");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.output, "out\n");
}

TEST(RunChild, EndsWhenItsAnswerIsNotWantedAnyMore) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  const ChildResult result =
      run_child("sleep", {"1000"}, {.deadline_seconds = 1000, .interrupt = ends[0]});
  EXPECT_EQ(result.end, ChildResult::End::interrupted);
  EXPECT_EQ(result.status, 128 + SIGKILL);
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace tofa
