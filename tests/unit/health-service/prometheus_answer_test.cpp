// SPDX-License-Identifier: BSD-3-Clause
// What answers of Prometheus say about hosts.
#include "healthd/prometheus_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "healthd/config.hpp"
#include "support.hpp"

namespace tofa::health::prometheus_answer_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using V = Verdict;

PrometheusSeries about(const std::string& host, double value) {
  return {.labels = {{"instance", host}}, .time = 0, .value = value};
}

const PrometheusOpinions& opinions() {
  static const PrometheusOpinions opinions(
      {{"n0", {"n0", 7411}}, {"n1", {"10.0.0.1", 7411}}, {"n2.cluster", {"n2", 7411}}},
      "up{job=\"x\"}", "instance");
  return opinions;
}

std::vector<Verdict> verdicts(const std::vector<PrometheusSeries>& answer) {
  return opinions().judge(answer).verdicts;
}

TEST(PrometheusAnswer, ZeroIsSilentAndAnyOtherValueIsUp) {
  EXPECT_THAT(verdicts({about("n0:9100", 1), about("n1", 0), about("n2:9100", 93.5)}),
              ElementsAre(V::up, V::missed, V::up));
  EXPECT_THAT(verdicts({about("n0", -0.0), about("n1", HUGE_VAL), about("n2", -HUGE_VAL)}),
              ElementsAre(V::missed, V::up, V::up));
  EXPECT_THAT(verdicts({about("n0", NAN), about("n1", 1e-9)}),
              ElementsAre(V::unknown, V::up, V::unknown));
}

TEST(PrometheusAnswer, TheCauseIsTheQuery) {
  const auto judged = opinions().judge({about("n1", 0)});
  EXPECT_EQ(judged.causes.at(1), "prometheus up{job=\"x\"}");
  EXPECT_EQ(judged.causes.size(), 1);
}

TEST(PrometheusAnswer, HostsAreNamedByNameOrAddress) {
  EXPECT_EQ(verdicts({about("10.0.0.1:9100", 1)})[1], V::up);
  EXPECT_EQ(verdicts({about("n0.cluster.example:9100", 1)})[0], V::up);
  EXPECT_EQ(verdicts({about("n2.cluster:9100", 1)})[2], V::up);
  const PrometheusOpinions six({{"n0", {"fd00::1", 7411}}}, "up", "instance");
  EXPECT_EQ(six.judge({about("[fd00::1]:9100", 1)}).verdicts[0], V::up);
  EXPECT_EQ(six.judge({about("fd00::1", 1)}).verdicts[0], V::up);
}

TEST(PrometheusAnswer, TheWorstOfSeveralSeriesCounts) {
  for (const char* order : {"01", "10"}) {
    const auto first = about("n0:1", order[0] == '0' ? 0.0 : 1.0);
    const auto second = about("n0:2", order[1] == '0' ? 0.0 : 1.0);
    EXPECT_EQ(opinions().judge({first, second}).verdicts[0], V::missed) << order;
  }
}

TEST(PrometheusAnswer, SeriesOfOthersArePassedOverUnlessThereAreOnlyThose) {
  EXPECT_THAT(verdicts({about("db1:9100", 0), about("n0", 1)}),
              ElementsAre(V::up, V::unknown, V::unknown));
  for (const std::vector<PrometheusSeries>& only :
       {std::vector{about("db1:9100", 0)}, std::vector<PrometheusSeries>()}) {
    EXPECT_THAT(test::error_of([&] { verdicts(only); }), HasSubstr("query and label fit?"));
  }
  const PrometheusOpinions by_node({{"n0", {"n0", 7411}}}, "up", "node");
  EXPECT_THAT(test::error_of([&] { by_node.judge({about("n0", 1)}); }),
              HasSubstr("none of the 1 series"));
}

}  // namespace
}  // namespace tofa::health::prometheus_answer_test
