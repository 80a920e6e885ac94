// SPDX-License-Identifier: BSD-3-Clause
// Calls to the SCOTCH library, seeded, single-threaded and repaired so that the answer respects the
// slots.
#pragma once

#include "mapping/mapper.hpp"

namespace tofa {

// Maps onto the nodes of `allocation` with SCOTCH's architecture that describes the topology,
// restricted to them: torus, mesh or tree where it is one, else a decomposition of the network
// where that is small enough; beyond, all nodes are taken to be equally far apart.
Mapping scotch_onto_topology(const MappingTask& task, const Allocation& allocation);

// Maps onto the complete graph of the allocated nodes with edges weighted by equation 1, the way
// the TOFA paper does. Needs memory and time quadratic in the number of nodes. Throws Error (unmet)
// above `kMaxCompleteGraph` nodes.
Mapping scotch_onto_complete_graph(const MappingTask& task, const Allocation& allocation);

inline constexpr std::size_t kMaxCompleteGraph = 2048;

// About how long scotch_onto_topology takes.
double scotch_seconds(const MappingTask& task);

}  // namespace tofa
