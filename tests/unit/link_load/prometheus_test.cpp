// SPDX-License-Identifier: BSD-3-Clause
// Link loads as Prometheus answers them: series with labels for both ends or one.
#include <gmock/gmock.h>

#include "support.hpp"
#include "tofa/link_load.hpp"

namespace tofa::prometheus_test {
namespace {

using testing::HasSubstr;

std::string answer(const std::string& series) {
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + series + "]}}";
}

const std::string kSeries = R"({"metric":{"instance":"n0:9100","to":"n1"},"value":[1000,"1.5e9"]},)"
                            R"({"metric":{"instance":"n1","port":"1"},"value":[1000.5,"70"]},)"
                            R"({"metric":{"instance":"n2"},"value":[1000,"NaN"]})";

LinkLoadList parse(const std::string& text, const LinkLoadRules& rules = {}, double now = 1001) {
  std::size_t ahead = 0;
  return parse_link_load(text, "http://p:9090", rules, now, ahead);
}

TEST(LinkLoadPrometheus, SeriesNameOneEndOrBoth) {
  const auto load = parse(answer(kSeries));
  ASSERT_EQ(load.size(), 2U) << "NaN says nothing";
  EXPECT_EQ(load[0].from, "n0");
  EXPECT_EQ(load[0].to, "n1");
  EXPECT_EQ(load[0].bytes_per_second, 1.5e9);
  EXPECT_EQ(load[1].from, "n1");
  EXPECT_EQ(load[1].to, "*");
}

TEST(LinkLoadPrometheus, LabelsAndDirectionAreTheSites) {
  LinkLoadRules rules;
  rules.from_label = "node";
  rules.to_label = "port";
  rules.incoming = true;
  rules.scale = 4;
  const auto load =
      parse(answer(R"({"metric":{"node":"n1","port":"x+"},"value":[1000,"10"]})"), rules);
  ASSERT_EQ(load.size(), 1U);
  EXPECT_EQ(load[0].from, "x+");
  EXPECT_EQ(load[0].to, "n1");
  EXPECT_EQ(load[0].bytes_per_second, 40);
}

TEST(LinkLoadPrometheus, ASeriesFromTheFutureIsCountedAndChangesNothing) {
  const std::string late = R"(,{"metric":{"instance":"n3"},"value":[9000,"5"]})";
  std::size_t ahead = 0;
  EXPECT_EQ(parse_link_load(answer(kSeries + late), "p", {}, 1001, ahead).size(), 2U);
  EXPECT_EQ(ahead, 1U);
  EXPECT_THAT(test::error_of([&] { parse(answer(kSeries + late), {}, 2000); }),
              HasSubstr("is old"));
  EXPECT_THAT(test::error_of([] { parse(answer(kSeries), {}, 100); }),
              HasSubstr("all of its 2 measurements are of a time to come"));
}

TEST(LinkLoadPrometheus, StallsAreAskedSeparately) {
  LinkLoadList load = parse(answer(kSeries));
  const std::string stalls =
      answer(R"({"metric":{"instance":"n0","to":"n1"},"value":[1000,"25"]})");
  std::size_t ahead = 0;
  add_stalls(load, stalls, "p", {}, 1001, ahead);
  ASSERT_EQ(load.size(), 3U);
  EXPECT_EQ(load[2].stalled, 0.25);
  EXPECT_EQ(load[2].bytes_per_second, 0);
  const std::string jittery =
      answer(R"({"metric":{"instance":"n0","to":"n1"},"value":[1000,"100.02"]})");
  add_stalls(load, jittery, "p", {}, 1001, ahead);
  EXPECT_EQ(load[3].stalled, 1);
  const std::string wrong =
      answer(R"({"metric":{"instance":"n0","to":"n1"},"value":[1000,"125"]})");
  EXPECT_THAT(test::error_of([&] { add_stalls(load, wrong, "p", {}, 1001, ahead); }),
              HasSubstr("no percentage"));
}

TEST(LinkLoadPrometheus, SaysWhatIsWrong) {
  const auto error_with = [](const std::string& text) {
    return test::error_of([&] { parse(text); });
  };
  EXPECT_THAT(error_with("{"), HasSubstr("http://p:9090: the answer is no JSON"));
  EXPECT_THAT(error_with("{}"), HasSubstr("none of Prometheus"));
  EXPECT_THAT(error_with(R"({"status":"error","error":"parse error"})"),
              HasSubstr("says: \"parse error\""));
  EXPECT_THAT(error_with(R"({"status":"success","data":{"resultType":"matrix","result":[]}})"),
              HasSubstr("instant vector"));
  EXPECT_THAT(error_with(answer("")), HasSubstr("has no value"));
  EXPECT_THAT(error_with(answer(R"({"metric":{"instance":"a"},"value":[1000,"NaN"]})")),
              HasSubstr("has no value"));
  EXPECT_THAT(error_with(answer(R"({"metric":{},"value":[1000,"1"]})")),
              HasSubstr("no label instance"));
  EXPECT_THAT(error_with(answer(R"({"metric":{"instance":"a"},"value":[1000,"-1"]})")),
              HasSubstr("no number of bytes"));
  EXPECT_THAT(error_with(answer(R"({"metric":{"instance":"a"}})")), HasSubstr("series 1"));
  EXPECT_THAT(test::error_of([] { parse(answer(kSeries), {}, 5000); }),
              HasSubstr("300 s are allowed"));
}

}  // namespace
}  // namespace tofa::prometheus_test
