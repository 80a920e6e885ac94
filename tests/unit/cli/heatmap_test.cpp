// SPDX-License-Identifier: BSD-3-Clause
// Heatmaps: a golden file for a small one, limits on the size of large ones, and the scale.
#include "picture/heatmap.hpp"

#include <gmock/gmock.h>

#include <random>

#include "picture/heatmap_grid.hpp"
#include "support.hpp"

namespace tofa::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kMostBytes = 2'000'000;

// Every pair talks, and no two cells beside each other are alike: the largest document there can
// be.
Traffic noise(Rank ranks) {
  std::mt19937_64 random(1);
  Traffic traffic{ranks, {}, ""};
  for (Rank i = 0; i < ranks; ++i) {
    for (Rank j = 0; j < ranks; ++j)
      traffic.entries.push_back({i, j, (random() >> (random() % 40 + 24)) + 1});
  }
  return traffic;
}

TEST(Heatmap, GoldenFile) {
  const Traffic traffic{4, {{0, 1, 16}, {0, 2, 16}, {1, 0, 5000}, {2, 3, 1048576}, {3, 3, 7}}, ""};
  const std::string svg = heatmap_svg(traffic, "app & <friends>");
  // To accept a change on purpose: look at the picture, then TOFA_UPDATE_GOLDEN=1 tofa_unit_tests.
  if (std::getenv("TOFA_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(test::fixture("heatmap/four_ranks.svg")) << svg;
  }
  EXPECT_EQ(svg, test::contents(test::fixture("heatmap/four_ranks.svg")));
}

TEST(Heatmap, SaysWhatItShows) {
  const std::string svg = heatmap_svg(Traffic{8, {{0, 7, 4096}}, ""}, "job.bytes.mtx");
  EXPECT_THAT(svg, AllOf(HasSubstr("job.bytes.mtx"), HasSubstr("8 ranks, 4 KiB in total"),
                         HasSubstr("receiver rank"), HasSubstr("sender rank"),
                         HasSubstr("bytes sent, log scale"), Not(HasSubstr("a cell sums"))));
  EXPECT_THAT(heatmap_svg(Traffic{1, {}, ""}, "x"),
              AllOf(HasSubstr("1 rank,"), HasSubstr("no traffic")));
  EXPECT_THAT(heatmap_svg(Traffic{2, {{0, 1, 4096}}, R"({"quantity": "messages"})"}, "x"),
              AllOf(HasSubstr("4096 messages in total"), HasSubstr("messages sent")));
}

TEST(Heatmap, TitlesAreHarmless) {
  const Traffic traffic{2, {{0, 1, 1}}, ""};
  EXPECT_THAT(heatmap_svg(traffic, "a\x01<b>&"), HasSubstr("a &lt;b&gt;&amp;"));
  EXPECT_EQ(heatmap_svg(traffic, "\xff").find('\xff'), std::string::npos);
  EXPECT_THAT(heatmap_svg(traffic, std::string(200, 'x') + "end"), HasSubstr("...xxx"));
}

TEST(Heatmap, LargeGraphsAreBinned) {
  Traffic ring{1024, {}, ""};
  for (Rank i = 0; i < ring.ranks; ++i) ring.entries.push_back({i, (i + 1) % ring.ranks, 100});
  ring.normalise();
  EXPECT_THAT(heatmap_svg(ring, "ring"), HasSubstr("a cell sums 2 x 2 ranks"));
  EXPECT_THAT(heatmap_svg(Traffic{100'000, {{0, 99'999, 5}}, ""}, "x"),
              HasSubstr("a cell sums 196 x 196"));
}

TEST(Heatmap, StaysSmallEvenForNoise) {
  for (const Rank ranks : {8, 64, 512, 700}) {
    EXPECT_LT(heatmap_svg(noise(ranks), "noise").size(), kMostBytes) << ranks << " ranks";
  }
}

TEST(HeatmapGrid, SumsCells) {
  const HeatmapGrid grid =
      make_heatmap_grid(Traffic{5, {{0, 1, 1}, {1, 0, 2}, {4, 4, 8}, {0, 4, 16}}, ""}, 2);
  EXPECT_EQ(grid.size, 3U);
  EXPECT_EQ(grid.bytes, (std::vector<double>{3, 0, 16, 0, 0, 0, 0, 0, 8}));
  EXPECT_EQ(grid.least, 3);
  EXPECT_EQ(grid.most, 16);
  EXPECT_EQ(grid.total, 27);
}

TEST(LogScale, PositionsAndTicks) {
  const LogScale scale(1, 1024 * 1024);
  EXPECT_EQ(scale.position(1), 0);
  EXPECT_EQ(scale.position(1024), 0.5);
  EXPECT_EQ(scale.position(1024 * 1024), 1);
  EXPECT_THAT(scale.ticks(), testing::ElementsAre(1, 32, 1024, 32768, 1048576));
  const LogScale equal(1000, 1000);  // equal counts are all dark
  EXPECT_EQ(equal.position(1000), 1);
  EXPECT_EQ(LogScale(1, 1).position(1), 0);
  EXPECT_LE(LogScale(1, 1.8e19).ticks().size(), 8U);
}

TEST(FormatAmount, HumanUnits) {
  EXPECT_EQ(format_amount(96, true), "96 B");
  EXPECT_EQ(format_amount(1536, true), "1.5 KiB");
  EXPECT_EQ(format_amount(64.0 * 1024 * 1024, true), "64 MiB");
  EXPECT_EQ(format_amount(150100, true), "147 KiB");
  EXPECT_EQ(format_amount(150016, false), "150016");
}

}  // namespace
}  // namespace tofa::cli
