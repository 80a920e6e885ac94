// SPDX-License-Identifier: BSD-3-Clause
// Turns of a drawing: they bend nothing, and find the faces of a box however it lies.
#include "mapping/mappers/turning.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace tofa::turning_test {
namespace {

constexpr std::size_t kMost = Drawing::kMostDimensions;
using Point = std::array<double, kMost>;

Drawing drawing_of(const std::vector<Point>& points) {
  Drawing drawing;
  for (std::size_t d = 0; d < kMost; ++d) {
    Drawing::Dimension& dimension = drawing.dimensions.emplace_back();
    dimension.ring = false;
    dimension.length = 1;
    for (const Point& point : points) dimension.at.push_back(static_cast<float>(point[d]));
  }
  return drawing;
}

Point turned(const Turning& turning, const Point& point) {
  Point result{};
  for (std::size_t to = 0; to < kMost; ++to) {
    for (std::size_t d = 0; d < kMost; ++d) {
      result[to] += static_cast<double>(turning[to][d]) * point[d];
    }
  }
  return result;
}

std::vector<Point> points_in_box(const Point& sides, std::size_t count, RandomSource& random) {
  std::vector<Point> points(count);
  for (Point& point : points) {
    for (std::size_t d = 0; d < kMost; ++d) point[d] = sides[d] * random.unit();
  }
  return points;
}

bool keeps_lengths(const Turning& turning) {
  for (std::size_t a = 0; a < kMost; ++a) {
    for (std::size_t b = 0; b < kMost; ++b) {
      double product = 0;
      for (std::size_t d = 0; d < kMost; ++d) {
        product += static_cast<double>(turning[a][d]) * static_cast<double>(turning[b][d]);
      }
      if (std::fabs(product - (a == b ? 1 : 0)) > 1e-4) return false;
    }
  }
  return true;
}

RC_GTEST_PROP(TurningProperty, NothingIsBent, ()) {
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  const auto dimensions = *rc::gen::inRange<std::size_t>(1, kMost + 1);
  const auto turn = *rc::gen::inRange(0U, 24U);
  RC_ASSERT(keeps_lengths(any_turn(dimensions, turn, 24, random)));
  const auto count = *rc::gen::inRange<std::size_t>(1, 200);
  // Some boxes have no volume.
  const Point sides = {1, *rc::gen::element(0.0, 0.5, 1.0), *rc::gen::element(0.0, 1.0, 2.0)};
  const Turning turning =
      turn_to_faces(drawing_of(points_in_box(sides, count, random)), dimensions);
  RC_ASSERT(keeps_lengths(turning));
  for (std::size_t d = dimensions; d < kMost; ++d) RC_ASSERT(turning[d][d] == 1.0F);
}

// Each of the new axes is one of the old, up to a few degrees, and they are in the order of the
// sides.
RC_GTEST_PROP(TurningProperty, TheFacesOfABoxAreFound, ()) {
  constexpr double nearly = 0.98;
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  const bool cube = *rc::gen::arbitrary<bool>();
  const Point sides = cube ? Point{1, 1, 1} : Point{2, 1.5, 1};
  const Turning askew = any_turn(kMost, 1, 2, random);
  std::vector<Point> points = points_in_box(sides, 4000, random);
  for (Point& point : points) point = turned(askew, point);
  const Turning turning = turn_to_faces(drawing_of(points), kMost);
  for (std::size_t d = 0; d < kMost; ++d) {
    Point edge{};
    edge[d] = 1;
    const Point found = turned(turning, turned(askew, edge));
    double most = 0;
    for (const double x : found) most = std::max(most, std::fabs(x));
    RC_ASSERT(most > nearly);
    if (!cube) RC_ASSERT(std::fabs(found[d]) > nearly);
  }
}

TEST(Turning, FacesComeInAllOrdersTheLongestFirst) {
  RandomSource random(11);
  const Turning longest_first =
      turn_to_faces(drawing_of(points_in_box({3, 2, 1}, 500, random)), kMost);
  std::size_t orders = 1;
  for (std::size_t dimensions = 1; dimensions <= kMost; ++dimensions) {
    orders *= dimensions;
    const std::vector<Turning> ways = ways_to_face(longest_first, dimensions);
    ASSERT_EQ(ways.size(), orders);
    EXPECT_EQ(ways.front(), longest_first);
    EXPECT_EQ(std::set(ways.begin(), ways.end()).size(), orders);
    for (const Turning& way : ways) {
      EXPECT_TRUE(std::is_permutation(way.begin(), way.end(), longest_first.begin()));
      for (std::size_t d = dimensions; d < kMost; ++d) EXPECT_EQ(way[d], longest_first[d]);
    }
  }
}

TEST(Turning, OfADrawingTurnsEveryRank) {
  RandomSource random(3);
  const std::vector<Point> points = points_in_box({1, 1, 1}, 50, random);
  Drawing drawing = drawing_of(points);
  const Turning turning = any_turn(kMost, 1, 2, random);
  turn(drawing, turning);
  for (std::size_t rank = 0; rank < points.size(); ++rank) {
    const Point expected = turned(turning, points[rank]);
    for (std::size_t d = 0; d < kMost; ++d) {
      EXPECT_NEAR(drawing.dimensions[d].at[rank], expected[d], 1e-5);
    }
  }
}

// Numbered row by row, as programs do it: every 64th of them lies in one plane.
TEST(Turning, OfManyRanksSomeTellEnough) {
  constexpr unsigned side = 64;
  RandomSource random(7);
  const Turning askew = any_turn(kMost, 1, 2, random);
  std::vector<Point> points;
  for (unsigned i = 0; i < side * side * side; ++i) {
    const Point at = {3.0 * (i % side), 2.0 * (i / side % side), 1.0 * (i / side / side)};
    points.push_back(turned(askew, at));
  }
  const Turning turning = turn_to_faces(drawing_of(points), kMost);
  const Point found = turned(turning, turned(askew, {1, 0, 0}));
  EXPECT_GT(std::fabs(found[0]), 0.99);
}

TEST(Turning, RingsStayAsTheyAre) {
  RandomSource random(5);
  Drawing drawing = drawing_of(points_in_box({1, 1, 1}, 100, random));
  drawing.dimensions[1].ring = true;
  const std::vector<float> before = drawing.dimensions[0].at;
  turn(drawing, turn_to_faces(drawing, kMost));
  EXPECT_EQ(drawing.dimensions[0].at, before);
}

}  // namespace
}  // namespace tofa::turning_test
