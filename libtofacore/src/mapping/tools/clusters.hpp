// SPDX-License-Identifier: BSD-3-Clause
// Ranks in clusters: the traffic of a job as a graph to be cut, and what the parts exchange.
#pragma once

#include <span>
#include <vector>

#include "mapping/tools/bipartition.hpp"
#include "tofa/comm_graph.hpp"

namespace tofa {

// A vertex for each rank, and more without edges up to `vertices`, all of size 1 and without bias.
PartitionGraph partition_graph(const CommGraph& traffic, std::uint32_t vertices);

// The same of some of the ranks, with what they exchange among themselves; numbers from the ranks
// on are vertices without edges. `local` is scratch: by vertex, and `kNoRank` before and after.
PartitionGraph partition_graph_of(const CommGraph& traffic, std::span<const std::uint32_t> vertices,
                                  std::vector<std::uint32_t>& local);

// Who talks to whom among clusters: `cluster` is by rank, and less than `clusters`; there may be
// more of it than ranks.
CommGraph contracted(const CommGraph& graph, const std::vector<std::uint32_t>& cluster,
                     std::size_t clusters);

// Bytes that go from cluster to cluster, as a share of all, if ranks are joined along the heaviest
// pairs again and again until clusters have `size` ranks or would have more: more than need be, but
// found in no time.
double share_between_clusters(const CommGraph& graph, unsigned size);

}  // namespace tofa
