// SPDX-License-Identifier: BSD-3-Clause
// Routes between the places of an allocation, each asked of the topology once: searches walk the
// same ones again and again.
#pragma once

#include <span>
#include <vector>

#include "mapping/seats.hpp"

namespace tofa {

class RouteTable {
 public:
  RouteTable(const Topology& topology, const SeatPlan& plan);

  // The links from one place to another, in travel order; valid until the next call.
  std::span<const Link> route(std::uint32_t from, std::uint32_t to) {
    if (routes_.empty()) return walk(from, to);
    Entry& entry = routes_[from * places_ + to];
    if (entry.length == kUnknown) look_up(from, to, entry);
    return {links_.data() + entry.start, entry.length};
  }

 private:
  struct Entry {
    std::uint32_t start = 0;
    std::uint32_t length = kUnknown;
  };
  static constexpr std::uint32_t kUnknown = 0xffffffff;

  std::span<const Link> walk(std::uint32_t from, std::uint32_t to);
  void look_up(std::uint32_t from, std::uint32_t to, Entry& entry);

  const Topology& topology_;
  const SeatPlan& plan_;
  std::size_t places_;
  std::vector<Entry> routes_;  // by pair of places; none when there are too many pairs
  std::vector<Link> links_;
  std::vector<Link> walked_;
};

}  // namespace tofa
