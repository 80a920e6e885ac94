// SPDX-License-Identifier: BSD-3-Clause
// The site's log: a line says what was put into it, and lines of strangers change no sums.
#include "tofa/site_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr const char* kPlaced =
    "time=2026-11-22T02:20:42Z user=ann job=17.0 outcome=placed warnings=0 ranks=8 nodes=4 "
    "avoided=1 hops_default=2 hops_chosen=0.5 abort_default=0.02 abort_chosen=0 seconds=0.012";

TEST(SiteLog, AFieldIsQuotedWhereItMustBe) {
  EXPECT_EQ(format_log_line({{"time", "t"}, {"a", "n[0-3],/x:y@z%+"}, {"b", ""}, {"c", "a b"}}),
            "time=t a=n[0-3],/x:y@z%+ b=\"\" c=\"a b\"");
  EXPECT_EQ(format_log_line({{"a", "say \"so\" \\\n\t."}}), "a=\"say \\\"so\\\" \\\\  .\"");
  EXPECT_LT(format_log_line({{"a", std::string(100000, 'x')}}).size(), 1000U);
}

RC_GTEST_PROP(SiteLog, EveryLineReadsBack, (const std::string& first, const std::string& second)) {
  const std::string line = format_log_line({{"time", first}, {"reason", second}});
  RC_ASSERT(line.find('\n') == std::string::npos);
  const auto fields = parse_log_line("Nov 22 02:20:42 n1 tofa[17]: " + line);
  RC_ASSERT(fields.has_value());
  RC_ASSERT(fields->size() == 2U);
  const auto printable = [](std::string text) {
    for (char& c : text)
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    return text.substr(0, 400);
  };
  RC_ASSERT(fields->at("time") == printable(first));
  RC_ASSERT(fields->at("reason") == printable(second));
}

TEST(SiteLog, LinesAddUp) {
  SiteSummary sum;
  add_log_line(sum, kPlaced);
  add_log_line(sum, "Nov 22 02:20:42 login1 tofa[17]: " + std::string(kPlaced));
  add_log_line(sum,
               "time=2026-11-21T00:00:00Z user=bob outcome=declined reason=\"8 ranks, 4 nodes\"");
  add_log_line(sum,
               "time=2026-11-23T00:00:00Z user=bob outcome=declined reason=\"16 ranks, 2 nodes\"");
  EXPECT_EQ(sum.placed, 2U);
  EXPECT_EQ(sum.declined, 2U);
  EXPECT_EQ(sum.ranks, 16U);
  EXPECT_EQ(sum.avoided, 2U);
  EXPECT_EQ(sum.hops_default, 4);
  EXPECT_EQ(sum.hops_chosen, 1);
  EXPECT_EQ(sum.aborts_default, 0.04);
  EXPECT_EQ(sum.aborts_chosen, 0);
  EXPECT_THAT(sum.reasons, ElementsAre(Pair("# ranks, # nodes", 2U)));
  EXPECT_THAT(sum.users, ElementsAre(Pair("ann", 2U), Pair("bob", 2U)));
  EXPECT_EQ(sum.first, "2026-11-21T00:00:00Z");
  EXPECT_EQ(sum.last, "2026-11-23T00:00:00Z");
  EXPECT_EQ(sum.others, 0U);
}

TEST(SiteLog, LinesOfStrangersChangeNoSums) {
  const std::string placed = kPlaced;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string line = placed;
    return line.replace(line.find(from), from.size(), to);
  };
  const std::vector<std::string> lines{
      "",
      "-- Boot 17 --",
      "time=now",
      "uptime=3 outcome=placed",
      "time=x user",
      "time=x =y",
      "time=x reason=\"no end",
      "time=x outcome=eaten",
      with("hops_default=2", "hops_default=-1"),
      with("hops_default=2", "hops_default=nan"),
      with("hops_default=2", "hops_default=1e300"),
      with("abort_chosen=0", "abort_chosen=1.5"),
      with("abort_chosen=0", "abort_chosen="),
      with("ranks=8", "ranks=99999999999"),
      with("ranks=8 ", ""),
  };
  SiteSummary sum;
  for (const std::string& line : lines) add_log_line(sum, line);
  EXPECT_EQ(sum.others, lines.size());
  EXPECT_EQ(sum.placed + sum.declined, 0U);
  EXPECT_EQ(sum.hops_default + sum.hops_chosen + sum.aborts_default + sum.aborts_chosen, 0);
  EXPECT_EQ(sum.ranks + sum.avoided + sum.users.size(), 0U);
}

}  // namespace
}  // namespace tofa
