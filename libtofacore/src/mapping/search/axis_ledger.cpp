// SPDX-License-Identifier: BSD-3-Clause
// Keeping a ledger: see axis_ledger.hpp.
#include "mapping/search/axis_ledger.hpp"

namespace tofa {
namespace {

// Numbers in all, 4 bytes each: what stays near the processor.
constexpr std::size_t kMostNumbers = std::size_t{1} << 24U;

// Partners per rank from which looking at each of them costs more than the upkeep does.
constexpr double kFewestPartners = 3;

}  // namespace

bool AxisLedger::serves(const MappingTask& task) {
  const Grid* grid = task.topology.grid();
  if (grid == nullptr || follows_link_costs(task)) return false;
  std::size_t width = 0;
  for (std::size_t d = 0; d < grid->dimensions(); ++d) width += grid->extent(d);
  const std::size_t ranks = task.graph.ranks();
  return ranks * width <= kMostNumbers && static_cast<double>(2 * task.graph.pairs()) >=
                                              kFewestPartners * static_cast<double>(ranks);
}

AxisLedger::AxisLedger(const SearchSpace& space, const Seating& seating,
                       const std::vector<Rank>& ranks)
    : space_(space),
      axes_(*space.axes()),
      width_(axes_.width()),
      cost_(width_ * space.task().graph.ranks()),
      shift_(width_) {
  for (const Rank rank : ranks) {
    std::int32_t* mine = &cost_[rank * width_];
    for (const auto& [partner, weight] : space.partners(rank)) {
      const std::uint16_t* there = axes_.at(seating.entry(partner));
      for (std::size_t d = 0; d < axes_.dimensions(); ++d) {
        const std::int32_t* hops = axes_.hops(there[d]);
        const std::uint32_t begin = axes_.begin(d);
        const std::uint32_t extent = axes_.begin(d + 1) - begin;
        for (std::uint32_t i = 0; i < extent; ++i) mine[begin + i] += weight * hops[i];
      }
    }
  }
}

void AxisLedger::move(Rank rank, std::uint32_t from, std::uint32_t to) {
  const std::uint16_t* here = axes_.at(from);
  const std::uint16_t* there = axes_.at(to);
  for (std::size_t d = 0; d < axes_.dimensions(); ++d) {
    if (here[d] == there[d]) continue;
    const std::uint32_t begin = axes_.begin(d);
    const std::uint32_t extent = axes_.begin(d + 1) - begin;
    const std::int32_t* before = axes_.hops(here[d]);
    const std::int32_t* after = axes_.hops(there[d]);
    for (std::uint32_t i = 0; i < extent; ++i) shift_[i] = after[i] - before[i];
    for (const auto& [partner, weight] : space_.partners(rank)) {
      std::int32_t* theirs = &cost_[partner * width_ + begin];
      for (std::uint32_t i = 0; i < extent; ++i) theirs[i] += weight * shift_[i];
    }
  }
}

}  // namespace tofa
