// SPDX-License-Identifier: BSD-3-Clause
// Grids by the differences of rank numbers: see rank_order_grid.hpp. The differences that carry
// most are tried as the lengths of rows, planes and so on, each of which divides the next; the
// fewest with which most of the others are steps to a rank around are believed, if the pairs
// themselves agree.
#include "mapping/tools/rank_order_grid.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "mapping/tools/backbone.hpp"

namespace tofa {
namespace {

constexpr double kMostBytes = 0.6;  // of those that count, that have to be explained

struct Difference {
  std::int64_t ranks;
  double bytes;
};

// Numbers of ranks from one to the next of each dimension, the first of which is 1, and of all.
using Strides = std::vector<std::int64_t>;

// All but those of ranks that collect from others, which say nothing about a grid.
class Pairs {
 public:
  explicit Pairs(const CommGraph& graph)
      : graph_(graph), collectors_(graph, kMostTimesPartners * typical_partners(graph)) {}

  // Calls `use` with each pair that counts, the lower rank first, and its bytes.
  template <typename Use>
  void for_each(Use&& use) const {
    for (Rank rank = 0; rank < graph_.ranks(); ++rank) {
      if (collectors_.include(rank)) continue;
      for (const CommEdge& edge : graph_.partners(rank)) {
        if (edge.partner > rank && !collectors_.include(edge.partner))
          use(rank, edge.partner, static_cast<double>(edge.bytes));
      }
    }
  }
  Rank ranks() const { return graph_.ranks(); }
  double bytes() const {
    double sum = 0;
    for_each([&sum](Rank, Rank, double bytes) { sum += bytes; });
    return sum;
  }

 private:
  const CommGraph& graph_;
  const Collectors collectors_;
};

// The heaviest differences of the numbers of partners.
std::vector<Difference> heaviest_differences(const Pairs& pairs) {
  constexpr std::size_t most = 32;
  constexpr double least = 0.02;  // of the heaviest
  std::vector<double> bytes(pairs.ranks());
  pairs.for_each([&](Rank a, Rank b, double of_pair) { bytes[b - a] += of_pair; });
  const double fewest = least * *std::max_element(bytes.begin(), bytes.end());
  // A heap of those that are kept, the lightest at its front.
  const auto heavier = [](const Difference& a, const Difference& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.ranks < b.ranks;
  };
  std::vector<Difference> kept;
  for (std::size_t i = 1; i < bytes.size(); ++i) {
    if (bytes[i] == 0 || bytes[i] < fewest) continue;
    kept.push_back({static_cast<std::int64_t>(i), bytes[i]});
    std::push_heap(kept.begin(), kept.end(), heavier);
    if (kept.size() <= most) continue;
    std::pop_heap(kept.begin(), kept.end(), heavier);
    kept.pop_back();
  }
  return kept;
}

// Whether who is so many positions further in a dimension is beside, straight on or around.
bool is_beside(std::int64_t steps, std::int64_t extent) {
  return std::abs(steps) <= 1 || std::abs(steps) == extent - 1;
}

// The nearest whole number of times.
std::int64_t rounded(std::int64_t number, std::int64_t divisor) {
  const std::int64_t middle = number + divisor / 2;
  return middle >= 0 ? middle / divisor : -((divisor - 1 - middle) / divisor);
}

// Who is beside in several dimensions at once is around in a grid where hardly anybody is, and not
// where nearly all are.
constexpr std::int64_t kWide = 5;  // positions of a dimension

// How well it is explained that a difference carries much: by a step or the way round in one
// dimension, by steps in several at once, which may be so by chance, or not at all.
double explained(std::int64_t difference, const Strides& strides) {
  constexpr double by_steps = 0.9;
  for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
    if (difference == strides[d] || difference == strides[d + 1] - strides[d]) return 1;
  }
  bool wide = true;
  for (std::size_t d = strides.size() - 1; d-- > 0;) {
    const std::int64_t stride = strides[d];
    const std::int64_t extent = strides[d + 1] / stride;
    const std::int64_t steps = rounded(difference, stride);
    if (!is_beside(steps, extent)) return 0;
    if (steps == 0) continue;
    wide = wide && extent >= kWide;
    difference -= steps * stride;
  }
  return difference == 0 && wide ? by_steps : 0;
}

class StrideSearch {
 public:
  StrideSearch(std::vector<Difference> differences, Rank ranks)
      : differences_(std::move(differences)), ranks_(ranks) {}

