// SPDX-License-Identifier: BSD-3-Clause
// By what there is to keep, and who shares it: see ledger_rule.hpp.
#include "mapping/search/ledger_rule.hpp"

#include <algorithm>

#include "mapping/search/grid_axes.hpp"
#include "mapping/search/pair_cost.hpp"

namespace tofa {
namespace {

// Numbers in all, 4 bytes each: what stays near the processor.
constexpr std::size_t kMostNumbers = std::size_t{1} << 24U;

// Partners per rank from which looking at each of them costs more than the upkeep does.
constexpr double kFewestPartners = 3;

// Of one dimension in which all nodes lie, ranks per node.
constexpr std::size_t kFewestShare = 4;

}  // namespace

bool ledger_serves(const MappingTask& task) {
  if (follows_link_costs(task)) return false;
  const std::size_t entries = task.allocation.size();
  const std::size_t ranks = task.graph.ranks();
  if (task.topology.grid() == nullptr &&
      (entries > GridAxes::kMostInOne || ranks < kFewestShare * entries)) {
    return false;
  }
  return ranks * ledger_width(task) <= kMostNumbers &&
         static_cast<double>(2 * task.graph.pairs()) >=
             kFewestPartners * static_cast<double>(ranks);
}

std::size_t ledger_width(const MappingTask& task) {
  const Grid* grid = task.topology.grid();
  if (grid == nullptr) return task.allocation.size();
  std::size_t width = 0;
  for (std::size_t d = 0; d < grid->dimensions(); ++d)
    width += std::min<std::size_t>(grid->extent(d), task.allocation.size());
  return width;
}

}  // namespace tofa
