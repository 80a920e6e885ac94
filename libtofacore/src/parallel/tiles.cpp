// SPDX-License-Identifier: BSD-3-Clause
// Grids of ranks in tiles, of traffic that is spread over processes: see parallel.hpp. What finds
// grids and shapes is the same as for one process.
#include <utility>

#include "mapping/tools/tiling.hpp"
#include "tofa/parallel.hpp"

namespace tofa {
namespace {

static_assert(kMostPartnersInGrid == kMaxGuestPartners);

GuestGrid guest_of(const RankGrid& grid) {
  return {grid.shape, {grid.wraps.begin(), grid.wraps.end()}, grid.positions};
}

}  // namespace

RankGrid find_grid(const std::vector<std::uint8_t>& degrees, const std::vector<Rank>& partners) {
  auto guest = recognise_grid(degrees, partners);
  if (!guest) return {};
  return {std::move(guest->shape),
          {guest->wraps.begin(), guest->wraps.end()},
          std::move(guest->positions)};
}

std::vector<double> border_traffic(const RankRows& rows, const RankGrid& grid) {
  const GuestGrid shape{grid.shape, {grid.wraps.begin(), grid.wraps.end()}, {}};
  BorderTraffic borders(shape);
  for (std::size_t row = 0; row < rows.ranks.size(); ++row) {
    for (std::uint64_t i = rows.offsets[row]; i < rows.offsets[row + 1]; ++i) {
      borders.add(grid.positions[rows.ranks[row]], grid.positions[rows.partners[i]],
                  static_cast<double>(rows.bytes[i]));
    }
  }
  return std::move(borders.crossings());
}

std::vector<std::uint32_t> find_tiles(const RankGrid& grid, const std::vector<double>& borders,
                                      unsigned size) {
  const GuestGrid guest = guest_of(grid);
  BorderTraffic traffic(guest);
  traffic.crossings() = borders;
  if (size < 2 || grid.positions.size() <= size) return {};
  std::vector<GuestGrid> tiles = tilings(guest, traffic, size, 1);
  if (tiles.empty()) return {};
  return std::move(tiles.front().positions);
}

}  // namespace tofa
