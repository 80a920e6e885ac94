// SPDX-License-Identifier: BSD-3-Clause
// Multidimensional scaling: see drawing.hpp.
#include "mapping/tools/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "base/lanes.hpp"
#include "base/large_pages.hpp"
#include "mapping/tools/backbone.hpp"
#include "mapping/tools/random_source.hpp"
#include "mapping/tools/rings.hpp"
#include "mapping/tools/strangers.hpp"

namespace tofa {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();
// A ring takes two axes; and one more, to see that it is much shorter.
constexpr std::size_t kAxes = 2 * Drawing::kMostDimensions + 1;

// A vector by pivot.
using Vector = std::vector<double>;

// The graph with its ranks numbered as a search through it meets them: partners are close to each
// other in memory then, which is most of what looking at large graphs takes.
class OrderedGraph {
 public:
  // Without pairs of strangers, if any are given.
  explicit OrderedGraph(const CommGraph& graph, Strangers* strangers = nullptr)
      : place_(graph.ranks(), kUnreached) {
    std::vector<Rank> order;  // by place
    order.reserve(graph.ranks());
    reserve_large(first_, std::size_t{graph.ranks()} + 1);
    reserve_large(partners_, 2 * graph.pairs());
    const auto meet = [this, &order](Rank rank) {
      if (place_[rank] != kUnreached) return;
      place_[rank] = static_cast<std::uint32_t>(order.size());
      order.push_back(rank);
    };
    for (Rank start = 0; start < graph.ranks(); ++start) {
      const auto begin = static_cast<std::uint32_t>(order.size());
      meet(start);
      for (std::size_t next = first_.size() - 1; next < order.size(); ++next) {
        const auto partners = graph.partners(order[next]);
        for (const CommEdge& edge : partners) graph.fetch(edge.partner);
        if (strangers != nullptr) strangers->choose(order[next]);
        for (const auto& [partner, bytes, sent] : partners) {
          if (strangers != nullptr && strangers->include(partner)) continue;
          meet(partner);
          partners_.push_back(place_[partner]);
        }
        first_.push_back(partners_.size());
      }
      const auto end = static_cast<std::uint32_t>(order.size());
      if (end - begin <= end_ - begin_) continue;
      begin_ = begin;
      end_ = end;
    }
  }

  Rank size() const { return static_cast<Rank>(place_.size()); }
  // The most places of which each can be reached from each: [begin, end).
  std::uint32_t begin() const { return begin_; }
  std::uint32_t end() const { return end_; }
  std::span<const std::uint32_t> partners(std::uint32_t place) const {
    return {partners_.data() + first_[place], partners_.data() + first_[place + 1]};
  }
  // What will be asked for later, and soon, so that nobody waits for memory.
  void fetch(std::uint32_t later, std::uint32_t soon) const {
    __builtin_prefetch(&first_[later]);
    __builtin_prefetch(partners_.data() + first_[soon]);
  }
  Coordinates by_rank(const Coordinates& by_place) const {
    Coordinates result(by_place.size());
    for (Rank rank = 0; rank < result.size(); ++rank) result[rank] = by_place[place_[rank]];
    return result;
  }

 private:
  std::vector<std::uint32_t> place_;  // by rank
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::vector<std::size_t> first_{0};  // by place
  std::vector<std::uint32_t> partners_;
};

class Hops {
 public:
  explicit Hops(const OrderedGraph& graph) : graph_(graph) {
    reserve_large(hops_, graph.size());
    reserve_large(queue_, graph.size() + kLater + 1);
    hops_.resize(graph.size());
    queue_.resize(graph.size() + kLater + 1);
  }

  // From one place to all, until asked again; 0 to those out of reach.
  std::span<const std::uint32_t> from(std::uint32_t start) {
    std::fill(hops_.begin() + graph_.begin(), hops_.begin() + graph_.end(), kUnreached);
    std::size_t reached = 0;
    queue_[reached++] = start;
    hops_[start] = 0;
    // Whether a partner is met for the first time cannot be foreseen: without branches that takes a
    // third of the time.
    std::uint32_t* const queue = queue_.data();
    std::uint32_t* const hops_to = hops_.data();
    for (std::size_t next = 0; next < reached; ++next) {
      graph_.fetch(queue[next + kLater], queue[next + kSoon]);
      const std::uint32_t there = hops_to[queue[next]] + 1;
      for (const std::uint32_t partner : graph_.partners(queue[next])) {
        const std::uint32_t before = hops_to[partner];
        queue[reached] = partner;
        reached += before > there ? 1 : 0;
        hops_to[partner] = before > there ? there : before;
      }
    }
    return hops_;
  }

 private:
  static constexpr std::size_t kLater = 16;  // places
  static constexpr std::size_t kSoon = 8;

