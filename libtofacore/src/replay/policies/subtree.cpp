// SPDX-License-Identifier: BSD-3-Clause
// subtree: the paper's search (TM-Isub): from the leaf switches up and from left to right, the
// first part of the tree that has enough free nodes; the ranks go where they belong in it. As
// published, it is taken even where Slurm's choice would be better. Where there is no tree, all
// free nodes are one part.
#include "replay/quick_mapping.hpp"

namespace tofa {
namespace {

NodeChoice choose_subtree(const PolicyTask& task) {
  if (task.request.cores > 0) return task.by_default;
  std::vector<Node> nodes = first_part_of_tree(task);
  if (task.traffic != nullptr)
    return map_quickly(task.traffic->groups, task.topology, task.groups, nodes);
  nodes.resize(task.request.nodes);
  return {std::move(nodes), task.by_default.hop_bytes};
}

}  // namespace

extern constexpr ReplayPolicy kSubtreePolicy{"subtree", "subtree", choose_subtree};

}  // namespace tofa
