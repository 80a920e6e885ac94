// SPDX-License-Identifier: BSD-3-Clause
// Outage lists: both notations, each kind of damage, and that a written list reads back the same.
#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "support.hpp"
#include "tofa/outage.hpp"

namespace tofa {
namespace {

using test::error_of;
using testing::HasSubstr;

std::string error_in(const std::string& text) {
  return error_of([&] { parse_outages(text, "f"); });
}

TEST(OutageList, Lines) {
  const OutageList outages =
      parse_outages("# host probability\r\nn1 0.05\n\n  n2\t1 30 # seen lately\nn3 0", "f");
  ASSERT_EQ(outages.size(), 3U);
  EXPECT_EQ(outages[0].host, "n1");
  EXPECT_EQ(outages[0].probability, 0.05);
  EXPECT_LT(outages[0].age_seconds, 0);
  EXPECT_EQ(outages[1].age_seconds, 30);
  EXPECT_EQ(outages[2].probability, 0);
  EXPECT_TRUE(parse_outages("", "f").empty());
}

TEST(OutageList, LinesSayWhatIsWrong) {
  EXPECT_THAT(error_in("n1\n"), HasSubstr("f:1: line \"n1\" is not `host probability"));
  EXPECT_THAT(error_in("# x\nn1 high\n"), HasSubstr("f:2: line \"n1 high\""));
  EXPECT_THAT(error_in("n1 0.1 5 7 9\n"), HasSubstr("f:1: line"));
  EXPECT_THAT(error_in("n1 1.5\n"),
              HasSubstr("f:1: outage probability 1.5 of host \"n1\" is outside"));
  EXPECT_THAT(error_in("n1 -0.1\n"), HasSubstr("f:1: outage probability -0.1"));
  EXPECT_THAT(error_in("n1 nan\n"), HasSubstr("f:1: outage probability nan"));
  EXPECT_THAT(error_in("n1 inf\n"), HasSubstr("f:1: outage probability inf"));
  EXPECT_THAT(error_in("n1 0.1 -5\n"), HasSubstr("f:1: age \"-5\" of host \"n1\""));
  EXPECT_THAT(error_in("n1 0.1 inf\n"), HasSubstr("f:1: age \"inf\""));
  EXPECT_THAT(error_in("n1 0.1\nn2 0.1\nn1 0.2\n"),
              HasSubstr("f:3: host \"n1\" was already listed on line 1"));
  EXPECT_THAT(error_in("n1 0.1\nn\xff 0.1\n"), HasSubstr("f:2: not text"));
}

TEST(OutageList, ALineMayNameSeveralHosts) {
  const OutageList outages = parse_outages("n[8-10] 0.5 7\na,b 0\n", "f");
  ASSERT_EQ(outages.size(), 5U);
  EXPECT_EQ(outages[2].host, "n10");
  EXPECT_EQ(outages[2].probability, 0.5);
  EXPECT_EQ(outages[2].age_seconds, 7);
  EXPECT_EQ(outages[4].host, "b");
  EXPECT_THAT(error_in("n1 0\nn[1-2] 0.5\n"), HasSubstr("f:2: host \"n1\" was already listed"));
  EXPECT_THAT(error_in("n[1- 0.5\n"), HasSubstr("f:1: "));
  EXPECT_THAT(error_in("a[0-600000] 0\nb[0-600000] 0\n"), HasSubstr("f:2: more than 1000000"));
}

TEST(OutageList, Json) {
  const OutageList outages = parse_outages(
      R"({"version": 1, "nodes": [{"host": "n1", "probability": 0.5, "age": 12, "state": "up"},
          {"host": "n2", "probability": 0, "age": null}]})",
      "f");
  ASSERT_EQ(outages.size(), 2U);
  EXPECT_EQ(outages[0].probability, 0.5);
  EXPECT_EQ(outages[0].age_seconds, 12);
  EXPECT_LT(outages[1].age_seconds, 0);
}