  // The best strides; fewer are better, where they explain as much.
  Strides run() {
    std::sort(differences_.begin(), differences_.end(),
              [](const auto& a, const auto& b) { return a.ranks < b.ranks; });
    // Rows in which nobody exchanges anything are no grid.
    if (differences_.empty() || differences_.front().ranks != 1) return best_;
    Strides strides = {1};
    extend(strides);
    return best_;
  }

 private:
  static constexpr double kWorthADimension = 1.05;
  static constexpr unsigned kMostTries = 2000;

  void extend(Strides& strides) {
    judge(strides);
    if (strides.size() == kMaxGuestDimensions) return;
    for (const auto& [stride, bytes] : differences_) {
      if (stride <= strides.back() || stride % strides.back() != 0 || ranks_ % stride != 0)
        continue;
      if (++tries_ > kMostTries) return;
      strides.push_back(stride);
      extend(strides);
      strides.pop_back();
    }
  }

  void judge(Strides strides) {
    const std::size_t dimensions = strides.size();
    strides.push_back(ranks_);
    double bytes = 0;
    for (const Difference& difference : differences_)
      bytes += explained(difference.ranks, strides) * difference.bytes;
    double worth = bytes;
    for (std::size_t d = 0; d < dimensions; ++d) worth /= kWorthADimension;
    if (worth <= best_worth_) return;
    best_worth_ = worth;
    best_ = std::move(strides);
  }

  std::vector<Difference> differences_;
  std::int64_t ranks_;
  Strides best_ = {};
  double best_worth_ = 0;
  unsigned tries_ = 0;
};

// The share of the bytes that a grid has to explain: most, and of few pairs more than ranks in any
// order come to by chance.
double share_to_explain(const Strides& strides, std::size_t pairs) {
  constexpr double chance = 6;  // standard deviations that are none any more
  double single = 0;            // ranks a step away in one dimension
  double several = 1;           // and in wide dimensions at once, with the rank itself
  double wide = 0;
  for (std::size_t d = 0; d + 1 < strides.size(); ++d) {
    const std::int64_t extent = strides[d + 1] / strides[d];
    single += static_cast<double>(std::min<std::int64_t>(extent - 1, 2));
    if (extent < kWide) continue;
    several *= 3;
    wide += 2;
  }
  const double others = static_cast<double>(strides.back()) - 1;
  const double around = std::min(1.0, (single + several - 1 - wide) / others);
  const double deviation = std::sqrt(around * (1 - around) / static_cast<double>(pairs));
  return std::max(kMostBytes, std::min(1.0, around + chance * deviation));
}

// What the pairs say to it: nothing where they carry too little of the bytes. A dimension is a ring
// if half of the rows close.
std::optional<GuestGrid> checked(const Pairs& pairs, double all, const Strides& strides) {
  const std::size_t dimensions = strides.size() - 1;
  std::vector<std::size_t> closed(dimensions);
  double around = 0;
  std::size_t count = 0;
  pairs.for_each([&](Rank a, Rank b, double bytes) {
    ++count;
    bool wide = true;
    std::size_t moved = 0;
    std::size_t ring = dimensions;  // that closes
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::int64_t extent = strides[d + 1] / strides[d];
      const auto steps = std::abs(b / strides[d] % extent - a / strides[d] % extent);
      if (!is_beside(steps, extent)) return;
      if (steps == 0) continue;
      ++moved;
      wide = wide && extent >= kWide;
      if (steps > 1) ring = d;
    }
    if (moved != 1 && !wide) return;
    around += bytes;
    if (moved == 1 && ring < dimensions) ++closed[ring];
  });
  if (around < share_to_explain(strides, count) * all) return std::nullopt;
  GuestGrid grid;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto extent = static_cast<unsigned>(strides[d + 1] / strides[d]);
    grid.shape.push_back(extent);
    grid.wraps.push_back(2 * closed[d] * extent >= pairs.ranks() ? 1 : 0);
  }
  grid.positions.resize(pairs.ranks());
  std::iota(grid.positions.begin(), grid.positions.end(), 0U);
  return grid;
}

}  // namespace

std::optional<GuestGrid> grid_in_rank_order(const CommGraph& graph) {
  if (graph.ranks() < 2) return std::nullopt;
  const Pairs pairs(graph);
  const std::vector<Difference> differences = heaviest_differences(pairs);
  const double bytes =
      std::accumulate(differences.begin(), differences.end(), 0.0,
                      [](double sum, const Difference& each) { return sum + each.bytes; });
  const double all = pairs.bytes();
  if (bytes < kMostBytes * all) return std::nullopt;
  const Strides strides = StrideSearch(differences, graph.ranks()).run();
  if (strides.size() < 3) return std::nullopt;
  return checked(pairs, all, strides);
}

}  // namespace tofa
