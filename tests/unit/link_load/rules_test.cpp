// SPDX-License-Identifier: BSD-3-Clause
// [link_load] of the site file: how a site's measurements are meant.
#include <gmock/gmock.h>

#include "support.hpp"
#include "tofa/link_load.hpp"

namespace tofa::rules_test {
namespace {

using testing::HasSubstr;

LinkLoadRules parse(const std::string& text) {
  return parse_link_load_rules(text, "tofa.toml");
}

TEST(LinkLoadRules, AreDefaultsWhereTheSiteSaysNothing) {
  EXPECT_EQ(parse("").window, 60);
  EXPECT_EQ(parse("link_load = \"load.txt\"\n").timeout, 2);
  EXPECT_FALSE(parse("[healthd]\nx = 1\n").max_age);
}

TEST(LinkLoadRules, AreTaken) {
  const LinkLoadRules rules = parse(
      "[link_load]\nsource = \"http://p:9090\"\nquery = \"rate(x[1m])\"\ntake = \"max\"\n"
      "window = 5\nmax_age = 7\nincoming = true\nscale = 4\ncounters = true\nfrom_label = \"node\"\n");
  EXPECT_EQ(rules.query, "rate(x[1m])");
  EXPECT_EQ(rules.take, WindowValue::max);
  EXPECT_EQ(rules.window, 5);
  EXPECT_EQ(rules.max_age, 7);
  EXPECT_EQ(rules.incoming, true);
  EXPECT_EQ(rules.scale, 4);
  EXPECT_TRUE(rules.counters);
  EXPECT_EQ(rules.from_label, "node");
}

// As tofa.1 has them, to be copied.
TEST(LinkLoadRules, MayBeWrittenDownAsTheyAreAnyhow) {
  const LinkLoadRules rules = parse(
      "[link_load]\nsource = \"load.csv\"\ntimeout = 2\nstalls_query = \"\"\nfrom_label = "
      "\"instance\"\nto_label = \"to\"\nscale = 1\nwindow = 60\ntake = \"mean\"\nhost_column = "
      "\"ProducerName\"\nused_column = \"\"     # empty: Gemini's\nstalled_column = \"\"\n"
      "counters = false\n");
  const LinkLoadRules unsaid = parse("");
  EXPECT_EQ(rules.used_column, unsaid.used_column);
  EXPECT_EQ(rules.stalled_column, unsaid.stalled_column);
  EXPECT_EQ(rules.stalls_query, unsaid.stalls_query);
  EXPECT_EQ(rules.to_label, unsaid.to_label);
  EXPECT_EQ(rules.host_column, unsaid.host_column);
  EXPECT_EQ(rules.timeout, unsaid.timeout);
}

TEST(LinkLoadRules, SayWhatIsWrong) {
  EXPECT_THAT(test::error_of([] { parse("[link_load]\n\nwindows = 5\n"); }),
              HasSubstr("tofa.toml:3"));
  EXPECT_THAT(test::error_of([] { parse("[link_load]\ntake = \"min\"\n"); }),
              HasSubstr("none of mean, max, latest"));
  EXPECT_THAT(test::error_of([] { parse("[link_load]\nwindow = -1\n"); }),
              HasSubstr("tofa.toml:2"));
  EXPECT_THAT(test::error_of([] { parse("link_load = \n"); }), HasSubstr("tofa.toml:1"));
}

}  // namespace
}  // namespace tofa::rules_test
