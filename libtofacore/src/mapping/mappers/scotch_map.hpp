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

// Maps onto the allocated nodes with distances weighted by equation 1, the way the TOFA paper does:
// onto the complete graph of the nodes, which takes memory and time quadratic in their number, or,
// above `kMaxCompleteGraph` of them, onto the network itself with its links weighted.
Mapping scotch_onto_fault_weights(const MappingTask& task, const Allocation& allocation);

inline constexpr std::size_t kMaxCompleteGraph = 2048;

// About how long scotch_onto_topology takes.
double scotch_seconds(const MappingTask& task);
// Whether it has to cut the network in halves by itself, since it does not know its kind.
bool scotch_cuts_network(const MappingTask& task, const Allocation& allocation);

}  // namespace tofa
