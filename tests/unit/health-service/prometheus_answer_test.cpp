// SPDX-License-Identifier: BSD-3-Clause
// Answers of Prometheus, and what they say about hosts.
#include "healthd/prometheus_answer.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "healthd/config.hpp"
#include "support.hpp"

namespace tofa::health {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using V = Verdict;

// As Prometheus 2.42 answers.
std::string answer(const std::string& series) {
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + series + "]}}";
}
std::string series(const std::string& instance, const std::string& value) {
  return fmt::format(
      R"({{"metric":{{"__name__":"up","instance":"{}","job":"node"}},"value":[1700000000.123,"{}"]}})",
      instance, value);
}

const PrometheusOpinions& opinions() {
  static const PrometheusOpinions opinions(
      {{"n0", {"n0", 7411}}, {"n1", {"10.0.0.1", 7411}}, {"n2.cluster", {"n2", 7411}}},
      "up{job=\"x\"}");
  return opinions;
}

std::vector<Verdict> verdicts(const std::string& text) {
  return opinions().judge(parse_prometheus(text, "instance")).verdicts;
}

TEST(PrometheusAnswer, ZeroIsSilentAndAnyOtherValueIsUp) {
  EXPECT_THAT(verdicts(answer(series("n0:9100", "1") + "," + series("n1", "0") + "," +
                              series("n2:9100", "93.5"))),
              ElementsAre(V::up, V::missed, V::up));
  EXPECT_THAT(verdicts(answer(series("n0", "-0") + "," + series("n1", "+Inf") + "," +
                              series("n2", "-Inf"))),
              ElementsAre(V::missed, V::up, V::up));
  EXPECT_THAT(verdicts(answer(series("n0", "NaN") + "," + series("n1", "1e-9"))),
              ElementsAre(V::unknown, V::up, V::unknown));
}

TEST(PrometheusAnswer, TheCauseIsTheQuery) {
  const auto judged = opinions().judge({{"n1", 0}});
  EXPECT_EQ(judged.causes.at(1), "prometheus up{job=\"x\"}");
  EXPECT_EQ(judged.causes.size(), 1);
}

TEST(PrometheusAnswer, HostsAreNamedByNameOrAddress) {
  EXPECT_EQ(verdicts(answer(series("10.0.0.1:9100", "1")))[1], V::up);
  EXPECT_EQ(verdicts(answer(series("n0.cluster.example:9100", "1")))[0], V::up);
  EXPECT_EQ(verdicts(answer(series("n2.cluster:9100", "1")))[2], V::up);
  const PrometheusOpinions six({{"n0", {"fd00::1", 7411}}}, "up");
  EXPECT_EQ(six.judge({{"[fd00::1]:9100", 1}}).verdicts[0], V::up);
  EXPECT_EQ(six.judge({{"fd00::1", 1}}).verdicts[0], V::up);
}

TEST(PrometheusAnswer, TheWorstOfSeveralSeriesCounts) {
  for (const char* order : {"01", "10"}) {
    const PrometheusSample first{"n0:1", order[0] == '0' ? 0.0 : 1.0};
    const PrometheusSample second{"n0:2", order[1] == '0' ? 0.0 : 1.0};
    EXPECT_EQ(opinions().judge({first, second}).verdicts[0], V::missed) << order;
  }
}

TEST(PrometheusAnswer, SeriesOfOthersArePassedOverUnlessThereAreOnlyThose) {
  EXPECT_THAT(verdicts(answer(series("db1:9100", "0") + "," + series("n0", "1"))),
              ElementsAre(V::up, V::unknown, V::unknown));
  for (const std::string& only : {series("db1:9100", "0"), std::string()}) {
    EXPECT_THAT(test::error_of([&] { verdicts(answer(only)); }), HasSubstr("query and label fit?"));
  }
  EXPECT_THAT(test::error_of(
                  [&] { opinions().judge(parse_prometheus(answer(series("n0", "1")), "node")); }),
              HasSubstr("none of the 1 series"));
}

TEST(PrometheusAnswer, RefusesWhatIsNone) {
  const auto problem = [](const std::string& text) {
    return test::error_of([&] { parse_prometheus(text, "instance"); });
  };
  EXPECT_THAT(
      problem(R"({"status":"error","errorType":"bad_data","error":"1:4: parse error\nmore"})"),
      ::testing::StrEq("it says: 1:4: parse error"));
  EXPECT_THAT(problem("<html>"), HasSubstr("no JSON"));
  EXPECT_THAT(problem("[]"), HasSubstr("none of Prometheus"));
  EXPECT_THAT(problem(R"({"status":"success"})"), HasSubstr("instant vector"));
  EXPECT_THAT(problem(R"({"status":"success","data":{"resultType":"scalar","result":[1,"1"]}})"),
              HasSubstr("\"scalar\""));
  for (const char* value : {"", "\"value\":[1]", "\"value\":[1,2]", "\"value\":[1,\"one\"]",
                            "\"value\":[1,\"1\",\"1\"]", "\"value\":\"1\""}) {
    EXPECT_THAT(problem(answer(fmt::format("{{{}}}", value))), HasSubstr("series 1")) << value;
  }
  EXPECT_THAT(problem(answer("7")), HasSubstr("series 1"));
  const std::string good = answer(series("n0", "1"));
  for (std::size_t size = 0; size < good.size(); ++size) problem(good.substr(0, size));
}

TEST(PrometheusAnswer, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    for (const std::string& garbled : {text, answer(text), answer(series("n0", "1") + text)}) {
      try {
        (void)verdicts(garbled);
      } catch (const Error& error) {
        RC_ASSERT(error.kind() == ErrorKind::bad_input);
      }
    }
  }));
}

}  // namespace
}  // namespace tofa::health
