// SPDX-License-Identifier: BSD-3-Clause
// Link loads as time-stamped CSV: LDMS's columns and plain ones, windows, counters, age.
#include <gmock/gmock.h>

#include "support.hpp"
#include "tofa/link_load.hpp"

namespace tofa {
namespace {

using testing::HasSubstr;

const std::string kPlain =
    "Time,from,to,bytes_per_second,stalls\n"
    "900,n0,n1,9e9,90\n"
    "970,n0,n1,100,10\n"
    "1000,n0,n1,300,30\n"
    "1000,n1,n0,7,\n";
const std::string kGemini =
    "#Time,Time_usec,ProducerName,component_id,X+_SAMPLE_GEMINI_LINK_USED_BW (%),"
    "Z-_SAMPLE_GEMINI_LINK_CREDIT_STALL (%)\n"
    "1000.5,500,nid00012,12,45,68\n";

LinkLoadList parse(const std::string& text, const LinkLoadRules& rules = {}, double now = 1010) {
  std::size_t ahead = 0;
  return parse_link_load(text, "load.csv", rules, now, ahead);
}

// Of the first sample about such a link, which must be there.
LinkSample sample(const LinkLoadList& load, const std::string& from, const std::string& to,
                  bool stalls = false) {
  for (const LinkSample& one : load)
    if (one.from == from && one.to == to && (one.stalled >= 0) == stalls) return one;
  ADD_FAILURE() << "nothing about " << from << " to " << to;
  return {};
}

TEST(LinkLoadCsv, TakesTheMeanOfTheWindow) {
  const auto load = parse(kPlain);
  EXPECT_EQ(sample(load, "n0", "n1").bytes_per_second, 200) << "the row of 900 is too long ago";
  EXPECT_DOUBLE_EQ(sample(load, "n0", "n1", true).stalled, 0.2);
  EXPECT_EQ(sample(load, "n1", "n0").bytes_per_second, 7);
  EXPECT_EQ(load.size(), 3U) << "an empty cell says nothing";
}

TEST(LinkLoadCsv, ARowFromTheFutureIsCountedAndChangesNothing) {
  std::size_t ahead = 0;
  const auto load = parse_link_load(kPlain + "9000,n0,n1,1e9,80\n", "load.csv", {}, 1010, ahead);
  EXPECT_EQ(ahead, 1U);
  ASSERT_EQ(load.size(), 3U);
  EXPECT_EQ(sample(load, "n0", "n1").bytes_per_second, 200);
  EXPECT_THAT(test::error_of([] { parse(kPlain + "9000,n0,n1,1e9,80\n", {}, 2000); }),
              HasSubstr("is old: its newest measurement was made 1000 s ago"));
  EXPECT_THAT(test::error_of([] { parse(kPlain, {}, 100); }),
              HasSubstr("all of its 4 measurements are of a time to come"));
}

TEST(LinkLoadCsv, AClockThatIsALittleAheadIsNone) {
  std::size_t ahead = 0;
  LinkLoadRules rules;
  rules.window = 5;
  const auto load = parse_link_load(kPlain, "load.csv", rules, 950, ahead);
  EXPECT_EQ(ahead, 0U);
  EXPECT_EQ(sample(load, "n0", "n1").bytes_per_second, 300);
}

TEST(LinkLoadCsv, OrTheMostOrTheLatestAsTheSiteSays) {
  LinkLoadRules rules;
  rules.take = WindowValue::max;
  rules.window = 200;
  EXPECT_EQ(sample(parse(kPlain, rules), "n0", "n1").bytes_per_second, 9e9);
  rules.take = WindowValue::latest;
  EXPECT_EQ(sample(parse(kPlain, rules), "n0", "n1").bytes_per_second, 300);
}

TEST(LinkLoadCsv, KnowsTheColumnsOfGeminiWhichCountWhatComesIn) {
  const auto load = parse(kGemini);
  EXPECT_DOUBLE_EQ(sample(load, "X+", "nid00012").share, 0.45);
  EXPECT_DOUBLE_EQ(sample(load, "Z-", "nid00012", true).stalled, 0.68);
}

TEST(LinkLoadCsv, CountersBecomeRates) {
  LinkLoadRules rules;
  rules.host_column = "hostname";
  rules.used_column = "port_xmit_data";
  rules.counters = true;
  rules.scale = 4;
  const auto load = parse(
      "Time,hostname,port_xmit_data\n1000,n7,50\n1000,n8,1000\n1002,n7,70\n1002,n8,10\n1004,n8,20\n",
      rules);
  EXPECT_EQ(sample(load, "n7", "*").bytes_per_second, 40);
  EXPECT_EQ(sample(load, "n8", "*").bytes_per_second, 20) << "one that went back began anew";
}

TEST(LinkLoadCsv, ALineThatIsBeingWrittenIsLeftForLater) {
  EXPECT_EQ(parse(kPlain + "1001,n0,n").size(), 3U);
}

TEST(LinkLoadCsv, MayNotBeOld) {
  EXPECT_THAT(test::error_of([] { parse(kPlain, {}, 2000); }),
              HasSubstr("its newest measurement was made 1000 s ago, 300 s are allowed"));
  LinkLoadRules rules;
  rules.max_age = 5;
  EXPECT_THAT(test::error_of([&] { parse(kPlain, rules); }), HasSubstr("5 s are allowed"));
  rules.max_age = 5000;
  EXPECT_EQ(parse(kPlain, rules, 2000).size(), 3U);
  EXPECT_THAT(test::error_of([] { parse("Time,from,to,bytes_per_second\n"); }),
              HasSubstr("no row"));
}

TEST(LinkLoadCsv, SaysWhatIsWrong) {
  const auto error_with = [](const std::string& row) {
    return test::error_of([&] { parse("Time,from,to,bytes_per_second,stalls\n" + row + "\n"); });
  };
  EXPECT_THAT(error_with("1000,n0,n1"), HasSubstr("load.csv:2: 3 columns, and the header has 5"));
  EXPECT_THAT(error_with("soon,n0,n1,1,1"), HasSubstr("load.csv:2: \"soon\" is no time"));
  EXPECT_THAT(error_with("1000,n0,n1,-1,1"), HasSubstr("\"-1\" is no number of bytes"));
  EXPECT_EQ(parse("Time,from,to,bytes_per_second,stalls\n1000,n0,n1,1,100.02\n").back().stalled, 1)
      << "a quotient of samples";
  EXPECT_THAT(error_with("1000,n0,n1,1,111"), HasSubstr("\"111\" is no percentage"));
  EXPECT_THAT(test::error_of([] { parse("Time,x\n1000,1\n"); }), HasSubstr("host_column"));
  EXPECT_THAT(test::error_of([] { parse("Time,ProducerName\n1000,n1\n"); }),
              HasSubstr("used_column"));
}

}  // namespace
}  // namespace tofa
