// SPDX-License-Identifier: BSD-3-Clause
// Shapes of tiles: see tiling.hpp. What crosses the borders in one dimension depends on how long
// tiles are in it alone, but for pairs that differ in several dimensions, which count in each.
#include "mapping/tools/tiling.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include "mapping/tools/random_source.hpp"

namespace tofa {
namespace {

constexpr std::size_t kSample = 512;         // ranks
constexpr std::size_t kMostShapes = 20'000;  // looked at

struct Shape {
  double cut;
  std::vector<unsigned> extents;
};

// All shapes of so many ranks, as far as there is time to look at them.
class ShapeSearch {
 public:
  ShapeSearch(const BorderTraffic& borders, std::size_t dimensions)
      : borders_(borders), current_{0, std::vector<unsigned>(dimensions, 1)} {}

  std::vector<Shape> run(unsigned size) {
    extend(0, size);
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
      const double before = current_.cut;
      current_.cut += borders_.crossing(dimension, i);
      current_.extents[dimension] = lengths[i];
      extend(dimension + 1, rest / lengths[i]);
      current_.cut = before;
    }
  }

  const BorderTraffic& borders_;
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

// The half keeps what is rounded away from whole numbers, up to 2^50.
std::uint32_t tile_of(unsigned coordinate, double inverse_of_length) {
  return static_cast<std::uint32_t>((coordinate + 0.5) * inverse_of_length);
}

bool may_be_tiled(const GuestGrid& guest, unsigned size) {
  const std::size_t ranks = guest.positions.size();
  return size > 1 && ranks > size && ranks % size == 0;
}

}  // namespace

BorderTraffic::BorderTraffic(const GuestGrid& guest) : guest_(guest) {
  for (const unsigned extent : guest.shape) {
    std::vector<unsigned>& lengths = lengths_.emplace_back();
    for (unsigned length = 1; length <= extent; ++length) {
      if (extent % length == 0) lengths.push_back(length);
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
       different_shapes(guest, ShapeSearch(borders, guest.shape.size()).run(size), most))
    result.push_back(in_tiles(guest, shape.extents));
  return result;
}

std::vector<GuestGrid> tilings(const CommGraph& graph, const GuestGrid& guest, unsigned size,
                               std::size_t most) {
  if (!may_be_tiled(guest, size)) return {};
  BorderTraffic borders(guest);
  // A line has tiles of one shape.
  const std::size_t looks = guest.shape.size() > 1 ? kSample : 0;
  RandomSource random(1);
  const bool all = graph.ranks() <= looks;
  for (std::size_t i = 0; i < std::min<std::size_t>(looks, graph.ranks()); ++i) {
    const Rank rank = all ? static_cast<Rank>(i) : random.below(graph.ranks());
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      borders.add(guest.positions[rank], guest.positions[partner], static_cast<double>(bytes));
    }
  }
  return tilings(guest, borders, size, most);
}

}  // namespace tofa
