// SPDX-License-Identifier: BSD-3-Clause
// Multidimensional scaling: see drawing.hpp.
#include "mapping/tools/drawing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mapping/tools/random_source.hpp"
#include "mapping/tools/rings.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();
// A ring takes two axes; and one more, to see that it is much shorter.
constexpr std::size_t kAxes = 2 * Drawing::kMostDimensions + 1;

// A vector by pivot.
using Vector = std::vector<double>;

class Hops {
 public:
  explicit Hops(const CommGraph& graph) : graph_(graph), queue_(graph.ranks()) {}

  // From one rank to all; to those out of reach one more than to the farthest.
  std::vector<std::uint32_t> from(Rank start) {
    std::vector<std::uint32_t> hops(graph_.ranks(), kUnreached);
    std::size_t reached = 0;
    queue_[reached++] = start;
    hops[start] = 0;
    for (std::size_t next = 0; next < reached; ++next) {
      const Rank rank = queue_[next];
      for (const auto& [partner, bytes, sent] : graph_.partners(rank)) {
        if (hops[partner] != kUnreached) continue;
        hops[partner] = hops[rank] + 1;
        queue_[reached++] = partner;
      }
    }
    const std::uint32_t beyond = hops[queue_[reached - 1]] + 1;
    std::replace(hops.begin(), hops.end(), kUnreached, beyond);
    return hops;
  }

 private:
  const CommGraph& graph_;
  std::vector<Rank> queue_;
};

Rank farthest(const std::vector<std::uint32_t>& hops) {
  return static_cast<Rank>(std::max_element(hops.begin(), hops.end()) - hops.begin());
}

// Squares of hops to pivots, each of which is as far as possible from those before it; by rank and
// pivot, so that means over ranks and over pivots are 0.
std::vector<float> centred_squares(const CommGraph& graph, unsigned pivots) {
  const Rank ranks = graph.ranks();
  Hops hops(graph);
  std::vector<float> squares(std::size_t{ranks} * pivots);
  std::vector<std::uint32_t> nearest(ranks, kUnreached);
  Rank pivot = farthest(hops.from(0));
  for (unsigned i = 0; i < pivots; ++i) {
    const std::vector<std::uint32_t> row = hops.from(pivot);
    double mean = 0;
    for (Rank rank = 0; rank < ranks; ++rank) mean += static_cast<double>(row[rank]) * row[rank];
    mean /= ranks;
    for (Rank rank = 0; rank < ranks; ++rank) {
      const double square = static_cast<double>(row[rank]) * row[rank];
      squares[std::size_t{rank} * pivots + i] = static_cast<float>(-0.5 * (square - mean));
      nearest[rank] = std::min(nearest[rank], row[rank]);
    }
    pivot = farthest(nearest);
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    float* mine = &squares[std::size_t{rank} * pivots];
    float mean = 0;
    for (unsigned i = 0; i < pivots; ++i) mean += mine[i] / static_cast<float>(pivots);
    for (unsigned i = 0; i < pivots; ++i) mine[i] -= mean;
  }
  return squares;
}

// The product of the transposed matrix with itself, by pivot and pivot.
std::vector<Vector> products(const std::vector<float>& squares, unsigned pivots) {
  std::vector<float> sums(std::size_t{pivots} * pivots, 0);
  for (std::size_t row = 0; row < squares.size(); row += pivots) {
    for (unsigned i = 0; i < pivots; ++i) {
      const float mine = squares[row + i];
      for (unsigned j = 0; j < pivots; ++j) sums[i * pivots + j] += mine * squares[row + j];
    }
  }
  std::vector<Vector> result;
  for (unsigned i = 0; i < pivots; ++i) {
    const float* row = &sums[std::size_t{i} * pivots];
    result.emplace_back(row, row + pivots);
  }
  return result;
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

struct Axis {
  Vector direction;  // of length 1
  double strength;   // its eigenvalue
};

// Makes it stand at right angles to those before it, of length 1; answers with how long it was.
double orthonormalise(Vector& vector, const std::vector<Axis>& before) {
  for (const Axis& axis : before) {
    const double along = dot(vector, axis.direction);
    for (std::size_t i = 0; i < vector.size(); ++i) vector[i] -= along * axis.direction[i];
  }
  const double length = std::sqrt(dot(vector, vector));
  for (double& x : vector) x /= std::max(length, std::numeric_limits<double>::min());
  return length;
}

// The eigenvectors of the largest eigenvalues, by power iteration: directions nearly as long as
// each other mix, which does no harm.
std::vector<Axis> strongest_axes(const std::vector<Vector>& matrix) {
  constexpr int rounds = 40;
  RandomSource random(1);
  std::vector<Axis> axes;
  for (std::size_t a = 0; a < std::min(kAxes, matrix.size()); ++a) {
    Axis axis{Vector(matrix.size()), 0};
    for (double& x : axis.direction) x = random.unit() - 0.5;
    orthonormalise(axis.direction, axes);
    for (int round = 0; round < rounds; ++round) {
      Vector next;
      for (const Vector& row : matrix) next.push_back(dot(row, axis.direction));
      axis.direction = std::move(next);
      axis.strength = orthonormalise(axis.direction, axes);
    }
    axes.push_back(std::move(axis));
  }
  std::sort(axes.begin(), axes.end(),
            [](const Axis& a, const Axis& b) { return a.strength > b.strength; });
  return axes;
}

// What hops are rounded to is evened out by the means of partners; then the mean is 0, and the mean
// square 1.
Coordinates smoothed(const CommGraph& graph, const Coordinates& before) {
  Coordinates at(before.size());
  double mean = 0;
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    const auto partners = graph.partners(rank);
    float sum = before[rank];
    for (const auto& [partner, bytes, sent] : partners) sum += before[partner];
    at[rank] = sum / static_cast<float>(partners.size() + 1);
    mean += at[rank] / static_cast<double>(graph.ranks());
  }
  double square = 0;
  for (float& x : at) {
    x -= static_cast<float>(mean);
    square += static_cast<double>(x) * x / static_cast<double>(graph.ranks());
  }
  const auto scale = static_cast<float>(1 / std::max(std::sqrt(square), 1e-30));
  for (float& x : at) x *= scale;
  return at;
}

