// SPDX-License-Identifier: BSD-3-Clause
// Answers of Prometheus, and of whatever listens in its place.
#include "tofa/prometheus_vector.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "support.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

using ::testing::HasSubstr;

// As Prometheus 2.42 answers.
std::string answer(const std::string& series) {
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + series + "]}}";
}
std::string series(const std::string& instance, const std::string& value) {
  return fmt::format(
      R"({{"metric":{{"__name__":"up","instance":"{}","job":"node"}},"value":[1700000000.123,"{}"]}})",
      instance, value);
}

TEST(PrometheusVector, HasLabelsTimesAndValues) {
  const auto vector =
      parse_instant_vector(answer(series("n0:9100", "93.5") + "," + series("n1", "+Inf") + "," +
                                  series("n2", "-Inf") + "," + series("n3", "NaN")),
                           "");
  ASSERT_EQ(vector.size(), 4U);
  EXPECT_EQ(vector[0].label("instance"), "n0:9100");
  EXPECT_EQ(vector[0].label("job"), "node");
  EXPECT_EQ(vector[0].label("node"), "");
  EXPECT_EQ(vector[0].time, 1700000000.123);
  EXPECT_EQ(vector[0].value, 93.5);
  EXPECT_EQ(vector[1].value, HUGE_VAL);
  EXPECT_EQ(vector[2].value, -HUGE_VAL);
  EXPECT_TRUE(std::isnan(vector[3].value));
  EXPECT_TRUE(parse_instant_vector(answer(""), "").empty());
}

TEST(PrometheusVector, ATargetNamesItsHost) {
  EXPECT_EQ(host_of_target("n1:9100"), "n1");
  EXPECT_EQ(host_of_target("n1"), "n1");
  EXPECT_EQ(host_of_target("10.0.0.1:9100"), "10.0.0.1");
  EXPECT_EQ(host_of_target("[fd00::1]:9100"), "fd00::1");
  EXPECT_EQ(host_of_target("[fd00::1"), "fd00::1");
  EXPECT_EQ(host_of_target("["), "");
  EXPECT_EQ(host_of_target("fd00::1"), "fd00::1");
  EXPECT_EQ(host_of_target(""), "");
}

TEST(PrometheusVector, RefusesWhatIsNone) {
  const auto problem = [](const std::string& text) {
    return test::error_of([&] { parse_instant_vector(text, ""); });
  };
  EXPECT_THAT(
      problem(R"({"status":"error","errorType":"bad_data","error":"1:4: parse error\nmore"})"),
      ::testing::StrEq(R"(it says: "1:4: parse error\x0amore")"));
  EXPECT_THAT(problem("<html>"), HasSubstr("no JSON"));
  EXPECT_THAT(test::error_of([] { parse_instant_vector("<html>", "http://p:9090"); }),
              ::testing::StartsWith("http://p:9090: the answer is no JSON"));
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

TEST(PrometheusVector, AnyTextIsReadOrRefused) {
  EXPECT_TRUE(rc::check([](const std::string& text) {
    for (const std::string& garbled : {text, answer(text), answer(series("n0", "1") + text)}) {
      try {
        (void)parse_instant_vector(garbled, "");
      } catch (const Error& error) {
        RC_ASSERT(error.kind() == ErrorKind::bad_input);
      }
    }
  }));
}

}  // namespace
}  // namespace tofa
