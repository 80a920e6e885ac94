// SPDX-License-Identifier: BSD-3-Clause
// Comparing graphs: each pair once, whichever graph it is in, and properties of any two graphs.
#include "tofa/graph_compare.hpp"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "support.hpp"

namespace tofa {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Traffic traffic(std::vector<TrafficEntry> entries) {
  Traffic result{4, std::move(entries), ""};
  result.normalise();
  return result;
}

TEST(CompareTraffic, WalksAlongBoth) {
  const TrafficComparison result =
      compare_traffic(traffic({{0, 1, 10}, {1, 2, 100}, {3, 0, 7}}),
                      traffic({{0, 1, 10}, {1, 2, 80}, {2, 1, 50}, {3, 3, 1}}), 0, 10);
  EXPECT_EQ(result.total_first, 117);
  EXPECT_EQ(result.total_second, 141);
  EXPECT_EQ(result.apart, 78);
  EXPECT_EQ(result.pairs, 5U);
  EXPECT_EQ(result.differing, 4U);
  EXPECT_DOUBLE_EQ(result.relative(), 78.0 / 141);
  EXPECT_THAT(result.largest,
              ElementsAre(TrafficDifference{2, 1, 0, 50}, TrafficDifference{1, 2, 100, 80},
                          TrafficDifference{3, 0, 7, 0}, TrafficDifference{3, 3, 0, 1}));
  EXPECT_DOUBLE_EQ(result.largest[1].relative(), 0.2);
}

TEST(CompareTraffic, WithinATolerance) {
  const Traffic first = traffic({{0, 1, 100}, {1, 0, 100}});
  const Traffic second = traffic({{0, 1, 90}, {1, 0, 80}});
  EXPECT_EQ(compare_traffic(first, second, 0.1, 10).differing, 1U);
  EXPECT_EQ(compare_traffic(first, second, 0.2, 10).differing, 0U);
  EXPECT_THAT(compare_traffic(first, second, 0, 1).largest,
              ElementsAre(TrafficDifference{1, 0, 100, 80}));
}

TEST(CompareTraffic, NothingIsTheSameAsNothing) {
  EXPECT_EQ(compare_traffic(traffic({}), traffic({{0, 1, 0}}), 0, 10).pairs, 0U);
  EXPECT_EQ(compare_traffic(traffic({}), traffic({}), 0, 10).relative(), 0);
}

TEST(CompareTraffic, RefusesWhatCannotBeCompared) {
  const auto error = [](const Traffic& first, const Traffic& second) {
    return test::error_of([&] { compare_traffic(first, second, 0, 10); });
  };
  EXPECT_THAT(error(traffic({}), Traffic{5, {}, ""}), HasSubstr("4 and 5 ranks"));
  EXPECT_THAT(error(traffic({}), Traffic{4, {}, R"({"quantity": "messages"})"}),
              HasSubstr("one graph counts messages"));
}

RC_GTEST_PROP(CompareTraffic, IsZeroWithItselfAndTheSameBothWays, ()) {
  const auto any = [] {
    const auto entry = rc::gen::map(
        rc::gen::tuple(rc::gen::inRange(0, 4), rc::gen::inRange(0, 4), rc::gen::inRange(0, 1000)),
        [](const std::tuple<int, int, int>& values) {
          return TrafficEntry{static_cast<Rank>(std::get<0>(values)),
                              static_cast<Rank>(std::get<1>(values)),
                              static_cast<Bytes>(std::get<2>(values))};
        });
    return traffic(*rc::gen::container<std::vector<TrafficEntry>>(entry));
  };
  const Traffic first = any();
  const Traffic second = any();
  RC_ASSERT(compare_traffic(first, first, 0, 10).differing == 0U);
  RC_ASSERT(compare_traffic(first, first, 0, 10).apart == 0);
  const TrafficComparison there = compare_traffic(first, second, 0, 100);
  const TrafficComparison back = compare_traffic(second, first, 0, 100);
  RC_ASSERT(there.apart == back.apart);
  RC_ASSERT(there.pairs == back.pairs);
  RC_ASSERT(there.largest.size() == there.differing);
  RC_ASSERT(there.relative() <= 2);
}

}  // namespace
}  // namespace tofa
