// SPDX-License-Identifier: BSD-3-Clause
// The interface of a mapper and the registry of them. A new mapper is one file in mappers/ that
// defines a `Mapper`, plus its line in registry.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "mapping/deadline.hpp"
#include "mapping/rates.hpp"
#include "mapping/seats/levels.hpp"
#include "mapping/tools/recognised.hpp"
#include "mapping/trace.hpp"

namespace tofa {

class Needs;

// What a mapper is given. The allocation has enough slots and names each node once.
struct MappingTask {
  const CommGraph& graph;
  const Topology& topology;
  const OutageMap& outages;
  const Allocation& allocation;
  Objective objective;
  std::uint64_t seed;
  double seconds;  // the budget from which the amount of work is derived
  Deadline deadline;
  Trace& trace;                  // where it is recorded what was tried and found
  const Needs* needs = nullptr;  // null: none
  double abort_cost = kAbortCost;
  double spare_seconds = 0;         // more work, if the task turns out to be hard
  double more_seconds = 0;          // more moves, whatever it turns out to be
  const Metrics* linear = nullptr;  // of ranks in list order on these nodes, where known already
  std::shared_ptr<const Recognised> recognised = std::make_shared<const Recognised>(graph);
  std::shared_ptr<const KnownLevels> levels =
      std::make_shared<const KnownLevels>(topology, allocation);

  // The same task on other nodes, which the result refers to.
  MappingTask on(const Allocation& nodes) const { return with(graph, nodes, outages, trace); }
  // The same task if that was all the traffic.
  MappingTask with_traffic(const CommGraph& other) const {
    return with(other, allocation, outages, trace);
  }
  // The same task if nodes failed as `others` says; what is found on the way goes to `aside`.
  MappingTask with_outages(const OutageMap& others, Trace& aside) const {
    return with(graph, allocation, others, aside);
  }

 private:
  MappingTask with(const CommGraph& traffic, const Allocation& nodes, const OutageMap& nodes_fail,
                   Trace& found) const {
    return {
        .graph = traffic,
        .topology = topology,
        .outages = nodes_fail,
        .allocation = nodes,
        .objective = objective,
        .seed = seed,
        .seconds = seconds,
        .deadline = deadline,
        .trace = found,
        .needs = needs,
        .abort_cost = abort_cost,
        .spare_seconds = spare_seconds,
        .more_seconds = more_seconds,
        .recognised = &traffic == &graph ? recognised : std::make_shared<const Recognised>(traffic),
        .levels =
            &nodes == &allocation ? levels : std::make_shared<const KnownLevels>(topology, nodes)};
  }
};

// An answer respects the slots and the needs; `origin` names the candidate it grew from, if it is a
// portfolio. The metrics are those of evaluate_for() at least.
struct MapperAnswer {
  Mapping mapping;
  std::string_view origin;
  Metrics metrics;
};

// The turns that candidates take under `auto`: some come first, since they may make all others
// needless; then two lanes run side by side. Mappers that use SCOTCH share one of them, since the
// library has a single random state; where it is not tried, those that may go to any lane have it.
// The others, which use both lanes for a part of their work, run in the first.
enum class Turn { first, any_lane, both_lanes, scotch_lane };

struct Mapper {
  std::string_view name;
  Mapping (*map)(const MappingTask& task);
  // Whether `auto` tries it on this task: costly or pointless candidates are left out.
  bool (*candidate)(const MappingTask& task);
  // When `auto` runs it.
  Turn turn;
  // Whether it works for as long as the task says, so that `auto` gives it a share of the time and
  // plans the search with the rest. The others end by themselves, soon.
  bool uses_all_time = false;
  // How many seconds of an ordinary core it takes, for those that take many.
  double (*seconds)(const MappingTask& task) = nullptr;
  // Whether people have it without tofa: what `auto` finds is to be no worse, so that in a hurry,
  // too, it is tried on all nodes unless `candidate` says no.
  bool baseline = false;
  // What `map` would answer with, first, and others that lay the same ranks in another way, of
  // which a search may make more although they cost more now; at most so many in all, 1 or more.
  // Null: there is `map` only.
  std::vector<Mapping> (*variants)(const MappingTask& task, std::size_t most) = nullptr;
  // Of the time of a task, the most that `seconds` may be where a drawing has been found to do.
  double dear = rates::kDear;
};

// For candidates that cost next to nothing.
inline bool always(const MappingTask& /*task*/) {
  return true;
}

Registry<Mapper> mapper_registry();

// What the mapper says, mended where it does not meet the needs.
Mapping run_mapper(const Mapper& mapper, const MappingTask& task);
// The same with its variants, if it has any.
std::vector<Mapping> run_variants(const Mapper& mapper, const MappingTask& task, std::size_t most);

// Those that others start from.
Mapping linear_mapping(const Allocation& allocation, Rank ranks);
Mapping map_linear(const MappingTask& task);
// From so many ranks on multisect takes too much memory, and leaves them to group.
inline constexpr Rank kMostToMultisect = 1U << 18U;
// Whether ranks are grouped by node, which leaves nothing to win for mappers that place them one by
// one; not where parts are cut level by level, down to nodes, unless there are tiles or more ranks.
bool group_is_candidate(const MappingTask& task);
// Whether groups of up to 50,000 ranks on a grid leave so little between nodes that what is found
// so far, at so many hops per byte, is no match for them, and there is time to cut them, or they
// are tiles, which need no time; however short the search is.
bool group_would_help(const MappingTask& task, double hops_per_byte);
// Looks for what it will ask, beside the mappers that come before it.
void foresee_groups(const MappingTask& task);
// Whether groups on many nodes of a grid are what leads furthest, whatever else may be found, and
// there is time for them: mappers that look for shapes leave it to them.
bool group_is_called_for(const MappingTask& task);
// Of an ordinary core, to cut ranks in groups.
double group_seconds(const MappingTask& task);
// And to place them, where they are so many, and no tiles, that single ranks of a drawing are
// placed as well in that time; else 0, and where so many ranks are drawn anyway.
double group_placing_seconds(const MappingTask& task);
// Whether there are so many that groups are slabs of a drawing, if the traffic has a shape and is
// no grid.
bool group_is_hurried(const MappingTask& task);
// Whether moves of single ranks lead further from a drawing that shows a shape, as they do over the
// borders of few nodes of a grid, unless these are scattered, weights have a heavy tail, or groups
// are tiles.
bool group_leads_no_further(const MappingTask& task);
// Whether nodes are so scattered that of a drawing little is left of its shape, and there is time
// to place groups that are many.
bool group_beats_a_drawing(const MappingTask& task);
bool multisect_is_candidate(const MappingTask& task);
// Ranks that are drawn, on grids and on what is like a tree. Nothing where the traffic has no shape
// in space, or drawing would take more seconds.
std::optional<Mapping> map_by_shape(const MappingTask& task, double seconds);
Mapping map_random(const MappingTask& task);

// The portfolio: every candidate of the registry, the best of them refined.
MapperAnswer map_auto(const MappingTask& task);
// Refines a mapping, that of `origin`. To look for other candidates again would leave less time for
// it; where nodes may fail that is done all the same, since some may have to be left out.
MapperAnswer search_from(const MappingTask& task, Mapping mapping, std::string_view origin);

}  // namespace tofa
