// SPDX-License-Identifier: BSD-3-Clause
// Work that keeps up with the clock goes by what is done; work that does not goes by the clock.
#include "mapping/pace.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace tofa {
namespace {

const PlaceOptions kOptions;

TEST(Pace, GoesByTheWorkWhereThereIsTime) {
  Trace trace(kOptions);
  Pace pace(Deadline(600), trace);
  for (const double done : {0.0, 0.3, 0.99, 1.0}) EXPECT_EQ(pace.progress(done), done);
  Pace timeless(std::nullopt, trace);
  EXPECT_EQ(timeless.progress(0.5), 0.5);
  EXPECT_FALSE(trace.hurried());
}

TEST(Pace, GoesByTheClockWhereWorkIsLate) {
  Trace trace(kOptions);
  Pace pace(Deadline(0.02), trace);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_GE(pace.progress(0.5), 1);
  EXPECT_TRUE(trace.hurried());
}

TEST(Pace, AShortPauseChangesNothing) {
  Trace trace(kOptions);
  Pace pace(Deadline(600), trace);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(pace.progress(0), 0);
  EXPECT_FALSE(trace.hurried());
}

TEST(Pace, WorkOnTheSideHurriesTheWhole) {
  Trace trace(kOptions);
  Trace aside = trace.aside();
  Pace pace(Deadline(0), aside);
  EXPECT_GE(pace.progress(0), 1);
  EXPECT_TRUE(trace.hurried());
}

}  // namespace
}  // namespace tofa
