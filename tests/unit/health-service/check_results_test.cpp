// SPDX-License-Identifier: BSD-3-Clause
// What the checks of a node say about it.
#include "noded/check_results.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "common/protocol.hpp"
#include "tofa/outage_cause.hpp"

namespace tofa::health::check_results_test {
namespace {

using End = CheckOutcome::End;

const CheckOutcome kFine{End::exited, 0, "all is well\n"};

TEST(CheckResults, ANodeFailsWithAnyOfItsChecks) {
  CheckResults results;
  EXPECT_FALSE(results.record("disk", kFine));
  EXPECT_EQ(results.failure(), "");
  EXPECT_EQ(results.record("gpu", {End::exited, 3, "no device\nsee log\n"}),
            "check gpu failed: no device");
  EXPECT_EQ(results.failure(), "gpu: no device");
  results.record("disk", {End::exited, 1, "full"});
  EXPECT_EQ(results.failure(), "disk: full (and 1 more)");
  EXPECT_EQ(results.record("disk", kFine), "check disk finds nothing wrong any more");
  EXPECT_EQ(results.failure(), "gpu: no device");
}

TEST(CheckResults, ACheckThatPrintsNothingStillHasAReason) {
  CheckResults results;
  results.record("a", {End::exited, 3, ""});
  EXPECT_EQ(results.failure(), "a: exit status 3");
  results.record("a", {End::killed, 11, "\n"});
  EXPECT_EQ(results.failure(), "a: ended by signal 11");
  results.record("a", {End::timed_out, 10, "still busy"});
  EXPECT_EQ(results.failure(), "a: not done within 10 s") << "whatever it had printed";
}

TEST(CheckResults, WhatIsNewIsToldOnce) {
  CheckResults results;
  EXPECT_TRUE(results.record("a", {End::exited, 1, "x"}));
  EXPECT_FALSE(results.record("a", {End::exited, 1, "x"}));
  EXPECT_TRUE(results.record("a", {End::exited, 1, "y"}));
  EXPECT_TRUE(results.record("a", kFine));
  EXPECT_FALSE(results.record("a", kFine));
}

TEST(CheckResults, WhatCouldNotBeStartedSaysNothing) {
  CheckResults results;
  EXPECT_FALSE(results.record("a", {End::not_run, 0, ""}));
  EXPECT_EQ(results.failure(), "");
  results.record("a", {End::exited, 1, "x"});
  results.record("a", {End::not_run, 0, ""});
  EXPECT_EQ(results.failure(), "a: x") << "what it said last holds";
}

TEST(CheckResults, ChecksThatAreGoneAreForgotten) {
  CheckResults results;
  results.record("a", {End::exited, 1, "x"});
  results.record("b", {End::exited, 1, "y"});
  results.keep({"b", "c"});
  EXPECT_EQ(results.failure(), "b: y");
  results.keep({});
  EXPECT_EQ(results.failure(), "");
}

TEST(CheckResults, WhatTheySaidIsReadBackAndNothingElseIs) {
  CheckResults results;
  EXPECT_EQ(results.save(), "");
  results.record("gpu", {End::exited, 3, "no  device: 2 of 4\nsee log\n"});
  results.record("disk", {End::killed, 9, ""});
  CheckResults after;
  after.restore(results.save());
  EXPECT_EQ(after.save(), results.save());
  EXPECT_EQ(after.failure(), results.failure());
  after.restore("\n../x y\nname-only\n\xff\xfe\n");
  EXPECT_EQ(after.failure(), "");
}

TEST(CheckResults, NamesAreThoseThatPackagesInstall) {
  for (const char* name : {"gpu", "10-disk.sh", "a_b"}) EXPECT_TRUE(is_check_name(name)) << name;
  for (const char* name : {"", ".", "..", ".hidden", "backup~", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(is_check_name(name)) << name;
  }
  EXPECT_FALSE(is_check_name(std::string(65, 'x')));
}

TEST(CheckResults, AnyOutputFitsIntoAnAnswer) {
  EXPECT_TRUE(rc::check([](const std::string& output, bool with_key) {
    CheckResults results;
    results.record("gpu", {End::exited, 1, output});
    HeartbeatAnswer answer{std::string(32, '0'), std::string(200, 'n'), "b", 5};
    set_failure(answer, results.failure());
    RC_ASSERT(is_cause(answer.failure));
    if (with_key) answer = sign(answer, parse_secret_key(std::string(64, '3')));
    const std::string datagram = format_answer(answer);
    RC_ASSERT(datagram.size() <= kRequestSize);
    RC_ASSERT(parse_answer(datagram) == answer);
  }));
}

}  // namespace
}  // namespace tofa::health::check_results_test
