// SPDX-License-Identifier: BSD-3-Clause
// When the gate gives up a libpmix that answers nobody, and when it does not.
#include "gateway/patience.hpp"

#include <gtest/gtest.h>

namespace tofa::health::patience_test {
namespace {

using namespace std::chrono_literals;
using Duration = Patience::Clock::duration;

class PatienceTest : public testing::Test {
 protected:
  bool lost_after(Duration passed, const Patience::Seen& seen) {
    now += passed;
    return patience.spent(now, seen).has_value();
  }
  // How long clients wait until a process that says nothing is given up; looks are 0.1 s apart.
  Duration time_until_lost() {
    for (Duration waited = 100ms; waited <= 1min; waited += 100ms) {
      if (lost_after(100ms, {.owes = true})) return waited;
    }
    return Duration::max();
  }

  Patience patience;
  Patience::Clock::time_point now{1h};
};

TEST_F(PatienceTest, OneThatAnswersNobodyIsGivenUp) {
  EXPECT_FALSE(lost_after(0s, {}));
  EXPECT_EQ(time_until_lost(), 3s);
}

TEST_F(PatienceTest, OneThatNobodyWaitsForIsKept) {
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(lost_after(1s, {}));
}

TEST_F(PatienceTest, OneThatAnswersAnybodyIsKept) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(lost_after(1s, {.owes = true}));
    EXPECT_FALSE(lost_after(1s, {.owes = true}));
    EXPECT_FALSE(lost_after(1s, {.owes = true, .stirred = true}));
  }
}

TEST_F(PatienceTest, ThatClientsLeaveIsNoAnswer) {
  EXPECT_FALSE(lost_after(1s, {.owes = true}));
  EXPECT_FALSE(lost_after(1s, {.owes = true}));
  EXPECT_FALSE(lost_after(1s, {}));
  EXPECT_TRUE(lost_after(1s, {.owes = true}));
}

TEST_F(PatienceTest, TimeInWhichEverythingStoodStillCountsForNothing) {
  EXPECT_FALSE(lost_after(1s, {.owes = true}));
  EXPECT_FALSE(lost_after(24h, {.owes = true}));
  EXPECT_FALSE(lost_after(1s, {.owes = true, .stirred = true}));
}

TEST_F(PatienceTest, AnotherProcessBeginsAgain) {
  EXPECT_FALSE(lost_after(1s, {.owes = true}));
  EXPECT_FALSE(lost_after(1s, {.owes = true}));
  patience.begin_again();
  EXPECT_EQ(time_until_lost(), 3s);
}

TEST_F(PatienceTest, WhereAllAreSlowEachGetsMoreTime) {
  EXPECT_FALSE(lost_after(0s, {}));
  for (const Duration expected : {3s, 6s, 12s, 24s, 24s}) EXPECT_EQ(time_until_lost(), expected);
  EXPECT_FALSE(lost_after(9min, {}));
  EXPECT_EQ(time_until_lost(), 24s) << "that was just now";
  EXPECT_FALSE(lost_after(10min, {}));
  EXPECT_EQ(time_until_lost(), 3s);
}

TEST_F(PatienceTest, TellsHowLongItWas) {
  EXPECT_FALSE(lost_after(0s, {}));
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(lost_after(1s, {.owes = true}));
  EXPECT_EQ(patience.spent(now + 1s, {.owes = true}), 3s);
}

}  // namespace
}  // namespace tofa::health::patience_test
