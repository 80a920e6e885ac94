// SPDX-License-Identifier: BSD-3-Clause
// Slurm's topology/block: blocks of nodes, and how many nodes those blocks have that are made of
// neighbouring blocks. That is a tree, in which a block is a switch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "topology/switch_list.hpp"

namespace tofa {

// Adds the switches above the blocks, which are in Slurm's order. Of `sizes`, in nodes, the first
// is that of a block, and each next one a power of two larger than the one before it; there may be
// none. `fail` does not return.
void add_larger_blocks(std::vector<SwitchEntry>& blocks, const std::vector<std::uint64_t>& sizes,
                       const std::function<void(const std::string&)>& fail);

}  // namespace tofa
