// SPDX-License-Identifier: BSD-3-Clause
// A tree or fat tree as pictures draw it: switches above the same nodes, as fat trees have them,
// taken together, which makes it a tree in which every group has one parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tofa/topology.hpp"

namespace tofa::cli {

// Vertices above the same nodes, on the same level.
struct TreeGroup {
  std::vector<std::uint32_t> vertices;
  std::vector<Node> nodes;            // all that are below
  std::vector<std::size_t> children;  // groups
  std::vector<Link> up;               // both ways, to the group above
  std::size_t parent = SIZE_MAX;
  unsigned height = 0;  // 0 for a node
};

// Groups in an order in which children come before their parents; the top one is last. For
// networks whose links lead up and down.
std::vector<TreeGroup> grouped_tree(const Topology& topology);

}  // namespace tofa::cli
