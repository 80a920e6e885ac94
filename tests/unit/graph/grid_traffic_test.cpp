// SPDX-License-Identifier: BSD-3-Clause
// Grids of any shape: who talks to whom is counted by hand, and from the definition.
#include "tofa/grid_traffic.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <cstdlib>

#include "support.hpp"
#include "tofa/graph_io.hpp"

namespace tofa {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST(GridTraffic, NumbersRanksAsMpiDoes) {
  const Traffic traffic = grid_traffic({.shape = {2, 3}, .bytes = 7}, "g");
  EXPECT_EQ(traffic.ranks, 6U);
  const std::vector<TrafficEntry> of_rank_1(traffic.entries.begin() + 2,
                                            traffic.entries.begin() + 5);
  EXPECT_EQ(of_rank_1, (std::vector<TrafficEntry>{{1, 0, 7}, {1, 2, 7}, {1, 4, 7}}));
  EXPECT_THAT(traffic.metadata, HasSubstr(R"("ranks":6)"));
}

TEST(GridTraffic, InARingOfTwoBothWaysLeadToTheSame) {
  const Traffic traffic = grid_traffic({.shape = {2}, .periodic = true, .bytes = 7}, "g");
  EXPECT_EQ(traffic.entries, (std::vector<TrafficEntry>{{0, 1, 14}, {1, 0, 14}}));
  EXPECT_TRUE(grid_traffic({.shape = {1}, .periodic = true}, "g").entries.empty());
}

TEST(GridTraffic, PartnersAreThoseOfTheStencil) {
  rc::check([] {
    const auto shape = *rc::gen::container<std::vector<unsigned>>(
        *rc::gen::inRange<std::size_t>(1, 4), rc::gen::inRange(3U, 6U));
    const bool periodic = *rc::gen::arbitrary<bool>();
    const bool box = *rc::gen::arbitrary<bool>();
    unsigned points = 1;
    for (std::size_t d = 0; d < shape.size(); ++d) points *= 3;
    const Traffic traffic = grid_traffic(
        {.shape = shape, .periodic = periodic, .stencil = box ? points : 0, .bytes = 3}, "g");
    // Ranks as odometers, the last digit fastest.
    const auto apart = [&](Rank a, Rank b) {
      unsigned most = 0, sum = 0;
      for (std::size_t d = shape.size(); d-- > 0; a /= shape[d], b /= shape[d]) {
        const unsigned straight = static_cast<unsigned>(
            std::abs(static_cast<int>(a % shape[d]) - static_cast<int>(b % shape[d])));
        const unsigned distance = periodic ? std::min(straight, shape[d] - straight) : straight;
        most = std::max(most, distance);
        sum += distance;
      }
      return std::pair(most, sum);
    };
    std::vector<TrafficEntry> expected;
    for (Rank a = 0; a < traffic.ranks; ++a) {
      for (Rank b = 0; b < traffic.ranks; ++b) {
        const auto [most, sum] = apart(a, b);
        if (box ? most == 1 : sum == 1) expected.push_back({a, b, 3});
      }
    }
    RC_ASSERT(traffic.entries == expected);
    RC_ASSERT(parse_traffic(format_traffic(traffic, "mtx"), "again").entries == expected);
  });
}

TEST(GridTraffic, IsReadAsAGraph) {
  const Traffic traffic = read_traffic("grid:4x5:periodic:stencil=9:bytes=6");
  EXPECT_EQ(
      traffic.entries,
      grid_traffic({.shape = {4, 5}, .periodic = true, .stencil = 9, .bytes = 6}, "g").entries);
  EXPECT_EQ(read_traffic("grid:7").entries.size(), 12U);
}

TEST(GridTraffic, SaysWhatIsWrong) {
  const auto error = [](const std::string& name) { return error_of([&] { read_traffic(name); }); };
  EXPECT_THAT(error("grid:"), HasSubstr("is no shape; write extents with x between"));
  EXPECT_THAT(error("grid:8x8x"), HasSubstr("is no shape"));
  EXPECT_THAT(error("grid:8x0"), HasSubstr("extents of a grid are at least 1"));
  EXPECT_THAT(error("grid:4096x4097x4096"), HasSubstr("its ranks at most"));
  EXPECT_THAT(error("grid:1x1x1x1x1x1x1"), HasSubstr("1 to 6 dimensions"));
  EXPECT_THAT(error("grid:8x8:stencil=7"), HasSubstr("there are 5 (across faces) and 9"));
  EXPECT_THAT(error("grid:8x8:bytes=0"), HasSubstr("exchange nothing"));
  EXPECT_THAT(error("grid:8x8:stencil=4294967301"), HasSubstr("is no property of a grid"));
  EXPECT_THAT(error("grid:8x8:periodical"), HasSubstr("grid:8x8:periodical: "));
  EXPECT_THAT(error("grid:16x16x16x16x16x16:stencil=729"), HasSubstr("too many"));
}

}  // namespace
}  // namespace tofa
