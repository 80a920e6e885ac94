// SPDX-License-Identifier: BSD-3-Clause
// Turns of a drawing: see turning.hpp.
#include "mapping/mappers/turning.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tofa {
namespace {

constexpr std::size_t kDimensions = Drawing::kMostDimensions;
constexpr Turning kNone = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

using Point = std::array<double, kDimensions>;

// Of two axes: `fourth[k]` is the cumulant of k times the second and 4 - k times the first.
struct Cumulants {
  std::array<double, 5> fourth{};

  // Along the line between them that makes such an angle with the first.
  double along(double c, double s) const {
    return c * c * c * c * fourth[0] + 4 * c * c * c * s * fourth[1] +
           6 * c * c * s * s * fourth[2] + 4 * c * s * s * s * fourth[3] +
           s * s * s * s * fourth[4];
  }
};

Cumulants cumulants_of(const std::vector<Point>& points, std::size_t a, std::size_t b) {
  double aa = 0;
  double ab = 0;
  double bb = 0;
  Cumulants result;
  for (const Point& point : points) {
    const double x = point[a];
    const double y = point[b];
    aa += x * x;
    ab += x * y;
    bb += y * y;
    result.fourth[0] += x * x * x * x;
    result.fourth[1] += x * x * x * y;
    result.fourth[2] += x * x * y * y;
    result.fourth[3] += x * y * y * y;
    result.fourth[4] += y * y * y * y;
  }
  const auto count = static_cast<double>(points.size());
  for (double& sum : result.fourth) sum /= count;
  aa /= count;
  ab /= count;
  bb /= count;
  result.fourth[0] -= 3 * aa * aa;
  result.fourth[1] -= 3 * aa * ab;
  result.fourth[2] -= aa * bb + 2 * ab * ab;
  result.fourth[3] -= 3 * bb * ab;
  result.fourth[4] -= 3 * bb * bb;
  return result;
}

// Of the points, or of some of many, around their middle. Not of every so many: ranks are often
// numbered row by row, and those would lie in a plane.
std::vector<Point> sample(const Drawing& drawing) {
  constexpr std::size_t enough = 4096;
  const std::size_t ranks = drawing.dimensions.front().at.size();
  RandomSource random(1);
  std::vector<Point> points(std::min(ranks, enough));
  Point middle{};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t rank = ranks <= enough ? i : random.below(static_cast<std::uint32_t>(ranks));
    for (std::size_t d = 0; d < drawing.dimensions.size(); ++d) {
      points[i][d] = drawing.dimensions[d].at[rank];
      middle[d] += points[i][d];
    }
  }
  for (Point& point : points) {
    for (std::size_t d = 0; d < kDimensions; ++d)
      point[d] -= middle[d] / static_cast<double>(points.size());
  }
  return points;
}

// The angle, below a right one, by which two axes are turned best.
double best_angle(const Cumulants& cumulants) {
  constexpr int steps = 90;
  double best = 0;
  double least = HUGE_VAL;
  for (int step = 0; step < steps; ++step) {
    const double angle = M_PI / 2 * step / steps;
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double sum = cumulants.along(c, s) + cumulants.along(-s, c);
    if (sum >= least) continue;
    least = sum;
    best = angle;
  }
  return best;
}

template <typename Number>
void turn_two(Number& first, Number& second, double c, double s) {
  const double x = first;
  const double y = second;
  first = static_cast<Number>(c * x + s * y);
  second = static_cast<Number>(c * y - s * x);
}

double spread_along(const std::vector<Point>& points, std::size_t d) {
  double sum = 0;
  for (const Point& point : points) sum += point[d] * point[d];
  return sum;
}

}  // namespace

Turning any_turn(std::size_t dimensions, unsigned turn, unsigned turns, RandomSource& random) {
  if (turn == 0 || dimensions == 1) return kNone;
  if (dimensions == 2) {
    const double angle = M_PI * turn / turns;
    const auto s = static_cast<float>(std::sin(angle));
    const auto c = static_cast<float>(std::cos(angle));
    return {{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
  }
  // By a quaternion.
  std::array<float, 4> q{};
  float length = 0;
  for (float& x : q) {
    x = static_cast<float>(random.unit() - 0.5);
    length += x * x;
  }
  for (float& x : q) x /= std::sqrt(std::max(length, 1e-9F));
  const auto [w, x, y, z] = q;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}}};
}

Turning turn_to_faces(const Drawing& drawing, std::size_t dimensions) {
  constexpr int sweeps = 6;
  if (drawing.has_rings()) return kNone;
  Turning turning = kNone;
  std::vector<Point> points = sample(drawing);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool turned = false;
    for (std::size_t a = 0; a < dimensions; ++a) {
      for (std::size_t b = a + 1; b < dimensions; ++b) {
        const double angle = best_angle(cumulants_of(points, a, b));
        if (angle == 0) continue;
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        for (std::size_t d = 0; d < kDimensions; ++d) turn_two(turning[a][d], turning[b][d], c, s);
        for (Point& point : points) turn_two(point[a], point[b], c, s);
        turned = true;
      }
    }
    if (!turned) break;
  }
  std::array<double, kDimensions> spread{};
  for (std::size_t d = 0; d < dimensions; ++d) spread[d] = spread_along(points, d);
  for (std::size_t a = 0; a < dimensions; ++a) {
    for (std::size_t b = a + 1; b < dimensions; ++b) {
      if (spread[b] <= spread[a]) continue;
      std::swap(spread[a], spread[b]);
      std::swap(turning[a], turning[b]);
    }
  }
  return turning;
}

std::vector<Turning> ways_to_face(const Turning& longest_first, std::size_t dimensions) {
  std::vector<Turning> ways;
  std::array<std::size_t, kDimensions> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto last = order.begin() + static_cast<std::ptrdiff_t>(dimensions);
  do {
    Turning& way = ways.emplace_back();
    for (std::size_t d = 0; d < kDimensions; ++d) way[d] = longest_first[order[d]];
  } while (std::next_permutation(order.begin(), last));
  return ways;
}

void turn(Drawing& drawing, const Turning& turning) {
  const std::size_t dimensions = drawing.dimensions.size();
  for (std::size_t rank = 0; rank < drawing.dimensions.front().at.size(); ++rank) {
    std::array<float, kDimensions> before{};
    for (std::size_t d = 0; d < dimensions; ++d) before[d] = drawing.dimensions[d].at[rank];
    for (std::size_t to = 0; to < dimensions; ++to) {
      float sum = 0;
      for (std::size_t d = 0; d < dimensions; ++d) sum += turning[to][d] * before[d];
      drawing.dimensions[to].at[rank] = sum;
    }
  }
}

}  // namespace tofa