// Coordinates along axes that stand at right angles, and how far ranks are spread along each.
struct Axes {
  std::vector<Coordinates> at;
  std::vector<double> spread;  // falls
};

Axes scale_hops(const CommGraph& graph, unsigned pivots) {
  const std::vector<float> squares = centred_squares(graph, pivots);
  Axes result;
  for (const Axis& axis : strongest_axes(products(squares, pivots))) {
    if (axis.strength <= 0) break;
    Coordinates at(graph.ranks());
    for (Rank rank = 0; rank < graph.ranks(); ++rank) {
      float sum = 0;
      for (unsigned i = 0; i < pivots; ++i) {
        sum += squares[std::size_t{rank} * pivots + i] * static_cast<float>(axis.direction[i]);
      }
      at[rank] = sum;
    }
    result.at.push_back(smoothed(graph, at));
    // Eigenvalues of the product grow with the fourth power of lengths.
    result.spread.push_back(std::sqrt(std::sqrt(axis.strength)));
  }
  return result;
}

// After how many axes the next is the shortest by comparison; 0 if none is much shorter.
std::size_t find_gap(const std::vector<double>& spread) {
  constexpr double much = 1.25;
  std::size_t found = 0;
  double widest = much;
  for (std::size_t a = 1; a < spread.size(); ++a) {
    const double gap = spread[a - 1] / spread[a];
    if (gap <= widest) continue;
    widest = gap;
    found = a;
  }
  return found;
}

Coordinates along(const std::vector<Coordinates>& axes, const std::vector<double>& direction) {
  Coordinates result(axes.front().size(), 0);
  for (std::size_t a = 0; a < direction.size(); ++a) {
    const auto share = static_cast<float>(direction[a]);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += share * axes[a][i];
  }
  return result;
}

double spread_along(const std::vector<double>& spread, const std::vector<double>& direction) {
  double sum = 0;
  for (std::size_t a = 0; a < direction.size(); ++a) {
    sum += direction[a] * direction[a] * spread[a] * spread[a];
  }
  return std::sqrt(sum);
}

// A line of length 1 is spread by 1 / sqrt(12), and a circle one round long by 1 / 2 pi along
// either axis, as hops around it are scaled.
const double kLineLength = std::sqrt(12.0);
constexpr double kRingLength = 2 * M_PI;

Drawing::Dimension ring_dimension(const Axes& axes, const Rings::Plane& plane) {
  Coordinates angle = along(axes.at, plane.x);
  const Coordinates y = along(axes.at, plane.y);
  for (std::size_t i = 0; i < angle.size(); ++i) {
    angle[i] = std::atan2(y[i], angle[i]) / static_cast<float>(2 * M_PI) + 0.5F;
  }
  const double spread =
      (spread_along(axes.spread, plane.x) + spread_along(axes.spread, plane.y)) / 2;
  return {true, kRingLength * spread, std::move(angle)};
}

// Whether the axes from this one on are much shorter than the first.
bool is_flat(const Axes& axes, std::size_t from) {
  constexpr double flat = 0.75;
  return axes.spread.size() <= from || axes.spread[from] < flat * axes.spread[0];
}

Drawing open_drawing(const Axes& axes) {
  Drawing drawing;
  for (std::size_t a = 0; a < std::min(axes.at.size(), Drawing::kMostDimensions); ++a) {
    Coordinates at = axes.at[a];
    for (float& x : at) x *= static_cast<float>(axes.spread[a]);
    drawing.dimensions.push_back({false, kLineLength * axes.spread[a], std::move(at)});
  }
  return drawing;
}

Drawing drawing_with(const Rings& rings, const Axes& axes) {
  Drawing drawing;
  for (const Rings::Plane& plane : rings.planes) {
    drawing.dimensions.push_back(ring_dimension(axes, plane));
  }
  for (const std::vector<double>& direction : rings.rest) {
    const double length = kLineLength * spread_along(axes.spread, direction);
    drawing.dimensions.push_back({false, length, along(axes.at, direction)});
  }
  std::stable_sort(drawing.dimensions.begin(), drawing.dimensions.end(),
                   [](const auto& a, const auto& b) { return a.length > b.length; });
  return drawing;
}

}  // namespace

bool Drawing::has_rings() const {
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& dimension) { return dimension.ring; });
}

std::vector<Drawing> draw(const CommGraph& graph, unsigned pivots) {
  pivots = std::min<unsigned>(pivots, graph.ranks());
  if (pivots == 0) return {};
  const Axes axes = scale_hops(graph, pivots);
  if (axes.at.empty()) return {};
  std::vector<Drawing> drawings;
  const auto long_axes = static_cast<std::ptrdiff_t>(find_gap(axes.spread));
  const Rings rings = find_rings({axes.at.begin(), axes.at.begin() + long_axes});
  if (!rings.planes.empty() &&
      rings.planes.size() + rings.rest.size() <= Drawing::kMostDimensions) {
    drawings.push_back(drawing_with(rings, axes));
  }
  if (is_flat(axes, Drawing::kMostDimensions)) drawings.push_back(open_drawing(axes));
  return drawings;
}

}  // namespace tofa
