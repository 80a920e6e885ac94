// SPDX-License-Identifier: BSD-3-Clause
// Ranks in clusters: the traffic of a job as a graph to be cut, and what the parts exchange.
#pragma once

#include <vector>

#include "mapping/tools/bipartition.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

// A vertex for each rank, and more without edges up to `vertices`, all of size 1 and without bias.
PartitionGraph partition_graph(const CommGraph& traffic, std::uint32_t vertices);

// Who talks to whom among clusters: `cluster` is by rank, and less than `clusters`.
CommGraph contracted(const CommGraph& graph, const std::vector<std::uint32_t>& cluster,
                     std::size_t clusters);

}  // namespace tofa
