// SPDX-License-Identifier: BSD-3-Clause
// Shapes of tiles: see tiling.hpp. What crosses the borders in one dimension depends on how long
// tiles are in it alone, but for pairs that differ in several dimensions, which count in each.
#include "mapping/tools/tiling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

constexpr std::size_t kSample = 512;         // ranks
constexpr std::size_t kMostShapes = 20'000;  // looked at

constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

struct Shape {
  double cut;
  std::vector<unsigned> extents;
  std::size_t along = kNowhere;  // the dimension that it does not divide
};

// All shapes of so many ranks, as far as there is time to look at them.
class ShapeSearch {
 public:
  ShapeSearch(const BorderTraffic& borders, const std::vector<unsigned>& extents)
      : borders_(borders), extents_(extents), current_{0, std::vector(extents.size(), 1U)} {}

  std::vector<Shape> run(unsigned size) {
    extend(0, size);
    leave_out_long_ones(size);
    std::sort(found_.begin(), found_.end(), [](const Shape& a, const Shape& b) {
      return std::tie(a.cut, a.extents) < std::tie(b.cut, b.extents);
    });
    return std::move(found_);
  }

 private:
  void extend(std::size_t dimension, unsigned rest) {
    if (++visited_ > kMostShapes) return;
    if (dimension == current_.extents.size()) {
      if (rest == 1) found_.push_back(current_);
      return;
    }
    const std::vector<unsigned>& lengths = borders_.lengths(dimension);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (rest % lengths[i] != 0) continue;
      const bool divides = extents_[dimension] % lengths[i] == 0;
      if (!divides && current_.along != kNowhere) continue;
      const double cut = current_.cut;
      const std::size_t along = current_.along;
      current_.cut += borders_.crossing(dimension, i);
      current_.extents[dimension] = lengths[i];
      if (!divides) current_.along = dimension;
      extend(dimension + 1, rest / lengths[i]);
      current_.cut = cut;
      current_.along = along;
    }
  }

  // Of boxes that do not divide the grid. What is left over of a strip has more neighbours, above
  // all where boxes lie beside each other in several dimensions, and counts as if some more
  // crossed.
  void leave_out_long_ones(unsigned size) {
    constexpr double longer_than_wide = 1.2;
    constexpr double more = 1.03;  // for each of these dimensions
    const double most = longer_than_wide * least_crossing(size);
    std::erase_if(
        found_, [most](const Shape& shape) { return shape.along != kNowhere && shape.cut > most; });
    for (Shape& shape : found_) {
      for (std::size_t d = 0; d < extents_.size() && shape.along != kNowhere; ++d)
        shape.cut *= shape.extents[d] < extents_[d] ? more : 1;
    }
  }

  // What would cross if lengths need not be whole numbers: as much in each dimension, but for those
  // in which the grid is too short for that.
  double least_crossing(double size) const {
    std::vector<bool> is_whole(extents_.size());
    double least = 0;
    for (bool changed = true; changed;) {
      changed = false;
      double product = 1 / size;
      double dimensions = 0;
      for (std::size_t d = 0; d < extents_.size(); ++d) {
        product *= is_whole[d] ? extents_[d] : borders_.crossing(d, 0);
        dimensions += is_whole[d] ? 0 : 1;
      }
      if (dimensions == 0) return 0;
      const double each = std::pow(product, 1 / dimensions);
      least = dimensions * each;
      for (std::size_t d = 0; d < extents_.size(); ++d) {
        if (is_whole[d] || borders_.crossing(d, 0) <= each * extents_[d]) continue;
        is_whole[d] = changed = true;
      }
    }
    return least;
  }

  const BorderTraffic& borders_;
  const std::vector<unsigned>& extents_;
  Shape current_;
  std::vector<Shape> found_;
  std::size_t visited_ = 0;
};

GuestGrid in_tiles(const GuestGrid& guest, const std::vector<unsigned>& tile) {
  GuestGrid tiles;
  for (std::size_t d = 0; d < tile.size(); ++d) {
    if (guest.shape[d] == tile[d]) continue;
    tiles.shape.push_back(guest.shape[d] / tile[d]);
    tiles.wraps.push_back(guest.wraps[d]);
  }
  tiles.positions.reserve(guest.positions.size());
  for (std::uint32_t position : guest.positions) {
    std::uint32_t at = 0;
    std::uint32_t stride = 1;
    for (std::size_t d = 0; d < tile.size(); ++d) {
      at += stride * (position % guest.shape[d] / tile[d]);
      stride *= guest.shape[d] / tile[d];
      position /= guest.shape[d];
    }
    tiles.positions.push_back(at);
  }
  return tiles;
}

// Which dimensions are cut how often, whichever of those of the same length it is.
std::vector<std::array<unsigned, 3>> kind_of(const GuestGrid& guest, const Shape& shape) {
  std::vector<std::array<unsigned, 3>> kind;
  for (std::size_t d = 0; d < shape.extents.size(); ++d)
    kind.push_back({guest.shape[d], guest.wraps[d], shape.extents[d]});
  std::sort(kind.begin(), kind.end());
  return kind;
}

