// SPDX-License-Identifier: BSD-3-Clause
// Traffic made by rule, part by part, for measuring. Ranks are shuffled by a permutation that needs
// no memory (a Feistel network over the bits of a rank), or have random places to begin with.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tofa/error.hpp"
#include "tofa/text.hpp"
#include "tofa/traffic_source.hpp"

namespace tofa {
namespace {

// The finalizer of SplitMix64.
std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

class Permutation {
 public:
  Permutation(std::uint64_t count, std::uint64_t seed) : count_(count), seed_(seed) {
    while (std::uint64_t{1} << (2 * half_) < count) ++half_;
  }

  Rank operator()(std::uint64_t value) const {
    constexpr std::uint64_t rounds = 4;
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    do {
      for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::uint64_t low = value & mask;
        value =
            (low << half_) | ((value >> half_) ^ (mixed(low ^ mixed(4 * seed_ + round)) & mask));
      }
    } while (value >= count_);
    return static_cast<Rank>(value);
  }

 private:
  std::uint64_t count_;
  std::uint64_t seed_;
  unsigned half_ = 1;
};

class Generated : public TrafficSource {
 public:
  Generated(Rank ranks) : ranks_(ranks) {}
  Rank ranks() const final { return ranks_; }
  std::uint64_t read() const final { return 0; }
  void check_total(std::uint64_t /*read_by_all*/) const final {}

 private:
  Rank ranks_;
};

class Stencil final : public Generated {
 public:
  Stencil(const std::array<std::uint64_t, 3>& shape, std::uint64_t seed, PartOf part)
      : Generated(static_cast<Rank>(shape[0] * shape[1] * shape[2])),
        shape_(shape),
        shuffled_(ranks(), seed),
        at_(std::uint64_t{ranks()} * part.part / part.parts),
        end_(std::uint64_t{ranks()} * (part.part + 1) / part.parts) {}

  bool next(std::vector<TrafficEntry>& entries) override {
    constexpr std::uint64_t at_a_time = 100'000;
    if (at_ >= end_) return false;
    const std::uint64_t stop = std::min(end_, at_ + at_a_time);
    for (; at_ < stop; ++at_) {
      std::uint64_t stride = 1;
      for (const std::uint64_t extent : shape_) {
        const std::uint64_t mine = at_ / stride % extent;
        const std::uint64_t beside = at_ + stride * ((mine + 1) % extent) - stride * mine;
        const Rank a = shuffled_(at_);
        const Rank b = shuffled_(beside);
        entries.push_back({a, b, 1});
        entries.push_back({b, a, 1});
        stride *= extent;
      }
    }
    return true;
  }

 private:
  std::array<std::uint64_t, 3> shape_;
  Permutation shuffled_;
  std::uint64_t at_;
  std::uint64_t end_;
};

// The cube is cut in layers, few points each, so that a part sees one layer at a time.
class Geometric final : public Generated {
 public:
  Geometric(Rank ranks, std::uint64_t seed, PartOf part)
      : Generated(ranks),
        seed_(seed),
        radius_(std::cbrt(kPartners / ranks / (4.0 / 3.0 * std::numbers::pi))),
        side_(std::max(1U, static_cast<unsigned>(1 / radius_))),
        layers_(std::clamp(ranks / kPerLayer, 1U, side_)) {
    layer_ = static_cast<unsigned>(std::uint64_t{layers_} * part.part / part.parts);
    end_ = static_cast<unsigned>(std::uint64_t{layers_} * (part.part + 1) / part.parts);
  }

  bool next(std::vector<TrafficEntry>& entries) override {
    if (layer_ >= end_) return false;
    find_points();
    for (const Point& point : points_) {
      if (point.inside) talk(point, entries);
    }
    ++layer_;
    return true;
  }

 private:
  static constexpr double kPartners = 12;
  static constexpr Rank kPerLayer = 1U << 16U;
  static constexpr std::uint64_t kMostBytes = 50;

  struct Point {
    Rank rank;
    std::array<double, 3> at;
    bool inside;  // of the layer, or beside it
    unsigned cell;
  };

  double coordinate(Rank rank, unsigned d) const {
    return static_cast<double>(mixed(mixed(seed_ * 4 + d) + rank) >> 11U) * 0x1p-53;
  }
  static double apart(double a, double b) {
    const double straight = std::abs(a - b);
    return std::min(straight, 1 - straight);
  }
  unsigned cell_in(double x) const { return std::min(side_ - 1, static_cast<unsigned>(x * side_)); }

