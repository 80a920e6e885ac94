// SPDX-License-Identifier: BSD-3-Clause
// Fills the table of distances: see grid_distances.hpp.
#include "mapping/search/grid_distances.hpp"

#include <cstdlib>
#include <limits>

namespace tofa {
namespace {

constexpr std::size_t kMaxTable = 1U << 25U;

}  // namespace

std::optional<GridDistances> GridDistances::of(const Topology& topology) {
  const Grid* grid = topology.grid();
  if (grid == nullptr) return std::nullopt;
  GridDistances result;
  result.table_.assign(1, 0);
  unsigned diameter = 0;
  for (std::size_t d = 0; d < grid->dimensions(); ++d) {
    const auto extent = static_cast<int>(grid->extent(d));
    const std::vector<std::uint8_t> inner = std::move(result.table_);
    result.stride_.push_back(static_cast<std::int32_t>(inner.size()));
    diameter += grid->furthest(d);
    if (inner.size() * (2 * std::size_t{grid->extent(d)} - 1) > kMaxTable) return std::nullopt;
    if (diameter > std::numeric_limits<std::uint8_t>::max()) return std::nullopt;
    result.table_.clear();
    for (int offset = 1 - extent; offset < extent; ++offset) {
      const int hops = grid->apart(d, 0, std::abs(offset));
      for (const std::uint8_t rest : inner) {
        result.table_.push_back(static_cast<std::uint8_t>(rest + hops));
      }
    }
  }
  return result;
}

}  // namespace tofa
