// SPDX-License-Identifier: BSD-3-Clause
// Looking up routes: see route_table.hpp.
#include "mapping/route_table.hpp"

namespace tofa {
namespace {

// Places up to which all pairs have an entry: 8 MB.
constexpr std::size_t kMostPlaces = 1024;

}  // namespace

RouteTable::RouteTable(const Topology& topology, const SeatPlan& plan)
    : topology_(topology), plan_(plan), places_(plan.places()) {
  if (places_ <= kMostPlaces) routes_.resize(places_ * places_);
}

std::span<const Link> RouteTable::walk(std::uint32_t from, std::uint32_t to) {
  walked_.clear();
  topology_.route(plan_.node(from), plan_.node(to), walked_);
  return walked_;
}

void RouteTable::look_up(std::uint32_t from, std::uint32_t to, Entry& entry) {
  const auto found = walk(from, to);
  entry.start = static_cast<std::uint32_t>(links_.size());
  entry.length = static_cast<std::uint32_t>(found.size());
  links_.insert(links_.end(), found.begin(), found.end());
}

}  // namespace tofa
