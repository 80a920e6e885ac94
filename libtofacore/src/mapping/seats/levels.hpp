// SPDX-License-Identifier: BSD-3-Clause
// The levels of a machine whose distances are those of a tree: trees, fat trees, a single switch,
// and networks of cables that are laid like one. Two entries that part at a level are equally far
// apart, whichever they are; so the cost of a mapping is the traffic that crosses between groups of
// each level, times what the level adds to the distance, and nothing else counts.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "mapping/seats/seat_plan.hpp"

namespace tofa {

struct MachineLevels {
  // Hops between two entries that are in one group of a level, and in none of the levels below;
  // ascending. Level 0 joins the entries that are nearest to each other, the last level joins all.
  std::vector<unsigned> hops;
  // By level and entry: its group, numbered from 0 in the order of the allocation.
  std::vector<std::vector<std::uint32_t>> group;

  std::size_t count() const { return hops.size(); }

  // Nothing where distances between the entries are not those of a tree.
  static std::optional<MachineLevels> of(const Topology& topology, const SeatPlan& plan);
  // The tree that is most like the network, found in no time; nothing where it is like none. Groups
  // have the numbers that they have there.
  static std::optional<MachineLevels> roughly(const Topology& topology, const SeatPlan& plan);
};

// The same, looked for when somebody asks first, from either lane, and kept: many ask whether there
// are levels at all.
class KnownLevels {
 public:
  // Both have to live as long.
  KnownLevels(const Topology& topology, const Allocation& allocation)
      : topology_(topology), allocation_(allocation) {}

  // Null where distances are not those of a tree. Entries are those of the allocation.
  const MachineLevels* get() const;

 private:
  const Topology& topology_;
  const Allocation& allocation_;
  mutable std::once_flag looked_for_;
  mutable std::optional<MachineLevels> levels_;
};

using Entries = std::vector<std::uint32_t>;

std::uint64_t seats_of(const SeatPlan& plan, const Entries& entries);

// The groups that a group of entries has at the level below `level`.
std::vector<Entries> children_of(const MachineLevels& levels, const Entries& entries,
                                 std::size_t level);

// Entries with seats for `wanted` ranks, in as few groups as can be.
Entries choose_entries(const MachineLevels& levels, const SeatPlan& plan, std::uint64_t wanted);

}  // namespace tofa
