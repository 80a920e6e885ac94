// SPDX-License-Identifier: BSD-3-Clause
// From a list of switches, each with what is below it, to a tree: every mistake a file can make on
// the way is found here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tofa/types.hpp"

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

// Vertices are the nodes, then the switches; the top switch is the last one and has no parent.
struct SwitchTree {
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
  std::vector<std::uint32_t> parent;
};

// Throws Error as make_tree_topology does.
SwitchTree connect_switches(const std::vector<SwitchEntry>& entries, const std::string& file);

}  // namespace tofa
