// SPDX-License-Identifier: BSD-3-Clause
// Ranks in the parts of a tree, of which two change places where that brings them nearer to their
// partners. Sizes stay as they are. It is what Kernighan and Lin do between two parts (An efficient
// heuristic procedure for partitioning graphs, 1970), at once between all parts that have the same
// parent, and with downhill steps only: for graphs so large that there is no time for more.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// `parent` is by part, `part` by rank. Ranks look around so often at most, and until `stop`.
void swap_between_siblings(const CommGraph& graph, const std::vector<std::uint32_t>& parent,
                           int passes, const std::function<bool()>& stop,
                           std::vector<std::uint32_t>& part);

}  // namespace tofa
