// SPDX-License-Identifier: BSD-3-Clause
// Logs as sites have them, and what is said of those that are none.
#include "tofa/outage_log.hpp"

#include <gmock/gmock.h>

#include "tofa/error.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

OutageLog parse(std::string_view text) {
  return parse_outage_log(text, "log");
}

std::string refusal(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "";
}

TEST(ParseTime, ReadsWhatIsoWrites) {
  EXPECT_EQ(parse_time("1700000000"), 1.7e9);
  EXPECT_EQ(parse_time("1700000000.5"), 1.7e9 + 0.5);
  EXPECT_EQ(parse_time("2023-11-14T22:13:20"), 1.7e9);
  EXPECT_EQ(parse_time("2023-11-14 22:13:20Z"), 1.7e9);
  EXPECT_EQ(parse_time("2023-11-14T23:13:20+01:00"), 1.7e9);
  EXPECT_EQ(parse_time("2023-11-14T14:43:20-0730"), 1.7e9);
  EXPECT_EQ(parse_time("2023-11-14T22:13"), 1.7e9 - 20);
  EXPECT_EQ(parse_time("2023-11-14T22:13:20.250Z"), 1.7e9 + 0.25);
  EXPECT_EQ(parse_time("2024-02-29"), 1709164800);
  EXPECT_EQ(parse_time("2024-03-01"), 1709251200);
}

