// SPDX-License-Identifier: BSD-3-Clause
// Rings: circles are found however their axes are mixed, and none where there is none.
#include "mapping/tools/rings.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "mapping/tools/random_source.hpp"

namespace tofa::rings_test {
namespace {

constexpr std::size_t kPoints = 600;

// So many circles and lines that points are all over; each axis has mean 0 and mean square 1.
std::vector<Coordinates> axes_of(std::size_t circles, std::size_t lines, double noise,
                                 RandomSource& random) {
  std::vector<Coordinates> axes(2 * circles + lines);
  for (std::size_t i = 0; i < kPoints; ++i) {
    for (std::size_t circle = 0; circle < circles; ++circle) {
      const double angle = 2 * M_PI * random.unit();
      const double radius = std::sqrt(2.0) * (1 + noise * (random.unit() - 0.5));
      axes[2 * circle].push_back(static_cast<float>(radius * std::cos(angle)));
      axes[2 * circle + 1].push_back(static_cast<float>(radius * std::sin(angle)));
    }
    for (std::size_t line = 0; line < lines; ++line) {
      axes[2 * circles + line].push_back(static_cast<float>((random.unit() - 0.5) * std::sqrt(12)));
    }
  }
  return axes;
}

void mix(std::vector<Coordinates>& axes, RandomSource& random) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (std::size_t b = a + 1; b < axes.size(); ++b) {
      const double angle = 2 * M_PI * random.unit();
      const auto c = static_cast<float>(std::cos(angle));
      const auto s = static_cast<float>(std::sin(angle));
      for (std::size_t i = 0; i < kPoints; ++i) {
        const float x = axes[a][i];
        axes[a][i] = c * x - s * axes[b][i];
        axes[b][i] = s * x + c * axes[b][i];
      }
    }
  }
}

double along(const std::vector<Coordinates>& axes, const std::vector<double>& direction,
             std::size_t point) {
  double sum = 0;
  for (std::size_t a = 0; a < axes.size(); ++a) sum += direction[a] * axes[a][point];
  return sum;
}

RC_GTEST_PROP(RingsProperty, CirclesAreFoundHoweverTheyAreMixed, ()) {
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  const auto circles = *rc::gen::inRange<std::size_t>(1, 4);
  const auto lines = *rc::gen::inRange<std::size_t>(0, 8 - 2 * circles);
  std::vector<Coordinates> axes = axes_of(circles, lines, 0.2, random);
  mix(axes, random);
  const Rings rings = find_rings(axes);
  RC_ASSERT(rings.planes.size() == circles);
  RC_ASSERT(rings.rest.size() == lines);
  for (const Rings::Plane& plane : rings.planes) {
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double radius = std::hypot(along(axes, plane.x, i), along(axes, plane.y, i));
      RC_ASSERT(radius > 0.8 && radius < 2);
    }
  }
}

RC_GTEST_PROP(RingsProperty, ThereAreNoneInABox, ()) {
  RandomSource random(*rc::gen::arbitrary<std::uint64_t>());
  std::vector<Coordinates> axes = axes_of(0, *rc::gen::inRange<std::size_t>(0, 7), 0, random);
  mix(axes, random);
  RC_ASSERT(find_rings(axes).planes.empty());
}

}  // namespace
}  // namespace tofa::rings_test
