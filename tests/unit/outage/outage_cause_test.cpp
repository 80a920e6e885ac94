// SPDX-License-Identifier: BSD-3-Clause
// Causes of outages: whatever somebody wrote becomes one short printable line.
#include "tofa/outage_cause.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tofa {
namespace {

TEST(OutageCause, IsOneShortPrintableLine) {
  EXPECT_TRUE(is_cause("heartbeat"));
  EXPECT_TRUE(is_cause("check gpu: no device (2 of 4)"));
  EXPECT_TRUE(is_cause(std::string(kLongestCause, 'x')));
  for (const std::string& text :
       {std::string(), std::string(" x"), std::string("x "), std::string("x\ny"),
        std::string("x\x1b[1m"), std::string("\xc3\xa4"), std::string(kLongestCause + 1, 'x')}) {
    EXPECT_FALSE(is_cause(text)) << text;
  }
}

TEST(OutageCause, IsMadeOfTheFirstLine) {
  EXPECT_EQ(as_cause("disk full\nand more"), "disk full");
  EXPECT_EQ(as_cause("  \t disk\tfull \r\n"), "disk full");
  EXPECT_EQ(as_cause("\x1b[31mred\x1b[0m"), "[31mred [0m");
  EXPECT_EQ(as_cause("L\xc3\xbc"
                     "fter aus"),
            "L?fter aus");
  EXPECT_EQ(as_cause("disk full", 6), "disk f");
  EXPECT_EQ(as_cause("disk full", 5), "disk") << "no blank at the end";
  EXPECT_EQ(as_cause("\n"), "");
  EXPECT_EQ(as_cause(std::string(10'000, 'x')).size(), kLongestCause);
}

TEST(OutageCause, AnyTextBecomesACauseOrNothing) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    const std::string cause = as_cause(text);
    RC_ASSERT(cause.empty() || is_cause(cause));
    if (is_cause(text)) RC_ASSERT(cause == text);
  }));
}

}  // namespace
}  // namespace tofa
