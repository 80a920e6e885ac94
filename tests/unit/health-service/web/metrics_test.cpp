// SPDX-License-Identifier: BSD-3-Clause
// Each metric has its help and type, its name says its unit, and every host has each once.
#include "web/metrics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace tofa::health {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Snapshot example() {
  return {1000.5,
          2,
          {{"n0", 0.25, 1000, true, 3.6},
           {"n1", 1, 999, false, 0},
           {"n2", 0, 998, true, 0, HostNote::planned},
           {"n3", 0, 997, true, 0, HostNote::unreachable},
           {"n4", 0, 997, true, 0, HostNote::none, HazardsWithin{0.1, 1, 3}},
           {"n5", 1, 997, true, 0, HostNote::planned, {}, HostExclusion{"a \"fan\"", "al", 9, 0}},
           {"n6", 1, 997, false, 0, HostNote::planned, {}, HostExclusion{"disk", "al", 9, 2000}}},
          {}};
}

TEST(Metrics, SayWhatTheSnapshotSays) {
  const Snapshot snapshot = example();
  const std::string text = metrics_text(&snapshot);
  for (const char* line :
       {"tofa_snapshot_readable 1\n",
        "tofa_snapshot_timestamp_seconds 1000.5\n",
        "tofa_poll_period_seconds 2\n",
        "tofa_hosts{state=\"up\"} 2\n",
        "tofa_hosts{state=\"down\"} 2\n",
        "tofa_hosts{state=\"planned\"} 2\n",
        "tofa_hosts{state=\"unreachable\"} 1\n",
        "tofa_host_up{host=\"n0\"} 1\n",
        "tofa_host_up{host=\"n1\"} 0\n",
        "tofa_host_up{host=\"n3\"} 1\n",
        "tofa_host_outage_probability{host=\"n0\",horizon_seconds=\"0\"} 0.25\n",
        "tofa_host_outage_probability{host=\"n1\",horizon_seconds=\"86400\"} 1\n",
        "tofa_host_outage_probability{host=\"n4\",horizon_seconds=\"0\"} 0\n",
        "tofa_host_outage_probability{host=\"n4\",horizon_seconds=\"3600\"} 0.0951625",
        "tofa_host_outage_rate_per_second{host=\"n0\"} 0.001\n",
        "tofa_host_observed_timestamp_seconds{host=\"n1\"} 999\n",
        "tofa_host_excluded{host=\"n4\"} 0\n",
        "tofa_host_excluded{host=\"n5\"} 1\n",
        "tofa_host_exclusion_info{host=\"n5\",by=\"al\",reason=\"a \\\"fan\\\"\"} 1\n",
        "tofa_host_exclusion_start_timestamp_seconds{host=\"n6\"} 9\n",
        "tofa_host_exclusion_end_timestamp_seconds{host=\"n6\"} 2000\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("exclusion_end_timestamp_seconds{host=\"n5\"}")));
  EXPECT_THAT(text, Not(HasSubstr("exclusion_info{host=\"n2\"")));
}

TEST(Metrics, SayWhatIsDrained) {
  Snapshot snapshot = example();
  snapshot.hosts[0].drain = {"drained", 900, "tofa: x", "its \"p\""};
  snapshot.hosts[2].drain = {"to-drain", 0, "", "likely"};
  const std::string text = metrics_text(&snapshot);
  for (const char* line :
       {"tofa_drains{state=\"drained\"} 1\n", "tofa_drains{state=\"to-drain\"} 1\n",
        "tofa_drains{state=\"to-resume\"} 0\n", "tofa_drains{state=\"limited\"} 0\n",
        "tofa_drains{state=\"held\"} 0\n", "tofa_drains{state=\"others\"} 0\n",
        "tofa_host_drain_info{host=\"n0\",state=\"drained\",why=\"its \\\"p\\\"\"} 1\n",
        "tofa_host_drain_info{host=\"n2\",state=\"to-drain\",why=\"likely\"} 1\n",
        "tofa_host_drain_start_timestamp_seconds{host=\"n0\"} 900\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(text, Not(HasSubstr("drain_start_timestamp_seconds{host=\"n2\"}")));
}

TEST(Metrics, WithoutASnapshotSayThat) {
  const std::string text = metrics_text(nullptr);
  EXPECT_THAT(text, HasSubstr("tofa_snapshot_readable 0\n"));
  EXPECT_THAT(text, Not(HasSubstr("tofa_host")));
}

TEST(Metrics, EachHasHelpAndTypeOnceAndNoSampleTwice) {
  const Snapshot snapshot = example();
  std::istringstream lines(metrics_text(&snapshot));
  std::set<std::string> helped;
  std::set<std::string> typed;
  std::set<std::string> samples;
  const std::regex comment("# (HELP|TYPE) ([a-z_]+) .+");
  const std::regex sample(
      "([a-z_]+)(\\{[a-z_]+=\"([^\"\\\\]|\\\\.)*\"(,[a-z_]+=\"([^\"\\\\]|\\\\.)*\")*\\})? [-0-9.e+]+");
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, comment)) {
      EXPECT_TRUE((match[1] == "HELP" ? helped : typed).insert(match[2]).second) << line;
    } else {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
      EXPECT_TRUE(helped.contains(match[1]) && typed.contains(match[1])) << line;
      EXPECT_TRUE(samples.insert(match[1].str() + match[2].str()).second) << line;
    }
  }
  EXPECT_GT(samples.size(), 20);
}

}  // namespace
}  // namespace tofa::health
