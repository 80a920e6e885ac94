// SPDX-License-Identifier: BSD-3-Clause
// Grids of ranks in tiles, of traffic that is spread over processes: see parallel.hpp. What finds
// shapes is the same as for one process.
#include <utility>

#include "mapping/tools/tiling.hpp"
#include "tofa/parallel.hpp"

namespace tofa {

std::vector<double> border_traffic(const RankRows& rows, const GuestGrid& grid) {
  BorderTraffic borders(grid);
  for (std::size_t row = 0; row < rows.ranks.size(); ++row) {
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      borders.add(grid.positions[rows.ranks[row]], grid.positions[rows.partners[i]],
                  static_cast<double>(rows.bytes[i]));
    }
  }
  return std::move(borders.crossings());
}

std::vector<std::uint32_t> find_tiles(const GuestGrid& grid, const std::vector<double>& borders,
                                      unsigned size) {
  BorderTraffic traffic(grid);
  traffic.crossings() = borders;
  std::vector<GuestGrid> tiles = tilings(grid, traffic, size, 1);
  if (tiles.empty()) return {};
  return std::move(tiles.front().positions);
}

}  // namespace tofa
