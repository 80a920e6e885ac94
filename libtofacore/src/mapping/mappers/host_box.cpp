// SPDX-License-Identifier: BSD-3-Clause
// Boxes and shifts: see host_box.hpp.
#include "mapping/mappers/host_box.hpp"

#include <algorithm>
#include <limits>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {
namespace {

// How many cells all tried shifts may look at together.
constexpr std::size_t kMaxShiftWork = 20'000'000;

}  // namespace

std::optional<HostBox> HostBox::of(const MappingTask& task, double least) {
  const Grid* whole = task.topology.grid();
  if (whole == nullptr) return std::nullopt;
  const std::size_t dimensions = whole->dimensions();
  std::vector<unsigned> low(whole->shape());
  std::vector<unsigned> high(dimensions, 0);
  unsigned slots = std::numeric_limits<unsigned>::max();
  for (const AllocationEntry& entry : task.allocation) {
    const std::vector<unsigned> at = task.topology.coordinates(entry.node);
    for (std::size_t d = 0; d < dimensions; ++d) {
      low[d] = std::min(low[d], at[d]);
      high[d] = std::max(high[d], at[d]);
    }
    slots = std::min({slots, entry.slots, task.graph.ranks()});
  }
  std::vector<unsigned> extent(dimensions);
  std::vector<bool> wraps(dimensions);
  std::size_t volume = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    extent[d] = high[d] - low[d] + 1;
    wraps[d] = whole->wraps(d) && extent[d] == whole->extent(d);
    volume *= extent[d];
  }
  if (static_cast<double>(task.allocation.size()) < least * static_cast<double>(volume)) {
    return std::nullopt;
  }
  if (slots > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  HostBox box(Grid(extent, wraps), slots);
  box.full_ = task.allocation.size() == volume;
  for (const AllocationEntry& entry : task.allocation) {
    std::vector<unsigned> at = task.topology.coordinates(entry.node);
    for (std::size_t d = 0; d < dimensions; ++d) at[d] -= low[d];
    box.node_at_[box.grid_.position(at)] = entry.node;
  }
  return box;
}

std::size_t HostBox::index(const Cell& cell, const Shift& shift) const {
  std::array<unsigned, Grid::kMostDimensions> at{};
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
    at[d] = cell[d] + shift.by[d];
    if (at[d] >= grid_.extent(d)) at[d] -= grid_.extent(d);
  }
  return grid_.position(at);
}

std::size_t HostBox::misses(const std::vector<Cell>& cells, const Shift& shift,
                            std::size_t most) const {
  std::size_t count = 0;
  for (const Cell& cell : cells) {
    count += node_at_[index(cell, shift)] == kNoNode ? 1 : 0;
    if (count > most) break;
  }
  return count;
}

HostBox::Shift HostBox::best_shift(const std::vector<Cell>& cells) const {
  Shift best;
  std::size_t fewest = misses(cells, best, cells.size());
  Cell high{};
  for (const Cell& cell : cells) {
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) high[d] = std::max(high[d], cell[d]);
  }
  // In a ring every shift is possible, elsewhere those that stay inside.
  const auto shifts = [&](std::size_t d) {
    return grid_.wraps(d) ? grid_.extent(d) : grid_.extent(d) - high[d];
  };
  Shift shift;
  for (std::size_t work = 0; fewest > 0 && work < kMaxShiftWork; work += cells.size()) {
    std::size_t d = 0;
    while (d < grid_.dimensions() && ++shift.by[d] >= shifts(d)) shift.by[d++] = 0;
    if (d == grid_.dimensions()) break;
    const std::size_t count = misses(cells, shift, fewest);
    if (count < fewest) {
      fewest = count;
      best = shift;
    }
  }
  return best;
}

std::size_t HostBox::fewest_misses(const std::vector<Cell>& cells) const {
  return misses(cells, best_shift(cells), cells.size());
}

Mapping HostBox::settle(const std::vector<Cell>& cells, const MappingTask& task) const {
  const Shift shift = best_shift(cells);
  Mapping mapping;
  mapping.reserve(cells.size());
  for (const Cell& cell : cells) mapping.push_back(node_at_[index(cell, shift)]);
  repair_slots(mapping, task.topology, task.allocation);
  return mapping;
}

}  // namespace tofa
