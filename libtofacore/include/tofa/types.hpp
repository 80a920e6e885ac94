// SPDX-License-Identifier: BSD-3-Clause
// The integer types everything else is counted in. Ranks and nodes are dense indices from 0.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace tofa {

using Rank = std::uint32_t;   // an MPI rank
using Node = std::uint32_t;   // a compute node, an index into a Topology
using Link = std::uint32_t;   // a directed link, an index into a Topology
using Bytes = std::uint64_t;  // traffic: bytes, or messages where the graph counts messages

inline constexpr Rank kNoRank = std::numeric_limits<Rank>::max();  // nobody

inline constexpr Node kNoNode = std::numeric_limits<Node>::max();

// mapping[rank] is the node the rank runs on.
using Mapping = std::vector<Node>;

}  // namespace tofa
