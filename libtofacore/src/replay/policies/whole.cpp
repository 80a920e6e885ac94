// SPDX-License-Identifier: BSD-3-Clause
// whole: the paper's mapping without its search (TM-I): of all free nodes at once, those that the
// mapper takes, as published even where Slurm's choice would be better. To see what the search
// costs and saves.
#include "replay/quick_mapping.hpp"

namespace tofa {
namespace {

NodeChoice choose_whole(const PolicyTask& task) {
  if (task.request.cores > 0 || task.traffic == nullptr) return task.by_default;
  return map_quickly(task.traffic->groups, task.topology, task.groups, task.candidates());
}

}  // namespace

extern constexpr ReplayPolicy kWholePolicy{"whole", "whole machine", choose_whole, false, true};

}  // namespace tofa
