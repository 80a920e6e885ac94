// SPDX-License-Identifier: BSD-3-Clause
// How ranks are put in groups that fill a node: so many groups of so many seats each, and which
// nodes take how many of them. A group is then placed like a rank.
#pragma once

#include <cstdint>
#include <vector>

#include "tofa/place.hpp"

namespace tofa {

struct Grouping {
  unsigned size = 1;
  Allocation nodes;  // slots for groups
  std::uint64_t room = 0;

  std::uint64_t seats() const { return room * size; }
};

// The largest groups that leave few slots over: as large as the nodes of some kind, or what divides
// all nodes.
Grouping choose_grouping(const Allocation& allocation);

// How many ranks each group has. Where not all groups are full, vertices without traffic take the
// seats that stay free; where ranks are left over, all groups have some more.
std::vector<std::uint32_t> sizes_of_groups(const Grouping& grouping, Rank ranks);

}  // namespace tofa
