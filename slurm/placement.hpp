// SPDX-License-Identifier: BSD-3-Clause
// Asks `tofa map` where the ranks of a step go. That is a process of its own with a deadline:
// whatever happens to it, srun goes on.
#pragma once

#include <string>
#include <vector>

#include "settings.hpp"
#include "step.hpp"

namespace tofa::spank {

// Arguments of `tofa`, `map` included.
std::vector<std::string> map_arguments(const Settings& settings, const std::string& graph,
                                       const std::vector<NodeSlots>& nodes);

// The nodes of the ranks, in Slurm's names, from what `tofa map` printed. Throws Error
// (unavailable) unless there is one for every rank, and no node has more than its slots.
std::vector<std::string> read_mapping(const std::string& text, const Step& step);

// Of a placement on all nodes, those `use` nodes that got most ranks; as many ranks as the step
// has fit on them. Throws Error (unmet) when that is impossible.
std::vector<NodeSlots> best_nodes(const Step& step, const std::vector<std::string>& mapping,
                                  unsigned use);

// The node of each rank. `graph` is the stem of a profile, or a file. Throws Error with the reason.
std::vector<std::string> place_step(const Settings& settings, const std::string& graph,
                                    const Step& step);

}  // namespace tofa::spank
