// SPDX-License-Identifier: BSD-3-Clause
// Fills the table of distances: see grid_distances.hpp.
#include "mapping/grid_distances.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace tofa {
namespace {

constexpr std::size_t kMaxTable = 1U << 25U;

}  // namespace

std::optional<GridDistances> GridDistances::of(const Topology& topology) {
  const std::vector<unsigned> shape = topology.shape();
  if (shape.empty()) return std::nullopt;
  const std::vector<bool> wraps = topology.wraps();
  GridDistances result;
  result.table_.assign(1, 0);
  unsigned diameter = 0;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto extent = static_cast<int>(shape[d]);
    const std::vector<std::uint8_t> inner = std::move(result.table_);
    result.stride_.push_back(static_cast<std::int32_t>(inner.size()));
    diameter += wraps[d] ? shape[d] / 2 : shape[d] - 1;
    if (inner.size() * (2 * std::size_t{shape[d]} - 1) > kMaxTable) return std::nullopt;
    if (diameter > std::numeric_limits<std::uint8_t>::max()) return std::nullopt;
    result.table_.clear();
    for (int offset = 1 - extent; offset < extent; ++offset) {
      const int apart = std::abs(offset);
      const int hops = wraps[d] ? std::min(apart, extent - apart) : apart;
      for (const std::uint8_t rest : inner) {
        result.table_.push_back(static_cast<std::uint8_t>(rest + hops));
      }
    }
  }
  return result;
}

}  // namespace tofa