// Shapes of a kind that cut as much are the same but for what dimensions are called.
std::vector<Shape> different_shapes(const GuestGrid& guest, std::vector<Shape>&& shapes,
                                    std::size_t most) {
  constexpr double about = 1.02;
  std::map<std::vector<std::array<unsigned, 3>>, double> taken;
  std::vector<Shape> result;
  for (Shape& shape : shapes) {
    if (result.size() == most) break;
    const auto [at, is_new] = taken.try_emplace(kind_of(guest, shape), shape.cut);
    if (!is_new && shape.cut <= about * at->second) continue;
    at->second = shape.cut;
    result.push_back(std::move(shape));
  }
  return result;
}

// Groups that follow each other along strips of the grid, up one and down the next, so that what is
// left over at the end of one lies beside what begins the next.
std::vector<std::uint32_t> in_strips(const GuestGrid& guest, const Shape& shape, unsigned size) {
  const std::size_t along = shape.along;
  const unsigned length = guest.shape[along];
  const unsigned wide = size / shape.extents[along];  // ranks at a step along it
  std::vector<std::uint32_t> group;
  group.reserve(guest.positions.size());
  std::vector<unsigned> at(guest.shape.size());
  for (std::uint32_t position : guest.positions) {
    for (std::size_t d = 0; d < at.size(); position /= guest.shape[d++])
      at[d] = position % guest.shape[d];
    std::uint32_t strip = 0;
    std::uint32_t across = 0;
    for (std::size_t d = at.size(); d-- > 0;) {
      if (d == along) continue;
      const unsigned strips = guest.shape[d] / shape.extents[d];
      const unsigned here = at[d] / shape.extents[d];
      strip = strip * strips + (strip % 2 == 0 ? here : strips - 1 - here);
      across = across * shape.extents[d] + at[d] % shape.extents[d];
    }
    const unsigned step = strip % 2 == 0 ? at[along] : length - 1 - at[along];
    group.push_back(((strip * length + step) * wide + across) / size);
  }
  return group;
}

// The half keeps what is rounded away from whole numbers, up to 2^50.
std::uint32_t tile_of(unsigned coordinate, double inverse_of_length) {
  return static_cast<std::uint32_t>((coordinate + 0.5) * inverse_of_length);
}

// A line has tiles of one shape.
void add_sample(const CommGraph& graph, const GuestGrid& guest, BorderTraffic& borders) {
  const std::size_t looks = guest.shape.size() > 1 ? kSample : 0;
  RandomSource random(1);
  const bool all = graph.ranks() <= looks;
  for (std::size_t i = 0; i < std::min<std::size_t>(looks, graph.ranks()); ++i) {
    const Rank rank = all ? static_cast<Rank>(i) : random.below(graph.ranks());
    for (const auto& [partner, bytes, sent] : graph.partners(rank))
      borders.add(guest.positions[rank], guest.positions[partner], static_cast<double>(bytes));
  }
}

bool may_be_tiled(const GuestGrid& guest, unsigned size) {
  return size > 1 && guest.positions.size() > size;
}

}  // namespace

BorderTraffic::BorderTraffic(const GuestGrid& guest, unsigned size) : guest_(guest) {
  for (const unsigned extent : guest.shape) {
    std::vector<unsigned>& lengths = lengths_.emplace_back();
    for (unsigned length = 1; length <= extent; ++length) {
      if (extent % length == 0 || size % length == 0) lengths.push_back(length);
    }
    first_.push_back(crossing_.size());
    crossing_.resize(crossing_.size() + lengths.size());
    for (const unsigned length : lengths) inverses_.push_back(1.0 / length);
  }
}

void BorderTraffic::add(std::uint32_t a, std::uint32_t b, double bytes) {
  for (std::size_t d = 0; d < guest_.shape.size(); ++d) {
    const unsigned from = a % guest_.shape[d];
    const unsigned to = b % guest_.shape[d];
    a /= guest_.shape[d];
    b /= guest_.shape[d];
    if (from == to) continue;
    for (std::size_t i = first_[d]; i < first_[d] + lengths_[d].size(); ++i) {
      if (tile_of(from, inverses_[i]) != tile_of(to, inverses_[i])) crossing_[i] += bytes;
    }
  }
}

std::vector<GuestGrid> tilings(const GuestGrid& guest, const BorderTraffic& borders, unsigned size,
                               std::size_t most) {
  if (!may_be_tiled(guest, size)) return {};
  std::vector<GuestGrid> result;
  for (const Shape& shape :
       different_shapes(guest, ShapeSearch(borders, guest.shape).run(size), most))
    result.push_back(in_tiles(guest, shape.extents));
  return result;
}

std::vector<GuestGrid> tilings(const CommGraph& graph, const GuestGrid& guest, unsigned size,
                               std::size_t most) {
  if (!may_be_tiled(guest, size)) return {};
  BorderTraffic borders(guest);
  add_sample(graph, guest, borders);
  return tilings(guest, borders, size, most);
}

std::vector<std::vector<std::uint32_t>> groups_in_boxes(const CommGraph& graph,
                                                        const GuestGrid& guest, unsigned size,
                                                        std::size_t most) {
  if (!may_be_tiled(guest, size)) return {};
  BorderTraffic borders(guest, size);
  add_sample(graph, guest, borders);
  std::vector<std::vector<std::uint32_t>> result;
  for (const Shape& shape :
       different_shapes(guest, ShapeSearch(borders, guest.shape).run(size), most)) {
    result.push_back(shape.along == kNowhere ? in_tiles(guest, shape.extents).positions
                                             : in_strips(guest, shape, size));
  }
  return result;
}

}  // namespace tofa
