// SPDX-License-Identifier: BSD-3-Clause
// Heatmaps: a golden file for a small one, limits on the size of large ones, lone
// cells, scales and colours, nodes, and labels.
#include "picture/heatmap.hpp"

#include <gmock/gmock.h>

#include <random>
#include <regex>

#include "picture/axis_labels.hpp"
#include "picture/heatmap_grid.hpp"
#include "picture/traffic_colours.hpp"
#include "support.hpp"

namespace tofa::cli::heatmap_test {
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

// Everybody sends to the next rank.
Traffic ring(Rank ranks) {
  Traffic traffic{ranks, {}, ""};
  for (Rank i = 0; i < ranks; ++i) traffic.entries.push_back({i, (i + 1) % ranks, 100});
  traffic.normalise();
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
  EXPECT_THAT(heatmap_svg(ring(1024), "ring"), HasSubstr("a cell sums 2 x 2 ranks"));
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
  EXPECT_EQ(grid.values, (std::vector<double>{3, 0, 16, 0, 0, 0, 0, 0, 8}));
  EXPECT_EQ(grid.least, 3);
  EXPECT_EQ(grid.most, 16);
  EXPECT_EQ(grid.total, 27);
}

TEST(ColourScale, PositionsAndTicksByLogarithm) {
  const auto logarithmic = [](double least, double most) {
    return ColourScale(ScaleKind::logarithmic, least, most);
  };
  const ColourScale scale = logarithmic(1, 1024 * 1024);
  EXPECT_EQ(scale.position(1), 0);
  EXPECT_EQ(scale.position(1024), 0.5);
  EXPECT_EQ(scale.position(1024 * 1024), 1);
  EXPECT_THAT(scale.ticks(true), testing::ElementsAre(1, 32, 1024, 32768, 1048576));
  EXPECT_EQ(logarithmic(1000, 1000).position(1000), 1);  // equal counts are all dark
  EXPECT_EQ(logarithmic(1, 1).position(1), 0);
  EXPECT_LE(logarithmic(1, 1.8e19).ticks(true).size(), 8U);
}

TEST(ColourScale, PositionsAndTicksInProportion) {
  const ColourScale scale(ScaleKind::linear, 100, 4096);
  EXPECT_EQ(scale.position(0), 0);
  EXPECT_EQ(scale.position(1024), 0.25);
  EXPECT_EQ(scale.position(4096), 1);
  EXPECT_THAT(scale.ticks(true), testing::ElementsAre(0, 1024, 2048, 3072, 4096));
  EXPECT_THAT(ColourScale(ScaleKind::linear, 1, 700).ticks(false),
              testing::ElementsAre(0, 200, 400, 600));
  EXPECT_THAT(ColourScale(ScaleKind::linear, 1, 1).ticks(false), testing::ElementsAre(0, 1));
  for (const double most : {1.0, 2.0, 6.5, 9999.0, 1.8e19}) {
    for (const bool bytes : {true, false}) {
      const std::size_t ticks = ColourScale(ScaleKind::linear, 1, most).ticks(bytes).size();
      EXPECT_GE(ticks, 2U) << most;
      EXPECT_LE(ticks, 7U) << most;
    }
  }
}

double brightness(const std::string& colour) {
  const auto channel = [&](std::size_t at) { return std::stoi(colour.substr(at, 2), nullptr, 16); };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

TEST(TrafficColours, MoreIsAlwaysFurtherFromTheGround) {
  for (std::size_t level = 1; level < kColourLevels; ++level) {
    EXPECT_LT(brightness(traffic_colour(level)), brightness(traffic_colour(level - 1)));
    EXPECT_GT(brightness(traffic_colour(level, Ground::dark)),
              brightness(traffic_colour(level - 1, Ground::dark)));
  }
  EXPECT_LT(brightness(traffic_colour(0)), 225);  // the least is seen, too
  EXPECT_GT(brightness(traffic_colour(0, Ground::dark)), 45);
}

// The strokes of the marks of lone cells, in cells.
std::vector<double> lone_marks(const std::string& svg) {
  std::vector<double> marks;
  const std::regex mark("<path stroke=\"#[0-9a-f]{6}\" stroke-width=\"([0-9.]+)\"");
  for (std::sregex_iterator at(svg.begin(), svg.end(), mark), end; at != end; ++at)
    marks.push_back(std::stod((*at)[1]));
  return marks;
}

TEST(Heatmap, FewPairsAmongManyRanksAreDrawnLarger) {
  const std::string one = heatmap_svg(Traffic{4096, {{17, 4000, 1 << 20}}, ""}, "x");
  EXPECT_THAT(one,
              AllOf(HasSubstr("; cells are drawn larger than they are"),
                    HasSubstr("stroke-width=\"4.8\" shape-rendering"),
                    HasSubstr(traffic_colour(kColourLevels - 1)), HasSubstr("\"M498.1 2.5h4.8\"")));
  // Lines are seen as they are, but for what lies far from them.
  EXPECT_THAT(heatmap_svg(ring(4096), "ring"),
              AllOf(HasSubstr("stroke-width=\"1\" shape-rendering"),
                    HasSubstr("; cells on their own are drawn larger")));
  EXPECT_THAT(lone_marks(heatmap_svg(ring(4096), "ring")),
              testing::ElementsAre(4.8));  // from the last rank to the first,
  EXPECT_THAT(heatmap_svg(ring(4096), "ring"), HasSubstr("\"M0 509.6h4.8\""));  // in the corner
  // Cells that are large enough are left alone.
  const std::string small = heatmap_svg(Traffic{32, {{3, 30, 1}}, ""}, "x");
  EXPECT_THAT(small,
              AllOf(HasSubstr("stroke-width=\"1\" shape-rendering"), Not(HasSubstr("larger"))));
}

TEST(Heatmap, WhatIsFarAboveAllOthersIsDrawnLarger) {
  Traffic busy{512, {}, ""};
  for (Rank sender = 0; sender < 512; ++sender) {
    for (Rank receiver = 0; receiver < 512; ++receiver)
      busy.entries.push_back({sender, receiver, 1000 + (sender * 7 + receiver) % 1000});
  }
  EXPECT_EQ(cell_marks(make_heatmap_grid(busy, 1)).heavy, 1);
  Bytes& heavy = busy.entries[7 * 512 + 300].value;
  heavy = 7000;  // much, but not far above
  EXPECT_EQ(cell_marks(make_heatmap_grid(busy, 1)).heavy, 1);
  heavy = 1 << 30;
  const HeatmapGrid grid = make_heatmap_grid(busy, 1);
  const CellMarks marks = cell_marks(grid);
  EXPECT_EQ(marks.heavy, 4.8);
  EXPECT_TRUE(stands_out(grid, marks, 7, 300));
  EXPECT_FALSE(stands_out(grid, marks, 7, 301));
  const std::string svg = heatmap_svg(busy, "busy");
  EXPECT_THAT(lone_marks(svg), testing::ElementsAre(4.8));
  EXPECT_THAT(svg, HasSubstr("; cells far above all others are drawn larger"));
}

TEST(HeatmapGrid, CellsThatAreAlone) {
  const HeatmapGrid grid = make_heatmap_grid(
      Traffic{20, {{0, 0, 1}, {4, 4, 1}, {5, 15, 1}, {10, 15, 1}, {19, 19, 1}}, ""}, 1);
  EXPECT_FALSE(is_alone(grid, 0, 0, 4));
  EXPECT_TRUE(is_alone(grid, 0, 0, 3));
  EXPECT_TRUE(is_alone(grid, 5, 15, 4));
  EXPECT_TRUE(is_alone(grid, 19, 19, 4));
}

TEST(HeatmapGrid, MarksGrowAsFarAsThereIsRoom) {
  EXPECT_EQ(cell_marks(make_heatmap_grid(Traffic{512, {{3, 200, 1}}, ""}, 1)).every, 4.8);
  EXPECT_EQ(cell_marks(make_heatmap_grid(Traffic{64, {{3, 30, 1}}, ""}, 1)).every, 1);
  Traffic scattered{512, {}, ""};
  for (Rank i = 0; i < 4096; ++i) scattered.entries.push_back({i * 7 % 512, i * 131 % 509, 1});
  scattered.normalise();
  const CellMarks marks = cell_marks(make_heatmap_grid(scattered, 1));
  EXPECT_GT(marks.every, 1.5);
  EXPECT_LT(marks.every, kLargestMark);
  EXPECT_EQ(cell_marks(make_heatmap_grid(ring(512), 1)).every, 1);
  EXPECT_EQ(cell_marks(make_heatmap_grid(ring(512), 1)).lone, 4.8);
  EXPECT_EQ(cell_marks(make_heatmap_grid(noise(64), 1)).every, 1);
}

TEST(Heatmap, LinearScaleSaysSo) {
  const Traffic traffic{2, {{0, 1, 4096}, {1, 0, 1024}}, ""};
  EXPECT_THAT(heatmap_svg(traffic, "x", {ScaleKind::linear}),
              AllOf(HasSubstr("bytes sent, linear scale"), HasSubstr(">0 B<")));
}

TEST(Heatmap, OutlinesNodesAndSortsRanksByThem) {
  const Traffic traffic{4, {{0, 2, 30}, {1, 3, 50}, {0, 1, 20}}, ""};
  const std::string in_order = heatmap_svg(traffic, "x", {{}, order_by_host({"a", "a", "b", "b"})});
  EXPECT_THAT(in_order,
              AllOf(HasSubstr("on 2 nodes, 80 % between nodes"), HasSubstr("squares are nodes"),
                    HasSubstr("receiver rank<"), HasSubstr("M2 2h2v2h-2z")));
  const std::string sorted = heatmap_svg(traffic, "x", {{}, order_by_host({"a", "b", "a", "b"})});
  EXPECT_THAT(sorted, AllOf(HasSubstr("on 2 nodes, 20 % between nodes"),
                            HasSubstr("receiver rank, sorted by node"), HasSubstr(">b</text>")));
  // Nothing to outline where every rank has a node of its own.
  EXPECT_THAT(heatmap_svg(traffic, "x", {{}, order_by_host({"a", "b", "c", "d"})}),
              Not(HasSubstr("squares are nodes")));
}

TEST(NodeBlocks, RanksOfANodeStandBesideEachOther) {
  const RankOrder order = order_by_host({"b", "a", "b", "a", "c"});
  EXPECT_THAT(order.rank_at, testing::ElementsAre(0, 2, 1, 3, 4));
  EXPECT_THAT(order.position, testing::ElementsAre(0, 2, 1, 3, 4));
  EXPECT_THAT(order.blocks, testing::ElementsAre(NodeBlock{"b", 0, 2}, NodeBlock{"a", 2, 4},
                                                 NodeBlock{"c", 4, 5}));
  const RankOrder numbered =
      order_by_node({7, 3, 7}, [](std::uint32_t node) { return std::to_string(node); });
  EXPECT_THAT(numbered.rank_at, testing::ElementsAre(1, 0, 2));
  EXPECT_EQ(numbered.blocks.front(), (NodeBlock{"3", 0, 1}));
  EXPECT_TRUE(order_by_host({"a", "a", "b"}).in_rank_order());
  EXPECT_EQ(share_between_nodes(Traffic{2, {}, ""}, order_by_host({"a", "b"})), 0);
}

TEST(AxisLabels, AreFewEnoughToFit) {
  const auto texts = [](const std::vector<AxisLabel>& labels) {
    std::vector<std::string> result;
    result.reserve(labels.size());
    for (const AxisLabel& label : labels) result.push_back(label.text);
    return result;
  };
  EXPECT_THAT(texts(axis_labels(4, {}, 80)), testing::ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(axis_labels(4096, {}, 80), testing::SizeIs(8));
  EXPECT_THAT(axis_labels(1 << 20, {}, 80), testing::SizeIs(8));
  const RankOrder order = order_by_host({"n1", "a-very-long-name", "n1"});
  EXPECT_THAT(texts(axis_labels(3, order, 80)), testing::ElementsAre("n1", "…ong-name"));
  EXPECT_EQ(axis_labels(3, order, 80)[0].at, 1);
  EXPECT_THAT(axis_labels(3, order, 5), testing::SizeIs(1));
}

TEST(FormatAmount, HumanUnits) {
  EXPECT_EQ(format_amount(96, true), "96 B");
  EXPECT_EQ(format_amount(1536, true), "1.5 KiB");
  EXPECT_EQ(format_amount(64.0 * 1024 * 1024, true), "64 MiB");
  EXPECT_EQ(format_amount(150100, true), "147 KiB");
  EXPECT_EQ(format_amount(150016, false), "150\u202f016");
  EXPECT_EQ(format_amount(1234567, false), "1\u202f234\u202f567");
  EXPECT_EQ(format_amount(9999, false), "9999");
}

}  // namespace
}  // namespace tofa::cli::heatmap_test
