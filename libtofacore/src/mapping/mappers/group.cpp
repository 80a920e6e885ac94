// SPDX-License-Identifier: BSD-3-Clause
// group: where nodes have several slots, ranks are first put in groups that fill a node, so that
// little traffic leaves them, and then the groups are placed like ranks that have a node each
// (Jeannot and Mercier, Near-optimal placement of MPI processes on hierarchical NUMA architectures,
// 2010, go up a tree in this way). A search over groups sees few of them, and reaches in little
// time what moves of single ranks do not in a long one; those mend the rest behind it.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mapping/mapper.hpp"
#include "mapping/mappers/clusters.hpp"
#include "mapping/objective.hpp"
#include "mapping/rates.hpp"
#include "mapping/seats/seat_plan.hpp"
#include "mapping/tools/multisection.hpp"

namespace tofa {
namespace {

// How ranks are grouped: so many groups of so many seats each, and which nodes take how many.
struct Grouping {
  unsigned size = 1;
  Allocation nodes;  // slots for groups
  std::uint64_t room = 0;

  std::uint64_t seats() const { return room * size; }
};

Grouping in_groups_of(unsigned size, const Allocation& allocation) {
  Grouping grouping;
  grouping.size = size;
  for (const auto& [node, slots] : allocation) {
    if (slots < size) continue;
    grouping.nodes.push_back({node, slots / size});
    grouping.room += slots / size;
  }
  return grouping;
}

// The largest groups that leave few slots over: as large as the nodes of some kind, or what divides
// all nodes.
Grouping choose_grouping(const Allocation& allocation) {
  constexpr double nearly_all = 0.95;
  constexpr std::size_t most_kinds = 8;
  std::vector<unsigned> sizes;
  unsigned divisor = 0;
  std::uint64_t slots = 0;
  for (const AllocationEntry& entry : allocation) {
    sizes.push_back(entry.slots);
    divisor = std::gcd(divisor, entry.slots);
    slots += entry.slots;
  }
  sizes.push_back(divisor);
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  if (sizes.size() > most_kinds) sizes.erase(sizes.begin() + most_kinds, sizes.end());
  Grouping best;
  for (const unsigned size : sizes) {
    Grouping grouping = in_groups_of(size, allocation);
    if (grouping.seats() <= best.seats()) continue;
    best = std::move(grouping);
    if (static_cast<double>(best.seats()) >= nearly_all * static_cast<double>(slots)) break;
  }
  return best;
}

// How many ranks each group has. Where not all groups are full, vertices without traffic take the
// seats that stay free; where ranks are left over, all groups have some more.
std::vector<std::uint32_t> sizes_of(const Grouping& grouping, Rank ranks) {
  const std::uint64_t wanted = (std::uint64_t{ranks} + grouping.size - 1) / grouping.size;
  const std::uint64_t groups = std::min(wanted, grouping.room);
  const std::uint64_t vertices = std::max<std::uint64_t>(ranks, groups * grouping.size);
  std::vector<std::uint32_t> sizes;
  for (std::uint64_t i = 0; i < groups; ++i) {
    const std::uint64_t before = vertices * i / groups;
    sizes.push_back(static_cast<std::uint32_t>(vertices * (i + 1) / groups - before));
  }
  return sizes;
}

double seconds_to_cut(Rank ranks, std::size_t groups) {
  return rates::kBisectPerRank * ranks * std::log2(static_cast<double>(groups));
}

// The group of every rank, and the node of every group.
struct PlacedGroups {
  std::vector<std::uint32_t> group;
  Mapping node_of;
  double cost;
};

// Places groups, each of which needs a slot of `nodes`, with so much work.
void place_groups(const MappingTask& task, const Allocation& nodes, double seconds,
                  std::size_t count, PlacedGroups& placed) {
  const CommGraph groups = contracted(task.graph, placed.group, count);
  const auto metrics_of = [&](const Mapping& mapping) {
    return evaluate(groups, task.topology, task.outages, mapping, task.abort_cost);
  };
  const Metrics linear = metrics_of(linear_mapping(nodes, groups.ranks()));
  Trace aside = task.trace.aside();
  aside.begin(linear, true);
  const MappingTask own{.graph = groups,
                        .topology = task.topology,
                        .outages = task.outages,
                        .allocation = nodes,
                        .objective = task.objective,
                        .seed = task.seed,
                        .seconds = seconds,
                        .deadline = task.deadline,
                        .trace = aside,
                        .abort_cost = task.abort_cost,
                        .linear = &linear};
  Mapping mapping = map_auto(own).mapping;
  const double cost = objective_value(task.objective, metrics_of(mapping), task.abort_cost);
  if (!placed.node_of.empty() && cost >= placed.cost) return;
  placed.node_of = std::move(mapping);
  placed.cost = cost;
}

// Cuts that begin differently end differently, and so do placements: of some that are made in
// little time the best is taken, and placed with more.
PlacedGroups find_groups(const MappingTask& task, const Grouping& grouping) {
  constexpr double share = 0.25;     // of the time, for some cuts, and again for the last step
  constexpr double in_brief = 2e-4;  // seconds for each group
  constexpr double in_full = 2e-3;
  constexpr double most_starts = 8;
  const Rank ranks = task.graph.ranks();
  const std::vector<std::uint32_t> sizes = sizes_of(grouping, ranks);
  const PartitionGraph graph =
      partition_graph(task.graph, std::accumulate(sizes.begin(), sizes.end(), std::uint32_t{0}));
  const double brief = std::min(share * task.seconds, in_brief * static_cast<double>(sizes.size()));
  const double full = std::min(share * task.seconds, in_full * static_cast<double>(sizes.size()));
  const double start = seconds_to_cut(ranks, sizes.size()) + brief;
  const double starts = std::clamp(std::floor(share * task.seconds / start), 1.0, most_starts);
  RandomSource random(task.seed);
  PlacedGroups best{};
  for (int i = 0; i < static_cast<int>(starts) && (i == 0 || !task.deadline.passed()); ++i) {
    PlacedGroups found{cut_in_parts(graph, sizes, random), {}, 0};
    place_groups(task, grouping.nodes, starts > 1 ? brief : full, sizes.size(), found);
    if (i == 0 || found.cost < best.cost) best = std::move(found);
  }
  if (starts > 1 && !task.deadline.passed())
    place_groups(task, grouping.nodes, full, sizes.size(), best);
  return best;
}

Mapping map_group(const MappingTask& task) {
  const Grouping grouping = choose_grouping(task.allocation);
  if (grouping.size < 2) return map_linear(task);
  const PlacedGroups placed = find_groups(task, grouping);
  Mapping mapping;
  for (Rank rank = 0; rank < task.graph.ranks(); ++rank)
    mapping.push_back(placed.node_of[placed.group[rank]]);
  repair_slots(mapping, task.topology, task.allocation);
  return mapping;
}

bool group_is_candidate(const MappingTask& task) {
  constexpr unsigned worth_grouping = 4;
  const Grouping grouping = choose_grouping(task.allocation);
  const std::size_t groups = sizes_of(grouping, task.graph.ranks()).size();
  if (grouping.size < worth_grouping || groups < 2) return false;
  return seconds_to_cut(task.graph.ranks(), groups) <= 1.5 * task.seconds;
}

}  // namespace

extern constexpr Mapper kGroupMapper{"group", map_group, group_is_candidate, Turn::any_lane};

}  // namespace tofa
