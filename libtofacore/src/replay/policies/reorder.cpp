// SPDX-License-Identifier: BSD-3-Clause
// reorder: Slurm's nodes, but ranks where they belong on them: what the paper calls TM-A, and what
// tofa does inside an allocation.
#include "replay/quick_mapping.hpp"

namespace tofa {
namespace {

NodeChoice choose_reorder(const PolicyTask& task) {
  if (task.traffic == nullptr) return task.by_default;
  NodeChoice choice =
      map_quickly(task.traffic->groups, task.topology, task.groups, task.by_default.nodes);
  return choice.hop_bytes < task.by_default.hop_bytes ? choice : task.by_default;
}

}  // namespace

extern constexpr ReplayPolicy kReorderPolicy{"reorder", "re-ordered", choose_reorder};

}  // namespace tofa
