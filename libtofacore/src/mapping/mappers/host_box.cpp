// SPDX-License-Identifier: BSD-3-Clause
// Boxes and shifts: see host_box.hpp.
#include "mapping/mappers/host_box.hpp"

#include <algorithm>
#include <limits>

#include "mapping/rates.hpp"
#include "mapping/seats/seat_plan.hpp"

namespace tofa {
namespace {

constexpr double kShiftShare = 0.02;  // of the time, for all shifts of an arrangement

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
  HostBox box(Grid(extent, wraps), slots, task.seconds);
  box.full_ = task.allocation.size() == volume;
  for (const AllocationEntry& entry : task.allocation) {
    std::vector<unsigned> at = task.topology.coordinates(entry.node);
    for (std::size_t d = 0; d < dimensions; ++d) at[d] -= low[d];
    Node& node = box.node_at_[box.grid_.position(at)];
    box.nodes_ += node == kNoNode ? 1 : 0;
    node = entry.node;
  }
  return box;
}

bool HostBox::holds_together() const {
  constexpr double least = 0.75;
  std::size_t neighbours = 0;
  std::size_t allocated = 0;
  for (std::uint32_t position = 0; position < grid_.positions(); ++position) {
    if (node_at_[position] == kNoNode) continue;
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
      const unsigned at = grid_.coordinate(position, d);
      const auto next = grid_.moved(d, at, 1);
      if (!next || *next == at) continue;
      ++neighbours;
      allocated += node_at_[position + (*next - at) * grid_.stride(d)] == kNoNode ? 0 : 1;
    }
  }
  return static_cast<double>(allocated) >= least * static_cast<double>(neighbours);
}

std::size_t HostBox::index(const Cell& cell, const Shift& shift) const {
  std::array<unsigned, Grid::kMostDimensions> at{};
  for (std::size_t d = 0; d < grid_.dimensions(); ++d) {
    at[d] = cell[d] + shift.by[d];
    if (at[d] >= grid_.extent(d)) at[d] -= grid_.extent(d);
  }
  return grid_.position(at);
}

// Counts cells that meet no node, and looks at each for a moment only: what a coordinate adds to
// the position is read from a table, from which the shift is a step.
class HostBox::Misses {
 public:
  Misses(const HostBox& box, const std::vector<Cell>& cells)
      : box_(box), cells_(cells), dimensions_(box.grid_.dimensions()) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const unsigned extent = box.grid_.extent(d);
      for (unsigned at = 0; at < 2 * extent; ++at) {
        adds_[d].push_back(at % extent * box.grid_.stride(d));
      }
    }
  }

  std::size_t at(const Shift& shift, std::size_t most) const {
    std::array<const std::uint32_t*, Grid::kMostDimensions> adds{};
    for (std::size_t d = 0; d < dimensions_; ++d) adds[d] = &adds_[d][shift.by[d]];
    std::size_t count = 0;
    for (const Cell& cell : cells_) {
      std::size_t position = 0;
      for (std::size_t d = 0; d < dimensions_; ++d) position += adds[d][cell[d]];
      count += box_.node_at_[position] == kNoNode ? 1 : 0;
      if (count > most) break;
    }
    return count;
  }

 private:
  const HostBox& box_;
  const std::vector<Cell>& cells_;
  std::size_t dimensions_;
  std::array<std::vector<std::uint32_t>, Grid::kMostDimensions> adds_;
};

HostBox::Shift HostBox::best_shift(const std::vector<Cell>& cells) const {
  const Misses misses(*this, cells);
  Shift best;
  std::size_t fewest = misses.at(best, cells.size());
  // So many miss wherever they are, which are all that do where the cells fill the box.
  const std::size_t least = cells.size() > nodes_ ? cells.size() - nodes_ : 0;
  Cell high{};
  for (const Cell& cell : cells) {
    for (std::size_t d = 0; d < grid_.dimensions(); ++d) high[d] = std::max(high[d], cell[d]);
  }
  // In a ring every shift is possible, elsewhere those that stay inside.
  const auto shifts = [&](std::size_t d) {
    return grid_.wraps(d) ? grid_.extent(d) : grid_.extent(d) - high[d];
  };
  Shift shift;
  const double affordable = kShiftShare * seconds_ / rates::kShiftPerCell;
  for (double work = 0; fewest > least && work < affordable;
       work += static_cast<double>(cells.size())) {
    std::size_t d = 0;
    while (d < grid_.dimensions() && ++shift.by[d] >= shifts(d)) shift.by[d++] = 0;
    if (d == grid_.dimensions()) break;
    const std::size_t count = misses.at(shift, fewest);
    if (count < fewest) {
      fewest = count;
      best = shift;
    }
  }
  return best;
}

std::size_t HostBox::fewest_misses(const std::vector<Cell>& cells) const {
  return Misses(*this, cells).at(best_shift(cells), cells.size());
}

Mapping HostBox::settle(const std::vector<Cell>& cells, const MappingTask& task) const {
  const Shift shift = best_shift(cells);
  Mapping mapping;
  mapping.reserve(cells.size());
  for (const Cell& cell : cells) mapping.push_back(node_at_[index(cell, shift)]);
  Mapping wishes;
  if (std::find(mapping.begin(), mapping.end(), kNoNode) != mapping.end()) {
    const std::vector<Node> near = nodes_near();
    for (const Cell& cell : cells) wishes.push_back(near[index(cell, shift)]);
  }
  repair_slots(mapping, task.topology, task.allocation, wishes);
  return mapping;
}

std::vector<Node> HostBox::nodes_near() const {
  std::vector<Node> near = node_at_;
  Node last = *std::find_if(near.rbegin(), near.rend(), [](Node node) { return node != kNoNode; });
  for (Node& node : near) node = last = node == kNoNode ? last : node;
  return near;
}

}  // namespace tofa
