// SPDX-License-Identifier: BSD-3-Clause
// Putting the parts of a job on nodes, with little work: a replay does so for every job of a log.
#pragma once

#include <vector>

#include "replay/policy.hpp"

namespace tofa {

// The parts of `traffic` on some of `nodes`, of which there are enough, one on each.
NodeChoice map_quickly(const CommGraph& traffic, const Topology& topology,
                       const MachineGroups& groups, const std::vector<Node>& nodes);

// The free nodes of the first part of the tree, from the leaf switches up and from left to right,
// that has enough of them; all free ones where there is no tree.
std::vector<Node> first_part_of_tree(const PolicyTask& task);

// Free nodes that are close to each other, several ways, each enough for the job; what Slurm would
// take is one of them. The parts of the job may go on any of them.
std::vector<std::vector<Node>> compact_candidates(const PolicyTask& task);

// The best of the candidates, or what Slurm does where none is better.
NodeChoice choose_compact(const PolicyTask& task);

}  // namespace tofa
