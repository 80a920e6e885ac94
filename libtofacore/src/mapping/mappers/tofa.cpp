// SPDX-License-Identifier: BSD-3-Clause
// tofa: Listing 1.1 of the TOFA paper, as published. If the allocation has a run of consecutive
// fault-free nodes that is long enough, SCOTCH maps onto that run, otherwise onto all nodes; either
// way with distances weighted by equation 1, since routes inside a run may leave it.
#include "mapping/mappers/scotch_map.hpp"
#include "mapping/rates.hpp"

namespace tofa {
namespace {

// Above this the complete graph of the published method costs more memory than `auto` should spend
// on one candidate.
constexpr std::size_t kMaxCandidateNodes = 512;

// The first run of fault-free nodes, in list order, with slots for all ranks; empty when there is
// none.
Allocation first_fault_free_run(const MappingTask& task) {
  Allocation run;
  std::uint64_t slots = 0;
  for (const AllocationEntry& entry : task.allocation) {
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

bool tofa_is_candidate(const MappingTask& task) {
  if (task.allocation.size() > kMaxCandidateNodes) return false;
  const Allocation run = first_fault_free_run(task);
  const auto nodes = static_cast<double>(run.empty() ? task.allocation.size() : run.size());
  const double splitting = rates::kScotchPerPairOfNodes * nodes * nodes;
  return scotch_seconds(task) + splitting <= 0.25 * task.seconds;
}

Mapping map_tofa(const MappingTask& task) {
  const Allocation run = first_fault_free_run(task);
  return scotch_onto_fault_weights(task, run.empty() ? task.allocation : run);
}

}  // namespace

extern constexpr Mapper kTofaMapper{"tofa", map_tofa, tofa_is_candidate, Turn::scotch_lane};

}  // namespace tofa
