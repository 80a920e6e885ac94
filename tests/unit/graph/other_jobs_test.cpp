// SPDX-License-Identifier: BSD-3-Clause
// What is told of other jobs: read as it was written, refused where it is damaged.
#include "tofa/other_jobs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tofa/error.hpp"

namespace tofa::other_jobs_test {
namespace {

using testing::HasSubstr;

const std::vector<OtherJobTraffic> kRows{{0, "77", 0, "user", 2, 155},
                                         {1, "77", 0, "user", 1, 5},
                                         {1, "77", 3, "collective", 4, 0},
                                         {1, "77", 3, "fetched", 9, 900},
                                         {3, "batch.7@1", 4000000000, "user", 1, 1}};

std::string refusal(const std::string& text) {
  try {
    (void)parse_other_jobs(text, "app.other-jobs.txt");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(OtherJobs, AreReadAsTheyWereWritten) {
  EXPECT_EQ(parse_other_jobs(format_other_jobs(kRows, "{}"), "x"), kRows);
  EXPECT_TRUE(parse_other_jobs(format_other_jobs({}, "{\"version\":1}"), "x").empty());
}

TEST(OtherJobs, AreSummedUpByJob) {
  const std::vector<OtherJobSum> sums = sum_other_jobs(kRows);
  ASSERT_EQ(sums.size(), 3U);
  EXPECT_EQ(sums[0].job, "77");
  EXPECT_FALSE(sums[0].fetched);
  EXPECT_EQ(sums[0].ranks, 2U);
  EXPECT_EQ(sums[0].peers, 2U);
  EXPECT_EQ(sums[0].messages, 7U);
  EXPECT_EQ(sums[0].bytes, 160U);
  EXPECT_TRUE(sums[1].fetched);
  EXPECT_EQ(sums[1].bytes, 900U);
  EXPECT_EQ(sums[2].job, "batch.7@1");
}

TEST(OtherJobs, DamageIsSaidWithItsLine) {
  const std::string head = "%tofa {}\n%rank job peer class messages bytes\n";
  EXPECT_THAT(refusal(""), HasSubstr("has no line"));
  EXPECT_THAT(refusal("0 77 0 user 2 155\n"), HasSubstr("comes before the line"));
  EXPECT_THAT(refusal(head + "x 77 0 user 2 155\n"), HasSubstr("the rank is \"x\""));
  EXPECT_THAT(refusal(head + "0 77 -1 user 2 155\n"), HasSubstr("rank in the other job"));
  EXPECT_THAT(refusal(head + "0 77 0 user 2\n"), HasSubstr("number of bytes"));
  EXPECT_THAT(refusal(head + "0\n"), HasSubstr("has no job"));
  EXPECT_THAT(refusal(head + "0 77 0 user 2 155 1\n"), HasSubstr("behind the bytes"));
  EXPECT_THAT(refusal(head + "\n0 77 0 user 2 99999999999999999999\n"), HasSubstr(":4:"));
}

}  // namespace
}  // namespace tofa::other_jobs_test
