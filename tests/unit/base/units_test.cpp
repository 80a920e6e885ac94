// SPDX-License-Identifier: BSD-3-Clause
// Amounts as people read and write them.
#include "tofa/units.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace tofa {
namespace {

TEST(Duration, AsPeopleWriteIt) {
  EXPECT_EQ(parse_duration("0"), 0);
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("1.5"), 1.5);
  EXPECT_EQ(parse_duration("90s"), 90);
  EXPECT_EQ(parse_duration("90m"), 5400);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration("0.5h"), 1800);
  EXPECT_EQ(parse_duration("2d12h"), 216'000);
}

TEST(Duration, AsSlurmWritesIt) {
  EXPECT_EQ(parse_duration("0:00"), 0);
  EXPECT_EQ(parse_duration("30:00"), 1800);
  EXPECT_EQ(parse_duration("1:30:05"), 5405);
  EXPECT_EQ(parse_duration("1-12:00:00"), 129'600);
  EXPECT_EQ(parse_duration("1-12:30"), 131'400);
  EXPECT_EQ(parse_duration("2-0"), 172'800);
}

TEST(Duration, NothingElse) {
  for (const char* bad :
       {"",      " ",       "-1",   "-1s",       "1x",        "h",   "1h1h", "1m1h",
        "1h30",  "1:2:3:4", "1-",   "-1-0",      "1-1:1:1:1", "a:b", "inf",  "nan",
        "1e400", "1 h",     "1--1", "UNLIMITED", ":",         "1:"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Duration, IsATimeWhateverTheText) {
  EXPECT_TRUE(rc::check([] {
    const auto text =
        *rc::gen::container<std::string>(rc::gen::elementOf(std::string("019.:-dhmse ")));
    const auto seconds = parse_duration(text);
    RC_ASSERT(!seconds || (std::isfinite(*seconds) && *seconds >= 0));
  }));
}

}  // namespace
}  // namespace tofa
