// SPDX-License-Identifier: BSD-3-Clause
// For each rank all offsets of a stencil. MPI counts the last dimension fastest (MPI 4.0, 8.2).
#include "tofa/grid_traffic.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "tofa/error.hpp"
#include "tofa/text.hpp"

namespace tofa {
namespace {

constexpr std::string_view kPrefix = "grid:";
// Entries of 16 bytes: 4 GiB.
constexpr std::uint64_t kMostEntries = std::uint64_t{1} << 28;

constexpr std::size_t kMostDimensions = 6;

using Offset = std::vector<int>;

std::uint64_t power_of_three(std::size_t exponent) {
  std::uint64_t power = 1;
  for (std::size_t i = 0; i < exponent; ++i) power *= 3;
  return power;
}

unsigned points_of_star(std::size_t dimensions) {
  return static_cast<unsigned>(2 * dimensions + 1);
}

// All neighbours by their offsets of -1, 0 and 1, the point itself left out.
std::vector<Offset> offsets_of(std::size_t dimensions, bool box) {
  std::vector<Offset> offsets;
  for (std::uint64_t number = 0; number < power_of_three(dimensions); ++number) {
    Offset offset(dimensions);
    std::uint64_t rest = number;
    for (int& step : offset) {
      step = static_cast<int>(rest % 3) - 1;
      rest /= 3;
    }
    const auto moved = std::count_if(offset.begin(), offset.end(), [](int s) { return s != 0; });
    if (moved == 1 || (box && moved > 1)) offsets.push_back(std::move(offset));
  }
  return offsets;
}

std::optional<Rank> neighbour(const GridTraffic& grid, const std::vector<unsigned>& at,
                              const Offset& offset) {
  Rank rank = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    const auto extent = static_cast<int>(grid.shape[d]);
    const int to = static_cast<int>(at[d]) + offset[d];
    if ((to < 0 || to >= extent) && !grid.periodic) return std::nullopt;
    rank = rank * grid.shape[d] + static_cast<Rank>((to + extent) % extent);
  }
  return rank;
}

// To the next rank's coordinates.
void advance(std::vector<unsigned>& at, const std::vector<unsigned>& shape) {
  for (std::size_t d = at.size(); d-- > 0;) {
    if (++at[d] < shape[d]) return;
    at[d] = 0;
  }
}

[[noreturn]] void refuse(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::bad_input, name, 0, why);
}

std::vector<unsigned> parse_shape(std::string_view text, const std::string& name) {
  std::vector<unsigned> shape;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto extent = parse_number<unsigned>(text.substr(begin, end - begin));
    if (!extent) {
      refuse(name, fmt::format("{} is no shape; write extents with x between, e.g. grid:8x8x8",
                               excerpt(text)));
    }
    shape.push_back(*extent);
    begin = end + 1;
  }
  return shape;
}

std::optional<Bytes> value_of(std::string_view word, std::string_view key) {
  if (!word.starts_with(key) || !word.substr(key.size()).starts_with('=')) return std::nullopt;
  return parse_number<Bytes>(word.substr(key.size() + 1));
}

void set_property(GridTraffic& grid, std::string_view word, const std::string& name) {
  constexpr Bytes most_points = std::numeric_limits<unsigned>::max();
  if (word == "periodic") {
    grid.periodic = true;
  } else if (const Bytes points = value_of(word, "stencil").value_or(0);
             points > 0 && points <= most_points) {
    grid.stencil = static_cast<unsigned>(points);
  } else if (const auto bytes = value_of(word, "bytes")) {
    grid.bytes = *bytes;
  } else {
    refuse(name, fmt::format("{} is no property of a grid; known are periodic, stencil=POINTS and "
                             "bytes=N, with colons between",
                             excerpt(word)));
  }
}

}  // namespace

bool names_grid(std::string_view name) {
  return name.starts_with(kPrefix);
}

GridTraffic parse_grid_traffic(std::string_view text, const std::string& name) {
  if (names_grid(text)) text.remove_prefix(kPrefix.size());
  GridTraffic grid;
  std::size_t end = std::min(text.find(':'), text.size());
  grid.shape = parse_shape(text.substr(0, end), name);
  while (end < text.size()) {
    const std::size_t begin = end + 1;
    end = std::min(text.find(':', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    set_property(grid, word, name);
  }
  return grid;
}

Traffic grid_traffic(const GridTraffic& wanted, const std::string& name) {
  const std::size_t dimensions = wanted.shape.size();
  if (dimensions < 1 || dimensions > kMostDimensions)
    refuse(name, fmt::format("a grid has 1 to {} dimensions", kMostDimensions));
  std::uint64_t ranks = 1;
  for (const unsigned extent : wanted.shape) {
    ranks *= extent;
    if (extent == 0 || ranks > kMaxRanks) {
      refuse(name,
             fmt::format("the extents of a grid are at least 1, its ranks at most {}", kMaxRanks));
    }
  }
  if (wanted.bytes == 0)
    refuse(name, "neighbours that exchange nothing are none; bytes are at least 1");
  const unsigned star = points_of_star(dimensions);
  const auto box = static_cast<unsigned>(power_of_three(dimensions));
  if (wanted.stencil != 0 && wanted.stencil != star && wanted.stencil != box) {
    refuse(name,
           fmt::format("no stencil of {} points in {} dimensions; there are {} (across faces) "
                       "and {} (across edges and corners, too)",
                       wanted.stencil, dimensions, star, box));
  }
  const auto offsets = offsets_of(dimensions, wanted.stencil == box && box != star);
  if (ranks * offsets.size() > kMostEntries) {
    refuse(name, fmt::format("{} ranks with {} neighbours each are too many; at most {} in all",
                             ranks, offsets.size(), kMostEntries));
  }

  Traffic traffic{static_cast<Rank>(ranks), {}, {}};
  traffic.entries.reserve(ranks * offsets.size());
  std::vector<unsigned> at(dimensions);
  for (Rank rank = 0; rank < traffic.ranks; ++rank, advance(at, wanted.shape)) {
    for (const Offset& offset : offsets) {
      const auto partner = neighbour(wanted, at, offset);
      if (partner && *partner != rank) traffic.entries.push_back({rank, *partner, wanted.bytes});
    }
  }
  traffic.normalise();
  traffic.metadata = fmt::format(
      R"({{"version":1,"ranks":{},"quantity":"bytes","command":"grid:{}{}:stencil={}:bytes={}"}})",
      ranks, fmt::join(wanted.shape, "x"), wanted.periodic ? ":periodic" : "",
      wanted.stencil == 0 ? star : wanted.stencil, wanted.bytes);
  return traffic;
}

}  // namespace tofa
