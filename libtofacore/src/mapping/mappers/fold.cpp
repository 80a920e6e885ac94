// SPDX-License-Identifier: BSD-3-Clause
// fold: lays the grid that the ranks form, or their plain order, into the grid of nodes the way
// cloth is folded (mappers/folding.hpp); where nodes have several slots, also the grids of tiles
// that fill a node.
#include <cmath>

#include "mapping/mapper.hpp"
#include "mapping/mappers/folding.hpp"
#include "mapping/tools/tiling.hpp"
#include "tofa/guest_grid.hpp"

namespace tofa {
namespace {

Mapping map_fold(const MappingTask& task) {
  constexpr std::size_t most_tilings = 4;
  // What has awkward extents fits by few plans only, which may come late.
  constexpr double patience = 2;
  const auto box = HostBox::of(task);
  if (!box || !box->holds_together()) return linear_mapping(task.allocation, task.graph.ranks());
  const unsigned slots = box->extent(box->dimensions() - 1);
  const GuestGrid& guest = task.recognised->grid();
  std::vector<Cell> best;
  double least = HUGE_VAL;
  const auto lay = [&](const GuestGrid& grid, unsigned slots_of_grid) {
    Folder folder(*box, grid, slots_of_grid, sample_pairs(task.graph, grid),
                  patience * task.seconds);
    const double cost = folder.search();
    if (cost >= least) return;
    least = cost;
    best = folder.cells();
  };
  for (const GuestGrid& tiles : tilings(task.graph, guest, slots, most_tilings)) lay(tiles, 1);
  lay(guest, slots);
  if (best.empty()) return linear_mapping(task.allocation, task.graph.ranks());
  return box->settle(best, task);
}

bool fold_is_candidate(const MappingTask& task) {
  return task.topology.grid() != nullptr;
}

}  // namespace

extern constexpr Mapper kFoldMapper{"fold", map_fold, fold_is_candidate, Turn::first};

}  // namespace tofa
