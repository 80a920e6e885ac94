// SPDX-License-Identifier: BSD-3-Clause
// A tree of switches with the nodes below them, as irregular as it likes. The route goes up to the
// first switch that both nodes are below, and down again.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tofa/topology.hpp"
#include "topology/switch_list.hpp"

namespace tofa {

// The tree that the entries describe, in any order. Throws Error, with `file` and the line of an
// entry, unless they are one tree in which every switch has something below it.
std::unique_ptr<Topology> make_tree_topology(const std::vector<SwitchEntry>& entries,
                                             const std::string& file, double hop_cost);

}  // namespace tofa