  // The points of the layer and those so close to it that they may talk to some of these, by cell.
  void find_points() {
    const double low = static_cast<double>(layer_) / layers_;
    const double high = static_cast<double>(layer_ + 1) / layers_;
    points_.clear();
    for (Rank rank = 0; rank < ranks(); ++rank) {
      const double z = coordinate(rank, 2);
      const bool inside = z >= low && z < high;
      if (!inside && std::min(apart(z, low), apart(z, high)) > radius_) continue;
      const double x = coordinate(rank, 0);
      const double y = coordinate(rank, 1);
      points_.push_back({rank, {x, y, z}, inside, cell_in(x) * side_ + cell_in(y)});
    }
    std::stable_sort(points_.begin(), points_.end(),
                     [](const Point& a, const Point& b) { return a.cell < b.cell; });
    first_.assign(std::size_t{side_} * side_ + 1, 0);
    for (const Point& point : points_) ++first_[point.cell + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  }

  void talk(const Point& point, std::vector<TrafficEntry>& entries) const {
    const unsigned x = point.cell / side_;
    const unsigned y = point.cell % side_;
    const unsigned around = std::min(3U, side_);  // cells, in either dimension
    for (unsigned i = 0; i < around; ++i) {
      for (unsigned j = 0; j < around; ++j) {
        const unsigned cell =
            (x + i + side_ - around / 2) % side_ * side_ + (y + j + side_ - around / 2) % side_;
        for (std::size_t k = first_[cell]; k < first_[cell + 1]; ++k)
          meet(point, points_[k], entries);
      }
    }
  }

  void meet(const Point& a, const Point& b, std::vector<TrafficEntry>& entries) const {
    if (a.rank >= b.rank) return;
    double squares = 0;
    for (unsigned d = 0; d < 3; ++d) {
      const double distance = apart(a.at[d], b.at[d]);
      squares += distance * distance;
    }
    if (squares > radius_ * radius_) return;
    const std::uint64_t pair = std::uint64_t{a.rank} << 32U | b.rank;
    entries.push_back({a.rank, b.rank, 1 + mixed(pair ^ seed_) % kMostBytes});
  }

  std::uint64_t seed_;
  double radius_;
  unsigned side_;  // cells in each of two dimensions
  unsigned layers_;
  unsigned layer_ = 0;
  unsigned end_ = 0;
  std::vector<Point> points_;
  std::vector<std::size_t> first_;  // by cell
};

[[noreturn]] void fail(std::string_view text) {
  throw Error(ErrorKind::bad_input,
              fmt::format("traffic {} is none that can be generated; there are stencil3d:AxBxC, as "
                          "stencil3d:64x64x32, and geometric:N, with 2 to {} ranks in all",
                          excerpt(text), kMaxRanks));
}

std::array<std::uint64_t, 3> parse_shape(std::string_view shape, std::string_view text) {
  std::array<std::uint64_t, 3> extents{};
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const std::size_t cross = d + 1 < extents.size() ? shape.find('x') : shape.size();
    const auto extent = parse_number<Rank>(shape.substr(0, cross));
    if (cross == std::string_view::npos || !extent || *extent == 0 || *extent > kMaxRanks)
      fail(text);
    extents[d] = *extent;
    shape.remove_prefix(std::min(cross + 1, shape.size()));
  }
  return extents;
}

}  // namespace

std::unique_ptr<TrafficSource> generate_traffic_part(std::string_view text, std::uint64_t seed,
                                                     PartOf part) {
  constexpr std::string_view stencil = "stencil3d:";
  constexpr std::string_view geometric = "geometric:";
  if (text.substr(0, stencil.size()) == stencil) {
    const auto shape = parse_shape(text.substr(stencil.size()), text);
    // One after the other, so that no product overflows.
    if (shape[0] * shape[1] > kMaxRanks) fail(text);
    const std::uint64_t ranks = shape[0] * shape[1] * shape[2];
    if (ranks < 2 || ranks > kMaxRanks) fail(text);
    return std::make_unique<Stencil>(shape, seed, part);
  }
  if (text.substr(0, geometric.size()) == geometric) {
    const auto ranks = parse_number<Rank>(text.substr(geometric.size()));
    if (!ranks || *ranks < 2 || *ranks > kMaxRanks) fail(text);
    return std::make_unique<Geometric>(*ranks, seed, part);
  }
  fail(text);
}

}  // namespace tofa
