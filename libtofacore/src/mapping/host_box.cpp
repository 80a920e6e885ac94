// SPDX-License-Identifier: BSD-3-Clause
// Boxes and shifts: see host_box.hpp.
#include "mapping/host_box.hpp"

#include <algorithm>
#include <limits>

#include "mapping/seats.hpp"

namespace tofa {
namespace {

// With fewer allocated nodes in the box than this share, structure is not worth trying.
constexpr double kLeastFilling = 0.5;

// How many cells all tried shifts may look at together.
constexpr std::size_t kMaxShiftWork = 20'000'000;

}  // namespace

std::optional<HostBox> HostBox::of(const MappingTask& task) {
  const std::vector<unsigned> shape = task.topology.shape();
  if (shape.empty()) return std::nullopt;
  const std::vector<bool> wraps = task.topology.wraps();
  std::vector<unsigned> low(shape);
  std::vector<unsigned> high(shape.size(), 0);
  unsigned slots = std::numeric_limits<unsigned>::max();
  for (const NodeSlots& entry : task.allocation) {
    const std::vector<unsigned> at = task.topology.coordinates(entry.node);
    for (std::size_t d = 0; d < shape.size(); ++d) {
      low[d] = std::min(low[d], at[d]);
      high[d] = std::max(high[d], at[d]);
    }
    slots = std::min({slots, entry.slots, task.graph.ranks()});
  }
  HostBox box;
  box.grid_dimensions_ = shape.size();
  std::size_t volume = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    box.extent_.push_back(high[d] - low[d] + 1);
    box.wraps_.push_back(wraps[d] && box.extent_[d] == shape[d]);
    volume *= box.extent_[d];
  }
  if (static_cast<double>(task.allocation.size()) < kLeastFilling * static_cast<double>(volume)) {
    return std::nullopt;
  }
  if (slots > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  box.extent_.push_back(slots);
  box.full_ = task.allocation.size() == volume;
  box.node_at_.assign(volume, kNoNode);
  for (const NodeSlots& entry : task.allocation) {
    const std::vector<unsigned> at = task.topology.coordinates(entry.node);
    Cell cell{};
    for (std::size_t d = 0; d < shape.size(); ++d) {
      cell[d] = static_cast<std::uint16_t>(at[d] - low[d]);
    }
    box.node_at_[box.index(cell, {})] = entry.node;
  }
  return box;
}

std::size_t HostBox::index(const Cell& cell, const Shift& shift) const {
  std::size_t result = 0;
  for (std::size_t d = grid_dimensions_; d-- > 0;) {
    unsigned at = cell[d] + shift.by[d];
    if (at >= extent_[d]) at -= extent_[d];
    result = result * extent_[d] + at;
  }
  return result;
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
    for (std::size_t d = 0; d < grid_dimensions_; ++d) high[d] = std::max(high[d], cell[d]);
  }
  // In a ring every shift is possible, elsewhere those that stay inside.
  const auto shifts = [&](std::size_t d) { return wraps_[d] ? extent_[d] : extent_[d] - high[d]; };
  Shift shift;
  for (std::size_t work = 0; fewest > 0 && work < kMaxShiftWork; work += cells.size()) {
    std::size_t d = 0;
    while (d < grid_dimensions_ && ++shift.by[d] >= shifts(d)) shift.by[d++] = 0;
    if (d == grid_dimensions_) break;
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