  const OrderedGraph& graph_;
  std::vector<std::uint32_t> hops_;
  std::vector<std::uint32_t> queue_;  // any places after those that are reached
};

std::uint32_t farthest(std::span<const std::uint32_t> hops) {
  return static_cast<std::uint32_t>(std::max_element(hops.begin(), hops.end()) - hops.begin());
}

// Squares of hops to pivots, each of which is as far as possible from those before it; by pivot and
// place, so that means over places and over pivots are 0. Places out of reach are in the middle.
std::vector<Coordinates> centred_squares(const OrderedGraph& graph, unsigned pivots) {
  Hops hops(graph);
  std::vector<Coordinates> squares;
  std::vector<std::uint32_t> nearest(graph.size(), kUnreached);
  std::uint32_t pivot = farthest(hops.from(graph.begin()));
  for (unsigned i = 0; i < pivots; ++i) {
    const std::span<const std::uint32_t> row = hops.from(pivot);
    double mean = 0;
    for (const std::uint32_t way : row) mean += static_cast<double>(way) * way;
    mean /= graph.end() - graph.begin();
    Coordinates& column = squares.emplace_back(graph.size(), 0.0F);
    for (std::uint32_t place = graph.begin(); place < graph.end(); ++place) {
      const double square = static_cast<double>(row[place]) * row[place];
      column[place] = static_cast<float>(-0.5 * (square - mean));
      nearest[place] = std::min(nearest[place], row[place]);
    }
    pivot =
        graph.begin() + farthest({nearest.data() + graph.begin(), nearest.data() + graph.end()});
  }
  for (std::uint32_t place = 0; place < graph.size(); ++place) {
    float mean = 0;
    for (const Coordinates& column : squares) mean += column[place] / static_cast<float>(pivots);
    for (Coordinates& column : squares) column[place] -= mean;
  }
  return squares;
}

// Sums of many floats lose what is added last, so those of some at a time are added up.
double product(const Coordinates& a, const Coordinates& b) {
  constexpr std::size_t block = 512;
  constexpr std::size_t side_by_side = 8;  // for the processor
  double result = 0;
  for (std::size_t first = 0; first < a.size(); first += block) {
    const std::size_t last = std::min(first + block, a.size());
    std::array<float, side_by_side> sums{};
    std::size_t i = first;
    for (; i + side_by_side <= last; i += side_by_side) {
      for (std::size_t k = 0; k < side_by_side; ++k) sums[k] += a[i + k] * b[i + k];
    }
    for (; i < last; ++i) sums[0] += a[i] * b[i];
    for (const float sum : sums) result += sum;
  }
  return result;
}

// Fewer are not worth a second thread.
constexpr std::size_t kManyRanks = 2048;

// By pivot and pivot.
std::vector<Vector> products(const std::vector<Coordinates>& squares) {
  std::vector<Vector> result(squares.size(), Vector(squares.size(), 0));
  run_lanes_if(squares.front().size() >= kManyRanks, [&](unsigned lane) {
    for (std::size_t i = lane; i < squares.size(); i += kLanes) {
      for (std::size_t j = 0; j <= i; ++j) {
        result[i][j] = result[j][i] = product(squares[i], squares[j]);
      }
    }
  });
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
Coordinates smoothed(const OrderedGraph& graph, const Coordinates& before) {
  Coordinates at(before.size());
  double mean = 0;
  for (std::uint32_t place = 0; place < graph.size(); ++place) {
    const auto partners = graph.partners(place);
    float sum = before[place];
    for (const std::uint32_t partner : partners) sum += before[partner];
    at[place] = sum / static_cast<float>(partners.size() + 1);
    mean += at[place] / static_cast<double>(graph.size());
  }
  double square = 0;
  for (float& x : at) {
    x -= static_cast<float>(mean);
    square += static_cast<double>(x) * x / static_cast<double>(graph.size());
  }
  const auto scale = static_cast<float>(1 / std::max(std::sqrt(square), 1e-30));
  for (float& x : at) x *= scale;
  return at;
}

// Coordinates by place along axes that stand at right angles, and how far ranks are spread along
// each.
struct Axes {
  std::vector<Coordinates> at;
  std::vector<double> spread;  // falls
};

void smooth(const OrderedGraph& graph, Axes& axes) {
  run_lanes_if(graph.size() >= kManyRanks, [&](unsigned lane) {
    for (std::size_t a = lane; a < axes.at.size(); a += kLanes)
      axes.at[a] = smoothed(graph, axes.at[a]);
  });
}

// What is measured by pivot becomes what lies along the axes, of which there are no more, in the
// same memory: of millions of ranks it is most of what drawing needs.
void turn_to(const std::vector<Axis>& axes, std::vector<Coordinates>& columns) {
  constexpr std::size_t block = 256;  // places whose columns fit a cache
  const std::size_t places = columns.front().size();
  run_lanes_if(places >= kManyRanks, [&](unsigned lane) {
    std::vector<std::array<float, block>> turned(axes.size());
    const std::size_t end = (lane + 1) * places / kLanes;
    for (std::size_t first = lane * places / kLanes; first < end; first += block) {
      const std::size_t count = std::min(block, end - first);
      for (std::size_t a = 0; a < axes.size(); ++a) {
        turned[a].fill(0);
        for (std::size_t i = 0; i < columns.size(); ++i) {
          const auto share = static_cast<float>(axes[a].direction[i]);
          const float* column = columns[i].data() + first;
          for (std::size_t k = 0; k < count; ++k) turned[a][k] += column[k] * share;
        }
      }
      for (std::size_t a = 0; a < axes.size(); ++a)
        std::copy_n(turned[a].begin(), count, columns[a].data() + first);
    }
  });
  columns.resize(axes.size());
}

Axes scale_hops(const OrderedGraph& graph, unsigned pivots) {
  Axes result{centred_squares(graph, pivots), {}};
  std::vector<Axis> axes = strongest_axes(products(result.at));
  std::erase_if(axes, [](const Axis& axis) { return axis.strength <= 0; });
  turn_to(axes, result.at);
  smooth(graph, result);
  for (const Axis& axis : axes) {
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

bool can_be_drawn(const Rings& rings) {
  return !rings.planes.empty() &&
         rings.planes.size() + rings.rest.size() <= Drawing::kMostDimensions;
}

// Where there are more long axes than dimensions to draw, some of them are rings, or nothing can be
// drawn. A ring of a dozen hops is blurred by what these are rounded to, until that is evened out.
Rings find_rings_in(Axes& axes, const OrderedGraph& graph) {
  constexpr int rounds = 6;
  const auto count = static_cast<std::ptrdiff_t>(find_gap(axes.spread));
  const auto find = [&] { return find_rings({axes.at.begin(), axes.at.begin() + count}); };
  Rings rings = find();
  const bool needs_rings = static_cast<std::size_t>(count) > Drawing::kMostDimensions;
  for (int round = 0; needs_rings && round < rounds && !can_be_drawn(rings); ++round) {
    smooth(graph, axes);
    rings = find();
  }
  return rings;
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

bool hangs_together(const OrderedGraph& graph) {
  return graph.end() - graph.begin() >= kConnected * graph.size();
}

// As runs or models of one job, each with a shape of its own. Of small parts, what lies beside what
// is told by the pairs between them.
bool falls_in_large_parts(const OrderedGraph& graph) {
  constexpr std::uint32_t large = 64;
  return !hangs_together(graph) && graph.end() - graph.begin() >= large;
}

std::vector<Drawing> draw_by_hops(const OrderedGraph& graph, unsigned pivots) {
  if (!hangs_together(graph)) return {};
  Axes axes = scale_hops(graph, pivots);
  if (axes.at.empty()) return {};
  const Rings rings = find_rings_in(axes, graph);
  for (Coordinates& at : axes.at) at = graph.by_rank(at);
  std::vector<Drawing> drawings;
  if (can_be_drawn(rings)) drawings.push_back(drawing_with(rings, axes));
  if (is_flat(axes, Drawing::kMostDimensions)) drawings.push_back(open_drawing(axes));
  return drawings;
}

// From one place to those that it reaches.
double mean_hops(const OrderedGraph& graph) {
  Hops search(graph);
  const std::span<const std::uint32_t> hops = search.from(graph.begin());
  return std::accumulate(hops.begin() + graph.begin(), hops.begin() + graph.end(), 0.0) /
         std::max(1U, graph.end() - graph.begin());
}

}  // namespace

bool Drawing::has_rings() const {
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& dimension) { return dimension.ring; });
}

std::vector<Drawing> draw(const CommGraph& graph, unsigned pivots) {
  pivots = std::min<unsigned>(pivots, graph.ranks());
  if (pivots == 0) return {};
  std::optional<Strangers> strangers = Strangers::among(graph);
  if (!strangers) return draw_by_hops(OrderedGraph(graph), pivots);
  // The few pairs of neighbours that look like strangers, where a mesh or a cloud of particles is
  // thin, hardly make ways shorter. Others bend what is drawn, if anything is.
  constexpr double longer = 1.07;
  std::optional<OrderedGraph> all;
  std::optional<OrderedGraph> without;
  double hops = 0;
  double hops_without = 0;
  run_lanes_if(graph.ranks() >= kManyRanks, [&](unsigned lane) {
    if (lane == 0) {
      hops = mean_hops(all.emplace(graph));
    } else {
      hops_without = mean_hops(without.emplace(graph, &*strangers));
    }
  });
  strangers.reset();  // of a million ranks each takes memory
  if (hangs_together(*all) && falls_in_large_parts(*without)) return {};
  const bool bent = hops_without > longer * hops;
  (bent ? all : without).reset();
  std::vector<Drawing> drawings = draw_by_hops(bent ? *without : *all, pivots);
  if (!drawings.empty()) return drawings;
  if (bent) return draw_by_hops(OrderedGraph(graph), pivots);
  strangers = Strangers::among(graph);
  return draw_by_hops(OrderedGraph(graph, &*strangers), pivots);
}

}  // namespace tofa
