// SPDX-License-Identifier: BSD-3-Clause
// A tree of switches with the nodes below them, as irregular as it likes. The route goes up to the
// first switch that both nodes are below, and down again.
#pragma once

#include <string>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa {

// A switch as files list it: what hangs directly below it. `line` is for messages.
struct SwitchEntry {
  std::string name;
  std::size_t line = 0;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
};

// Levels of switches at most; more than any machine has, and it finds switches below themselves.
inline constexpr unsigned kMostTreeLevels = 64;

// The tree that the entries describe, in any order. Throws Error, with `file` and the line of an
// entry, unless they are one tree in which every switch has something below it.
std::unique_ptr<Topology> make_tree_topology(const std::vector<SwitchEntry>& entries,
                                             const std::string& file, double hop_cost);

}  // namespace tofa
