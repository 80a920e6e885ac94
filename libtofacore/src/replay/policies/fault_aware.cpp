// SPDX-License-Identifier: BSD-3-Clause
// fault-aware: as compact, and away from nodes that may fail: of the choice among all free nodes
// and that among those without suspects the one with the shorter time to be expected, aborted runs
// counted in.
#include <algorithm>

#include "replay/default_selection.hpp"
#include "replay/quick_mapping.hpp"
#include "tofa/metrics.hpp"

namespace tofa {
namespace {

// What an abort costs in units of a run: half of a run, and the queue again. The same as metrics
// take for a program that communicates for a quarter of its time (tofa/metrics.hpp).
constexpr double kRunsPerAbort = 5;

double expected_time(const PolicyTask& task, const NodeChoice& choice) {
  double survival = 1;
  for (const Node node : choice.nodes) survival *= 1 - task.outages.probability(node);
  const double ratio =
      task.by_default.hop_bytes > 0 ? choice.hop_bytes / task.by_default.hop_bytes : 1;
  return (1 + ratio * task.communication - task.communication) *
         (1 + kRunsPerAbort * (1 - survival) / std::max(survival, kLeastSurvival));
}

NodeChoice choose_fault_aware(const PolicyTask& task) {
  NodeChoice best = choose_compact(task);
  NodeSet sound = task.allowed;
  for (Node node = 0; node < task.free.nodes(); ++node)
    if (task.outages.suspect(node)) sound.remove(node);
  const std::vector<Node> nodes = default_selection(task.groups, task.free, sound, task.request);
  if (nodes.empty()) return best;
  NodeChoice sound_default{nodes, 0};
  if (task.traffic != nullptr)
    sound_default.hop_bytes = hop_bytes_of(task.traffic->blocks, task.topology, nodes);
  const NodeChoice choice = choose_compact({.topology = task.topology,
                                            .groups = task.groups,
                                            .outages = task.outages,
                                            .free = task.free,
                                            .allowed = sound,
                                            .request = task.request,
                                            .by_default = sound_default,
                                            .traffic = task.traffic,
                                            .communication = task.communication});
  return expected_time(task, choice) < expected_time(task, best) ? choice : best;
}

}  // namespace

extern constexpr ReplayPolicy kFaultAwarePolicy{"fault-aware", "fault-aware", choose_fault_aware,
                                                true};

}  // namespace tofa
