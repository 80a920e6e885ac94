// SPDX-License-Identifier: BSD-3-Clause
// A Slurm that is away for a moment does not keep nodes from being drained for long.
#include "healthd/drain_retry.hpp"

#include <gtest/gtest.h>

namespace tofa::health::drain_retry_test {
namespace {

using O = DrainOutcome;

TEST(DrainRetry, SoonAndThenLessOftenWhileNobodyAnswers) {
  DrainRetry retry;
  for (const double seconds : {30, 60, 120, 240, 480, 600, 600, 600}) {
    EXPECT_EQ(retry.after(O::unanswered), seconds);
  }
}

TEST(DrainRetry, ARefusalIsNotRepeatedSoon) {
  DrainRetry retry;
  EXPECT_EQ(retry.after(O::refused), 3600);
  EXPECT_EQ(retry.after(O::refused), 3600);
}

TEST(DrainRetry, AnyAnswerBeginsAnew) {
  DrainRetry retry;
  for (const O answer : {O::done, O::refused}) {
    EXPECT_EQ(retry.after(O::unanswered), 30);
    EXPECT_EQ(retry.after(O::unanswered), 60);
    EXPECT_EQ(retry.after(answer), answer == O::done ? 0 : 3600);
  }
  EXPECT_EQ(retry.after(O::unanswered), 30);
}

}  // namespace
}  // namespace tofa::health::drain_retry_test