TEST(ParseTime, RefusesWhatIsNone) {
  for (const char* text :
       {"", "now", "-5", "0", "1e300", "1700000000000", "inf", "2023-13-01", "2023-1-1",
        "2023-11-14T", "2023-11-14T22", "2023-11-14T22:13:20.", "1969-01-01",
        "2023-11-14T22:13:20+1", "2023-11-14T22:61", "2023-11-14x"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(OutageLog, ReadsLinesWithAndWithoutAHeader) {
  const std::string lines =
      "n1,1700000000,1700000600,fan\n"
      "# a remark\n"
      "\n"
      "n2,2023-11-15T00:00:00,\r\n";
  for (const std::string& text : {lines, "host,start,end,cause\n" + lines}) {
    const OutageLog log = parse(text);
    EXPECT_THAT(log.hosts, ElementsAre("n1", "n2"));
    ASSERT_EQ(log.outages.size(), 2U);
    EXPECT_EQ(log.outages[0], (LoggedOutage{0, 1.7e9, 1.7e9 + 600, "fan"}));
    EXPECT_EQ(log.outages[1].end, std::numeric_limits<double>::infinity());
    EXPECT_EQ(log.span, (TimeSpan{1.7e9, 1700006400}));
  }
}

TEST(OutageLog, FindsColumnsByTheirNames) {
  const OutageLog log = parse("End,Cause,Start,Node\n1700000600,\"a, b\",1700000000,n7\n");
  EXPECT_THAT(log.hosts, ElementsAre("n7"));
  EXPECT_EQ(log.outages.at(0), (LoggedOutage{0, 1.7e9, 1.7e9 + 600, "a, b"}));
}

TEST(OutageLog, ReadsWhatSacctmgrPrints) {
  const std::string lines =
      "c1||2023-11-01T00:00:00|Unknown||Cluster Registered TRES|\n"
      "c1|n1|2023-11-14T22:13:20|2023-11-14T23:00:00|DOWN*|Not responding|slurm(64030)\n"
      "c1|n2|2023-11-14T22:20:00|2023-11-14T23:00:00|DRAIN|new memory|root(0)\n"
      "c1|n3|2023-11-14T22:30:00|Unknown|DOWN|Node unexpectedly rebooted|slurm(64030)\n"
      "c1|n4|2023-11-14T22:40:00|Unknown|DOWN$|new racks|root(0)\n"
      "c1|n5|2023-11-14T22:40:00|Unknown|DOWN+POWERED_DOWN||root(0)\n";
  for (const std::string& text :
       {lines, "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n" + lines}) {
    const OutageLog log = parse(text);
    EXPECT_THAT(log.hosts, ElementsAre("n1", "n3"));
    EXPECT_EQ(log.planned, 4U);
    EXPECT_EQ(log.outages[0].cause, "Not responding");
  }
  // In the order that the help asks for.
  const OutageLog asked = parse("n1|2023-11-14T22:13:20|Unknown|DOWN*|Not responding\n");
  EXPECT_EQ(asked.outages.at(0).cause, "Not responding");
  EXPECT_EQ(parse("n1|2023-11-14T22:13:20|Unknown\n").outages.size(), 1U);
}

// As `tofa health export` prints them.
TEST(OutageLog, PassesOverWhatWasDownBecauseItsNetworkWas) {
  const OutageLog log = parse(
      "host,start,end,cause,state,time,user,uid\n"
      "n1,100,200,heartbeat,down,,,\n"
      "n2,100,900,network,network,,,\n");
  EXPECT_THAT(log.hosts, ElementsAre("n1"));
  EXPECT_EQ(log.planned, 1U);
  EXPECT_THAT(refusal("host,start,end,cause,state\nn2,100,900,network,network\n"),
              HasSubstr("of other states that are no failures"));
}

TEST(OutageLog, ExpandsHostLists) {
  const OutageLog log = parse("n[1,3-4],1700000000,1700000600,\"switch, no fan\"\n");
  EXPECT_THAT(log.hosts, ElementsAre("n1", "n3", "n4"));
  EXPECT_EQ(log.outages.at(2).cause, "switch, no fan");
}

TEST(OutageLog, JoinsOutagesThatOverlap) {
  const OutageLog log = parse("a,300,400\na,100,350\nb,350,360\na,500,\na,600,700\n");
  ASSERT_EQ(log.outages.size(), 3U);
  EXPECT_EQ(log.outages[0].start, 100);
  EXPECT_EQ(log.outages[0].end, 400);
  EXPECT_EQ(log.outages[1].start, 350);
  EXPECT_EQ(log.outages[2].end, std::numeric_limits<double>::infinity());
}

TEST(OutageLog, SaysWhichLineIsWrong) {
  EXPECT_THAT(refusal("n1,100,200\nn2,later,300\n"), HasSubstr("log:2: \"later\" is no time"));
  EXPECT_THAT(refusal("n1,300,200\n"), HasSubstr("log:1: the outage ends before it starts"));
  EXPECT_THAT(refusal("n1,100,soon\n"), HasSubstr("\"soon\" is no time"));
  EXPECT_THAT(refusal("n1\n"), HasSubstr("log:1: 1 fields"));
  EXPECT_THAT(refusal(",100,200\n"), HasSubstr("log:1: "));
  EXPECT_THAT(refusal("n/1,100,200\n"), HasSubstr("log:1: host list \"n/1\""));
  EXPECT_THAT(refusal("n[1-,100,200\n"), HasSubstr("log:1: "));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("log: no outage in it"));
  EXPECT_THAT(refusal("n2|100|200|DRAIN|memory\n"), HasSubstr("1 lines are of planned work"));
}

TEST(OutageLog, KeepsTheHostsThatAreAskedFor) {
  const OutageLog log = parse("n1.cluster,100,200\nn2,150,250\nn9,300,400\n");
  const OutageLog chosen = log_of_hosts(log, {"n2", "n3", "n1"});
  EXPECT_THAT(chosen.hosts, ElementsAre("n2", "n3", "n1"));
  ASSERT_EQ(chosen.outages.size(), 2U);
  EXPECT_EQ(chosen.outages[0].host, 2U);
  EXPECT_EQ(chosen.outages[1].host, 0U);
  EXPECT_EQ(chosen.span, log.span);
  EXPECT_THROW(log_of_hosts(log, {"n1", "n1"}), Error);
}

}  // namespace
}  // namespace tofa
