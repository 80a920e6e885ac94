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
  bool out_of_time = false;  // the clock cut the search short
};

// As few ranks move as can: those on nodes that are not available or certain to fail, and of a node
// that holds more than its slots as many as are too many; all others stay where they are. As in the
// dynamic reconfiguration of malleable MPI jobs with TreeMatch, of a full node the group leaves
// that is least missed there, and goes next to its partners. That is the start of a search over who
// leaves and where to, with so many moves, on the objective, which is also what decides how far to
// go out of a suspect node's way. When all ranks must move, they are placed as `place` does.
// Within `options.time_limit_seconds`; `options.mapper` is not used. Throws Error (unmet) when no
// node is available, and (bad_input) when `old` is not a mapping of this graph onto this topology.
Remapping remap(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Mapping& old, const Allocation& available, const PlaceOptions& options);

// Ranks that two mappings put on different nodes.
std::vector<Rank> moved_ranks(const Mapping& before, const Mapping& after);

}  // namespace tofa
