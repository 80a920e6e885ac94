// SPDX-License-Identifier: BSD-3-Clause
// Placing a job anew after nodes were lost or gained, so that few ranks move: what a restart needs
// that reads its state from where it was written.
#pragma once

#include "tofa/place.hpp"

namespace tofa {

struct Remapping {
  Mapping mapping;
  std::vector<Rank> moved;  // ascending
  Metrics metrics;
  double cost = 0;  // value of the objective
  // More ranks than slots were left, so that nodes take more than their share, evenly.
  bool oversubscribed = false;
};

// Two steps, as in the dynamic reconfiguration of malleable MPI jobs with TreeMatch. First, which
// ranks must move: those on nodes that are not available or certain to fail, and of a node that
// holds more than its slots the group that is least missed there. Then, where they go: one after
// the other next to their partners, on suspect nodes only if there is no room elsewhere, improved
// on the objective as long as that pays. All others stay where they are. Within
// `options.time_limit_seconds`; `options.mapper` is not used. Throws Error (unmet) when no node is
// available, and (bad_input) when `old` is not a mapping of this graph onto this topology.
Remapping remap(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Mapping& old, const Allocation& available, const PlaceOptions& options);

// Ranks that two mappings put on different nodes.
std::vector<Rank> moved_ranks(const Mapping& before, const Mapping& after);

// The allocation with as many more slots as `ranks` need, shared out evenly.
Allocation with_room_for(const Allocation& allocation, Rank ranks);

}  // namespace tofa
