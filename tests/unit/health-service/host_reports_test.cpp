// SPDX-License-Identifier: BSD-3-Clause
// What other tools write about hosts.
#include "healthd/host_reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "tofa/outage_cause.hpp"

namespace tofa::health::host_reports_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using V = Verdict;

const std::vector<std::string> kHosts{"n0", "n1", "n2.cluster"};

ReportFile parse(std::string_view text, std::string_view name = "tool", bool settled = false) {
  return parse_reports(text, name, HostIndex(kHosts), settled);
}

// Of one file called "tool".
Opinions judge(std::string_view text) {
  return judge_reports({{"tool", parse(text)}}, kHosts.size());
}

TEST(HostReports, ALineIsAHostAStateAndAReason) {
  const Opinions opinions =
      judge("# fans, 2026\n\nn0 down  fan 3 \xc3\xbc broken\r\n  n1\tplanned\nn2 up\n");
  EXPECT_THAT(opinions.verdicts, ElementsAre(V::down, V::planned, V::up));
  EXPECT_EQ(opinions.causes.at(0), "folder tool: fan 3 ? broken");
  EXPECT_EQ(opinions.causes.size(), 1);
  EXPECT_EQ(opinions.remark, "");
}

TEST(HostReports, WithoutAHostItIsOfTheOneThatTheFileIsNamedLike) {
  const Opinions opinions = judge_reports(
      {{"n1", parse("down\n", "n1")}, {"n2", parse("down no memory\n", "n2")}}, kHosts.size());
  EXPECT_THAT(opinions.verdicts, ElementsAre(V::unknown, V::down, V::down));
  EXPECT_EQ(opinions.causes.at(1), "folder n1");
  EXPECT_EQ(opinions.causes.at(2), "folder n2: no memory");
  EXPECT_EQ(parse("down\n", "elsewhere").unknown_host, "elsewhere");
}

TEST(HostReports, TheLastLineOfAFileCountsAndTheWorstOfAllFiles) {
  EXPECT_EQ(judge("n0 up\nn0 down hot\nn0 up\n").verdicts[0], V::up);
  const Opinions opinions = judge_reports({{"a", parse("n0 up\nn1 planned\n")},
                                           {"b", parse("n0 down one\nn1 up\n")},
                                           {"c", parse("n0 down two\nn1 up\n")}},
                                          kHosts.size());
  EXPECT_THAT(opinions.verdicts, ElementsAre(V::down, V::planned, V::unknown));
  EXPECT_EQ(opinions.causes.at(0), "folder b: one");
}

TEST(HostReports, WhatMakesNoSenseIsToldAndTakesNothingAway) {
  const Opinions opinions =
      judge("n0 down\nn1 dow\nx\nn1 DOWN\n\x01\x02\nn/1 down\nn7 down\nn8 up\nn2 up\n");
  EXPECT_THAT(opinions.verdicts, ElementsAre(V::down, V::unknown, V::up));
  EXPECT_THAT(opinions.remark,
              HasSubstr("2 reports are of hosts that are not configured, such as n7"));
  EXPECT_THAT(opinions.remark, HasSubstr("5 lines are no reports, the first is \"tool:2\""));
}

TEST(HostReports, HalfALineWaitsUntilTheFileIsLeftAlone) {
  EXPECT_TRUE(parse("n0 down\n").finished);
  const ReportFile half = parse("n1 up\nn0 down for rep");
  EXPECT_FALSE(half.finished);
  EXPECT_EQ(half.reports.size(), 1);
  EXPECT_TRUE(parse("n0 down").reports.empty());
  EXPECT_FALSE(parse("").finished) << "it may just have been emptied";
  EXPECT_EQ(parse("n0 down for repair", "tool", true).reports.at(0),
            (HostReport{V::down, "for repair"}));
}

TEST(HostReports, TenThousandLines) {
  std::vector<std::string> hosts;
  std::string text;
  for (int i = 0; i < 10'000; ++i) {
    hosts.push_back("n" + std::to_string(i));
    text += hosts.back() + (i % 2 == 0 ? " up\n" : " down because of " + hosts.back() + "\n");
  }
  const Opinions opinions =
      judge_reports({{"all", parse_reports(text, "all", HostIndex(hosts), false)}}, hosts.size());
  EXPECT_EQ(opinions.verdicts[9'998], V::up);
  EXPECT_EQ(opinions.causes.at(9'999), "folder all: because of n9999");
  EXPECT_EQ(opinions.causes.size(), 5'000);
}

TEST(HostReports, AnyTextIsSafe) {
  EXPECT_TRUE(rc::check([](const std::string& text, const std::string& name, bool settled) {
    const Opinions opinions = judge_reports(
        {{name, parse(text, name, settled)}, {"x", parse("n0 " + text)}}, kHosts.size());
    for (const auto& [host, cause] : opinions.causes) RC_ASSERT(is_cause(cause));
  }));
}

}  // namespace
}  // namespace tofa::health::host_reports_test
