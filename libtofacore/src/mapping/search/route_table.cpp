// SPDX-License-Identifier: BSD-3-Clause
// Looking up routes: see route_table.hpp.
#include "mapping/search/route_table.hpp"

namespace tofa {

RouteTable::RouteTable(const Topology& topology, const SeatPlan& plan)
    : topology_(topology), plan_(plan), entries_(plan.entries()) {
  if (entries_ <= kMostEntries) routes_.resize(entries_ * entries_);
}

std::span<const Link> RouteTable::walk(std::uint32_t from, std::uint32_t to) {
  walked_.clear();
  topology_.route(plan_.node(from), plan_.node(to), walked_);
  return walked_;
}

std::span<const Link> RouteTable::look_up(std::uint32_t from, std::uint32_t to, Stretch& stretch) {
  const auto found = walk(from, to);
  if (links_.size() + found.size() > kMostLinks) return found;
  stretch.start = static_cast<std::uint32_t>(links_.size());
  stretch.length = static_cast<std::uint32_t>(found.size());
  links_.insert(links_.end(), found.begin(), found.end());
  return found;
}

}  // namespace tofa
