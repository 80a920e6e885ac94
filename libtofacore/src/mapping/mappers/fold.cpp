// SPDX-License-Identifier: BSD-3-Clause
// fold: lays the grid that the ranks form, or their plain order, into the grid of nodes the way
// cloth is folded (mappers/folding.hpp); where nodes have several slots, also the grids of tiles
// that fill a node.
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/mappers/folding.hpp"
#include "mapping/tools/tiling.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {
namespace {

// What is laid best in a lane.
struct Laid {
  double cost = HUGE_VAL;
  std::size_t order = 0;  // of equals the first counts
  std::vector<Cell> cells;
};

Mapping map_fold(const MappingTask& task) {
  constexpr std::size_t most_tilings = 4;
  // What has awkward extents fits by few plans only, which may come late.
  constexpr double patience = 2;
  const auto box = HostBox::of(task);
  if (!box || !box->holds_together()) return linear_mapping(task.allocation, task.graph.ranks());
  const unsigned slots = box->extent(box->dimensions() - 1);
  const GuestGrid& guest = task.recognised->grid();
  const std::vector<GuestGrid> tiles = tilings(task.graph, guest, slots, most_tilings);
  std::array<Laid, kLanes> best;
  run_lanes([&](unsigned lane) {
    // All tiles, and then ranks themselves.
    for (std::size_t i = lane; i <= tiles.size(); i += kLanes) {
      const GuestGrid& grid = i < tiles.size() ? tiles[i] : guest;
      Folder folder(*box, grid, i < tiles.size() ? 1 : slots, sample_pairs(task.graph, grid),
                    patience * task.seconds);
      const double cost = folder.search();
      if (cost < best[lane].cost) best[lane] = {cost, i, folder.cells()};
    }
  });
  const Laid& found = std::tie(best[1].cost, best[1].order) < std::tie(best[0].cost, best[0].order)
                          ? best[1]
                          : best[0];
  if (found.cells.empty()) return linear_mapping(task.allocation, task.graph.ranks());
  return box->settle(found.cells, task);
}

// Not where what ranks form has nothing to do with a grid.
bool fold_is_candidate(const MappingTask& task) {
  return task.topology.grid() != nullptr && !group_is_called_for(task);
}

}  // namespace

extern constexpr Mapper kFoldMapper{"fold", map_fold, fold_is_candidate, Turn::first};

}  // namespace tofa
