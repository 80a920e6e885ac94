// SPDX-License-Identifier: BSD-3-Clause
// tofa: Listing 1.1 of the TOFA paper, as published. If the allocation has a run of consecutive
// fault-free nodes that is long enough, SCOTCH maps onto that run; otherwise onto all nodes, with
// distances weighted by equation 1.
#include "mapping/scotch_map.hpp"

namespace tofa {
namespace {

// Above this the complete graph of the published method costs more time than `auto` should spend on
// one candidate.
constexpr std::size_t kMaxCandidateNodes = 512;

// The first run of fault-free nodes, in list order, with slots for all ranks; empty when there is
// none.
Allocation first_fault_free_run(const MappingTask& task) {
  Allocation run;
  std::uint64_t slots = 0;
  for (const NodeSlots& entry : task.allocation) {
    if (task.outages.suspect(entry.node)) {
      run.clear();
      slots = 0;
      continue;
    }
    run.push_back(entry);
    slots += entry.slots;
    if (slots >= task.graph.ranks()) return run;
  }
  return {};
}

}  // namespace

Mapping map_tofa(const MappingTask& task) {
  const Allocation run = first_fault_free_run(task);
  if (!run.empty()) return scotch_onto_topology(task, run);
  return scotch_onto_complete_graph(task, task.allocation);
}

bool tofa_is_candidate(const MappingTask& task) {
  if (scotch_seconds(task) > 0.1 * task.seconds) return false;
  return task.allocation.size() <= kMaxCandidateNodes || !first_fault_free_run(task).empty();
}

}  // namespace tofa