TEST(OutageList, ASnapshotIsAList) {
  const OutageList outages = parse_outages(
      R"({"version": 1, "time": 100.5, "period": 1, "hosts":
          [{"host": "n1", "probability": 0.5, "polled": 90.75, "state": "up", "rate": 2}],
          "outages": [{"host": "n1", "start": 1, "end": 2, "cause": "slurm"}]})",
      "f");
  ASSERT_EQ(outages.size(), 1U);
  EXPECT_EQ(outages[0].age_seconds, 10);
  EXPECT_EQ(outages[0].rate, 2);
}

TEST(OutageList, JsonSaysWhatIsWrong) {
  const auto nodes = [](const std::string& text) {
    return error_in("{\"version\": 1, \"nodes\": [" + text + "]}");
  };
  EXPECT_THAT(error_in("{\"version\": 1,\n\"nodes\": ["), HasSubstr("f:2: malformed JSON"));
  EXPECT_THAT(error_in("{\"version\": 1e999}"), HasSubstr("f: malformed JSON: a number is too"));
  EXPECT_THAT(error_in("{}"), HasSubstr("f: \"version\" must be 1"));
  EXPECT_THAT(error_in("{\"version\": 2, \"nodes\": []}"), HasSubstr("\"version\" must be 1"));
  EXPECT_THAT(error_in("{\"version\": 1}"), HasSubstr("\"nodes\" must be an array"));
  EXPECT_THAT(nodes("7"), HasSubstr("entry 1 of \"nodes\" is not an object"));
  EXPECT_THAT(nodes("{\"probability\": 0.5}"), HasSubstr("entry 1 of \"nodes\" has no \"host\""));
  EXPECT_THAT(nodes(R"({"host": "a", "probability": "0"})"),
              HasSubstr("has no number \"probability\""));
  EXPECT_THAT(nodes(R"({"host": "a", "probability": 2})"), HasSubstr("outside 0 to 1"));
  EXPECT_THAT(nodes(R"({"host": "a", "probability": 0, "age": -1})"), HasSubstr("\"age\""));
  EXPECT_THAT(nodes(R"({"host": "a", "probability": 0}, {"host": "a", "probability": 0})"),
              HasSubstr("host \"a\" is listed twice, in entries 1 and 2"));
}

TEST(OutageList, WrittenJsonReadsBackTheSame) {
  const bool passed = rc::check("parse(format(outages)) == outages", [] {
    const auto count = *rc::gen::inRange(0, 20);
    OutageList outages;
    for (int i = 0; i < count; ++i) {
      const double probability = *rc::gen::inRange(0, 1000001) / 1e6;
      outages.push_back({"n" + std::to_string(i), probability, *rc::gen::inRange(-1, 1000) / 1.0});
    }
    const OutageList read = parse_outages(format_outages_json(outages), "f");
    RC_ASSERT(read.size() == outages.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      RC_ASSERT(read[i].host == outages[i].host);
      RC_ASSERT(read[i].probability == outages[i].probability);
      RC_ASSERT(read[i].age_seconds == outages[i].age_seconds);
    }
  });
  EXPECT_TRUE(passed);
}

TEST(OutageList, SaysWhoExcludedAHostAndWhy) {
  const OutageList outages{
      {.host = "n1", .probability = 1, .excluded = HostExclusion{"a \"fan\"", "al", 1.5, 2.5}},
      {.host = "n2", .probability = 1, .excluded = HostExclusion{"disk", "al", 1, 0}},
      {.host = "n3", .probability = 0.5}};
  const OutageList read = parse_outages(format_outages_json(outages), "f");
  ASSERT_EQ(read.size(), outages.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].excluded, outages[i].excluded) << i;
    EXPECT_EQ(read[i].probability, outages[i].probability) << i;
  }
}

TEST(OutageList, Fixtures) {
  EXPECT_EQ(read_outages(test::fixture("cases/outages-8a.txt")).size(), 8U);
  EXPECT_EQ(read_outages(test::fixture("cases/outages-16b.txt")).size(), 16U);
}

}  // namespace
}  // namespace tofa
