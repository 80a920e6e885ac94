// SPDX-License-Identifier: BSD-3-Clause
// Link loads as lines: `from to bytes_per_second [stalls]`.
#include <gmock/gmock.h>

#include "support.hpp"
#include "tofa/link_load.hpp"

namespace tofa::lines_test {
namespace {

using testing::HasSubstr;

LinkLoadList parse(const std::string& text) {
  std::size_t ahead = 0;
  return parse_link_load(text, "load.txt", {}, 0, ahead);
}

TEST(LinkLoadLines, HaveBytesOrAPercentageAndPerhapsStalls) {
  const auto load = parse("# a comment\nn0 n1 1.5e9\n\nn1 x+ 45% 12.5 # busy\r\nn2 * 0 3%\n");
  ASSERT_EQ(load.size(), 3U);
  EXPECT_EQ(load[0].from, "n0");
  EXPECT_EQ(load[0].to, "n1");
  EXPECT_EQ(load[0].bytes_per_second, 1.5e9);
  EXPECT_LT(load[0].share, 0);
  EXPECT_LT(load[0].stalled, 0);
  EXPECT_EQ(load[1].to, "x+");
  EXPECT_DOUBLE_EQ(load[1].share, 0.45);
  EXPECT_DOUBLE_EQ(load[1].stalled, 0.125);
  EXPECT_DOUBLE_EQ(load[2].stalled, 0.03);
}

TEST(LinkLoadLines, MayBeNone) {
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse("# quiet\n").empty());
}

TEST(LinkLoadLines, AreScaledAsTheSiteSays) {
  LinkLoadRules rules;
  rules.scale = 4;
  std::size_t ahead = 0;
  EXPECT_EQ(parse_link_load("a b 10", "x", rules, 0, ahead).front().bytes_per_second, 40);
}

TEST(LinkLoadLines, SayWhatIsWrong) {
  for (const char* line : {"a", "a b", "a b c", "a b -1", "a b nan", "a b inf", "a b 1 2 3",
                           "a b 111%", "a b %", "a b 1e99"}) {
    EXPECT_THAT(test::error_of([&] { parse(std::string("\n") + line); }),
                HasSubstr("load.txt:2: line \""))
        << line;
  }
  EXPECT_THAT(test::error_of([] { parse("a b 1 200"); }),
              HasSubstr("stalls \"200\" are no percentage"));
  EXPECT_THAT(test::error_of([] { parse("a b 1\xff"); }), HasSubstr("load.txt"));
}

}  // namespace
}  // namespace tofa::lines_test
