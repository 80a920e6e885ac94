// SPDX-License-Identifier: BSD-3-Clause
// Routes between the entries of an allocation, each asked of the topology once, as long as there is
// room for them: searches walk the same ones again and again.
#pragma once

#include <span>
#include <vector>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {

class RouteTable {
 public:
  // Entries up to which all pairs have a stretch: 8 MB. Of more, routes are walked every time.
  static constexpr std::size_t kMostEntries = 1024;
  // Links of all routes that are kept: 64 MB. What is asked for later is walked every time.
  static constexpr std::size_t kMostLinks = 16 << 20;

  RouteTable(const Topology& topology, const SeatPlan& plan);

  // The links from one entry to another, in travel order; valid until the next call.
  std::span<const Link> route(std::uint32_t from, std::uint32_t to) {
    if (routes_.empty()) return walk(from, to);
    Stretch& stretch = routes_[from * entries_ + to];
    if (stretch.length == kUnknown) return look_up(from, to, stretch);
    return {links_.data() + stretch.start, stretch.length};
  }
  std::size_t links_kept() const { return links_.size(); }

 private:
  struct Stretch {
    std::uint32_t start = 0;
    std::uint32_t length = kUnknown;
  };
  static constexpr std::uint32_t kUnknown = 0xffffffff;

  std::span<const Link> walk(std::uint32_t from, std::uint32_t to);
  std::span<const Link> look_up(std::uint32_t from, std::uint32_t to, Stretch& stretch);

  const Topology& topology_;
  const SeatPlan& plan_;
  std::size_t entries_;
  std::vector<Stretch> routes_;  // by pair of entries; none when there are too many pairs
  std::vector<Link> links_;
  std::vector<Link> walked_;
};

}  // namespace tofa
