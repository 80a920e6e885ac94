// SPDX-License-Identifier: BSD-3-Clause
// group: where nodes have several slots, ranks are first put in groups that fill a node, so that
// little traffic leaves them, and then the groups are placed like ranks that have a node each
// (Jeannot and Mercier, Near-optimal placement of MPI processes on hierarchical NUMA architectures,
// 2010, go up a tree in this way). A search over groups sees few of them, and reaches in little
// time what moves of single ranks do not in a long one; those mend the rest behind it.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/mappers/host_box.hpp"
#include "mapping/objective.hpp"
#include "mapping/rates.hpp"
#include "mapping/seats/grouping.hpp"
#include "mapping/seats/seat_plan.hpp"
#include "mapping/tools/clusters.hpp"
#include "mapping/tools/many_parts.hpp"
#include "mapping/tools/multisection.hpp"

namespace tofa {
namespace {

// What a cut may take of the planned time, which is two fifths of the limit at most; and where
// there is a search that does without, as there is on grids. Over the borders of few nodes moves of
// single ranks lead far.
constexpr double kMostOfTime = 1.5;
constexpr double kMostByHalves = 0.85;  // without coarsening first
// The same of more than kMany ranks: on a core half as fast hardly any time is left to place what
// was cut, and to draw them leads nearly as far.
constexpr double kMostByHalvesOfMany = 0.5;
constexpr double kMostBesideSearch = 0.37;
constexpr double kMostOfFewNodes = 0.155;
constexpr std::size_t kFewNodes = 128;

// Of the time that is left, where cutting takes longer than planned: groups are to be placed, too.
constexpr double kMostToCut = 0.7;

// Seconds that placing groups may take, even if that is all the time there is.
constexpr double kAllOfIt = 0.5;

// Slots of a node that are worth a group: pairs and threes of ranks are where there are no boxes to
// lay ranks in. (On trees these are tiles, which end up to 4 % lower than what is cut there.)
constexpr unsigned kFewestOnGrids = 4;
constexpr unsigned kFewestOffGrids = 2;

// Few groups are placed almost as well as they can be.
constexpr std::size_t kFewGroups = 256;

// From so many ranks on, cutting a graph that is known to be a grid, or has a shape, takes too long
// for what it might find.
constexpr Rank kMany = 50'000;

// Whether there is hardly a way without.
bool needs_groups(const MappingTask& task) {
  return task.topology.grid() == nullptr || task.graph.ranks() > kMany;
}

// Seconds that cutting is worth.
double most_to_cut(const MappingTask& task, std::size_t groups) {
  const double beside = groups <= kFewNodes ? kMostOfFewNodes : kMostBesideSearch;
  return (needs_groups(task) ? kMostOfTime : beside) * task.seconds;
}

// How ranks are cut: by halves where there is time for that, else coarsened before.
struct Cut {
  bool coarsened;
  double seconds;       // of an ordinary core with a second one beside it
  double core_seconds;  // of both
};

Cut choose_cut(const MappingTask& task, std::size_t groups) {
  const double ranks = task.graph.ranks();
  const double levels = std::log2(static_cast<double>(groups));
  // The first halves are cut in one lane, and each of them in its own.
  const double level = rates::seconds_to_halve(ranks, static_cast<double>(task.graph.pairs()));
  const double by_halves = level * (1 + (levels - 1) / kLanes);
  const double most = task.graph.ranks() > kMany ? kMostByHalvesOfMany : kMostByHalves;
  if (by_halves <= most * task.seconds) return {false, by_halves, level * levels};
  const double coarse = vertices_cut_by_halves(ranks, static_cast<double>(groups)) / ranks;
  const double by_parts = level * (coarse * levels / kLanes + 1);
  return {true, by_parts, by_parts};
}

// Whether ranks exchange most with one partner each, as where weights are spread over magnitudes.
bool is_heavy_tailed(const MappingTask& task) {
  constexpr double most_of_it = 0.6;
  return task.recognised->share_of_strongest() >= most_of_it;
}

// The group of every rank, what groups exchange, and the node of every group.
struct PlacedGroups {
  PlacedGroups() = default;
  PlacedGroups(const CommGraph& graph, std::vector<std::uint32_t>&& groups, std::size_t count)
      : group(std::move(groups)), traffic(contracted(graph, group, count)) {}

  std::vector<std::uint32_t> group;
  CommGraph traffic;
  Mapping node_of;
  double cost = HUGE_VAL;
};

// A search that is cut off before it has begun answers with list order: where there is hardly any
// time left, one mapper makes the most of it.
Mapping place_in_time(const MappingTask& task) {
  const double ranks = std::max<double>(task.graph.ranks(), 2);
  const double quick =
      rates::seconds_to_halve(ranks, static_cast<double>(task.graph.pairs())) * std::log2(ranks);
  const bool has_time = task.deadline.seconds_left() >= quick;
  Mapping mapping =
      has_time ? map_auto(task).mapping : find_entry(mapper_registry(), "bisect")->map(task);
  if (!has_time) task.trace.hurry();
  return mapping;
}

// To place groups, each of which needs a slot of `nodes`, with so much work.
MappingTask task_of_groups(const MappingTask& task, const Allocation& nodes,
                           const CommGraph& groups, double seconds, Trace& aside) {
  return {.graph = groups,
          .topology = task.topology,
          .outages = task.outages,
          .allocation = nodes,
          .objective = task.objective,
          .seed = task.seed,
          .seconds = seconds,
          .deadline = task.deadline,
          .trace = aside,
          .abort_cost = task.abort_cost};
}

Metrics metrics_of(const MappingTask& task, const Mapping& mapping) {
  return evaluate_for(task.objective, task.graph, task.topology, task.outages, mapping,
                      task.abort_cost);
}

double cost_of(const MappingTask& task, const Mapping& mapping) {
  return objective_value(task.objective, metrics_of(task, mapping), task.abort_cost);
}

// Places groups, or goes on from where they are, if they have been placed before.
void place_groups(const MappingTask& task, const Allocation& nodes, double seconds,
                  PlacedGroups& placed) {
  // Where work takes longer than planned, there is to be some time for moves of single ranks.
  constexpr double most_of_the_rest = 0.7;
  Trace aside = task.trace.aside();
  MappingTask own = task_of_groups(task, nodes, placed.traffic, seconds, aside);
  const Metrics linear = metrics_of(own, linear_mapping(nodes, own.graph.ranks()));
  aside.begin(linear, true);
  own.deadline = task.deadline.share(most_of_the_rest);
  own.linear = &linear;
  Mapping mapping = placed.node_of.empty() ? place_in_time(own)
                                           : search_from(own, placed.node_of, "group").mapping;
  if (own.deadline.passed()) aside.hurry();
  const double cost = cost_of(own, mapping);
  if (!placed.node_of.empty() && cost >= placed.cost) return;
  placed.node_of = std::move(mapping);
  placed.cost = cost;
}

bool all_full(const Grouping& grouping, const std::vector<std::uint32_t>& sizes) {
  return std::all_of(sizes.begin(), sizes.end(),
                     [&grouping](std::uint32_t size) { return size == grouping.size; });
}

// What groups cost where mappers put them that take next to no time.
double cost_at_a_glance(const MappingTask& task, const Allocation& nodes, const CommGraph& groups) {
  Trace aside = task.trace.aside();
  const MappingTask own = task_of_groups(task, nodes, groups, 0, aside);
  double least = HUGE_VAL;
  for (const char* mapper : {"fold", "bisect"})
    least = std::min(least, cost_of(own, find_entry(mapper_registry(), mapper)->map(own)));
  return least;
}

double seconds_of_a_glance(const CommGraph& ranks, const CommGraph& groups) {
  constexpr double to_contract = 5;  // looks along a pair
  const double levels = std::log2(std::max<double>(groups.ranks(), 2));
  return to_contract * rates::kHopPerPair * static_cast<double>(ranks.pairs()) +
         levels * rates::seconds_to_halve(groups.ranks(), static_cast<double>(groups.pairs()));
}

// The tiles, and others of at most so many shapes. Shapes that cut about as much may lie quite
// differently on the machine, which a glance tells: so these are the best of more, if there is time
// for that. The tiles that cut the least are left for what costs clearly less.
std::vector<PlacedGroups> likely_tiles(const MappingTask& task, const Grouping& grouping,
                                       std::size_t groups, const std::vector<std::uint32_t>& tiles,
                                       std::size_t most) {
  constexpr double worth_a_look = 0.05;  // of the time
  constexpr double clearly = 0.9;
  std::vector<PlacedGroups> found;
  found.emplace_back(task.graph, std::vector<std::uint32_t>(tiles), groups);
  const double glance = seconds_of_a_glance(task.graph, found.front().traffic);
  const bool has_time = static_cast<double>(most) * glance <= worth_a_look * task.seconds;
  const std::size_t looks = has_time ? kLanes * most : most;
  if (looks == 1) return found;
  std::vector<std::vector<std::uint32_t>> shapes = task.recognised->tilings(grouping.size, looks);
  found.resize(std::max<std::size_t>(shapes.size(), 1));
  run_lanes([&](unsigned lane) {
    for (std::size_t i = lane; i < found.size(); i += kLanes) {
      if (i > 0) found[i] = PlacedGroups(task.graph, std::move(shapes[i]), groups);
      if (found.size() > most)
        found[i].cost = cost_at_a_glance(task, grouping.nodes, found[i].traffic);
    }
  });
  found.front().cost *= clearly;
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (found.size() > most)
    found.erase(found.begin() + static_cast<std::ptrdiff_t>(most), found.end());
  return found;
}

// Where ranks form a grid, its tiles are groups. Placed with so much work each, as many shapes of
// them as that is enough for; nothing where they do not.
PlacedGroups place_tiles(const MappingTask& task, const Grouping& grouping,
                         const std::vector<std::uint32_t>& sizes, double seconds) {
  constexpr double enough = 0.012;  // seconds for each shape
  const auto most = static_cast<std::size_t>(std::clamp(seconds / enough, 1.0, 4.0));
  PlacedGroups best;
  if (!all_full(grouping, sizes)) return best;
  const std::vector<std::uint32_t>* tiles = task.recognised->tiles(grouping.size);
  if (!tiles) return best;
  for (PlacedGroups& found : likely_tiles(task, grouping, sizes.size(), *tiles, most)) {
    place_groups(task, grouping.nodes, seconds, found);
    if (best.node_of.empty() || found.cost < best.cost) best = std::move(found);
  }
  return best;
}

// What the group does that exchanges the most with others, over the mean.
double share_of_busiest(const CommGraph& groups) {
  Bytes most = 0;
  for (Rank group = 0; group < groups.ranks(); ++group) {
    Bytes sum = 0;
    for (const CommEdge& edge : groups.partners(group)) sum += edge.bytes;
    most = std::max(most, sum);
  }
  const double mean = 2 * static_cast<double>(groups.total_bytes()) / groups.ranks();
  return mean > 0 ? static_cast<double>(most) / mean : 1;
}

bool joining_is_cheap(const MappingTask& task) {
  constexpr double worth_a_look = 0.2;  // of the time
  return rates::kJoinPerPair * static_cast<double>(task.graph.pairs()) <=
         worth_a_look * task.seconds;
}

// Tiles cut alike everywhere, and so through what is much where gaps are, or a collective of other
// ranks: one of them may be far busier than others, or more is left between them than between
// clusters. So it is worth its time to cut once, if that is half of all at most.
bool may_be_cut_better(const MappingTask& task, const Grouping& grouping, const Cut& cut,
                       const PlacedGroups& tiles) {
  constexpr double most_of_time = 0.5;
  constexpr double busier = 2;
  constexpr double clearly = 1.3;
  if (task.graph.ranks() > kMany || cut.seconds > most_of_time * task.seconds) return false;
  if (task.objective->counts_loads && share_of_busiest(tiles.traffic) > busier) return true;
  return joining_is_cheap(task) &&
         task.recognised->share_between_tiles(grouping.size) >
             clearly * task.recognised->share_between_clusters(grouping.size);
}

// Whether moves over the borders of the nodes of a grid may follow (search/border_moves.hpp; off
// grids they find less).
bool are_mended_later(const MappingTask& task) {
  const bool all_alike = task.outages.suspects() == 0 && (!task.needs || task.needs->empty());
  return all_alike && !task.objective->counts_loads && task.topology.grid() != nullptr;
}

// Cuts that begin differently end differently, and so do placements: of some that are made in
// little time the best is taken, and placed with more.
PlacedGroups find_groups(const MappingTask& task, const Grouping& grouping) {
  constexpr double share = 0.25;     // of the time, for some cuts, and again for the last step
  constexpr double half = 0.5;       // of it, where cutting takes most of it
  constexpr double of_tiles = 0.06;  // for each shape, where moves of ranks lead further; ...
  constexpr double some = 0.01;      // ... seconds without which a placement is worse than none
  constexpr double in_brief = 2e-4;  // seconds for each group
  constexpr double in_full = 1e-3;
  constexpr double most_starts = 8;
  const Rank ranks = task.graph.ranks();
  const std::vector<std::uint32_t> sizes = sizes_of_groups(grouping, ranks);
  const std::uint32_t vertices = std::accumulate(sizes.begin(), sizes.end(), std::uint32_t{0});
  const Cut cut = choose_cut(task, sizes.size());
  const bool hurried = !needs_groups(task) && cut.seconds > most_to_cut(task, sizes.size());
  const double brief = std::min(share * task.seconds, in_brief * static_cast<double>(sizes.size()));
  // What lies beside what is decided here: no later search makes up for time that is saved on it,
  // unless it moves ranks over the borders of few nodes.
  const double most = sizes.size() <= kFewGroups && are_mended_later(task)
                          ? share * task.seconds
                          : std::max(share * task.seconds, std::min(task.seconds, kAllOfIt));
  const double full =
      std::min(hurried ? half * task.seconds : most, in_full * static_cast<double>(sizes.size()));
  const double start = cut.seconds + brief;
  const double starts = std::clamp(std::floor(share * task.seconds / start), 1.0, most_starts);
  const double of_shape =
      needs_groups(task) ? brief : std::min(brief, std::max(some, of_tiles * task.seconds));
  PlacedGroups best = place_tiles(task, grouping, sizes, of_shape);
  const bool choosing = starts > 1 || !best.node_of.empty();
  const bool tiled = !best.node_of.empty();
  // Tiles cut alike everywhere, and so through heavy pairs.
  const bool tiles_do =
      tiled && (ranks > kMany || (!is_heavy_tailed(task) && (hurried || starts < 2)));
  const bool doubtful = tiles_do && may_be_cut_better(task, grouping, cut, best);
  const int cuts = doubtful ? 1 : tiles_do ? 0 : static_cast<int>(starts);
  RandomSource random(task.seed);
  const auto stop = [due = task.deadline.share(kMostToCut)] { return due.passed(); };
  for (int i = 0; i < cuts && (i == 0 || !stop()); ++i) {
    PartitionGraph graph = partition_graph(task.graph, vertices);
    PlacedGroups found(task.graph,
                       cut.coarsened ? cut_in_many_parts(std::move(graph), sizes, random, stop)
                                     : cut_side_by_side(std::move(graph), sizes, random, stop),
                       sizes.size());
    place_groups(task, grouping.nodes, choosing ? brief : full, found);
    if (best.node_of.empty() || found.cost < best.cost) best = std::move(found);
  }
  if (choosing && full > brief && !task.deadline.passed())
    place_groups(task, grouping.nodes, full, best);
  return best;
}

std::size_t groups_of(const MappingTask& task, const Grouping& grouping) {
  return sizes_of_groups(grouping, task.graph.ranks()).size();
}

bool has_tiles(const MappingTask& task, const Grouping& grouping) {
  return all_full(grouping, sizes_of_groups(grouping, task.graph.ranks())) &&
         task.recognised->tiles(grouping.size) != nullptr;
}

Mapping map_group(const MappingTask& task) {
  const Grouping grouping = choose_grouping(task.allocation);
  if (grouping.size < 2) return map_linear(task);
  // What lies together in space is the next best thing to a group, and found in no time.
  const double cutting = choose_cut(task, groups_of(task, grouping)).seconds;
  double drawing = 0;  // seconds it may take
  if (task.topology.grid() != nullptr && cutting > task.seconds) drawing = cutting;
  if (group_is_hurried(task)) drawing = kMostOfTime * task.seconds;
  if (drawing > 0 && has_tiles(task, grouping)) drawing = 0;
  if (std::optional<Mapping> mapping = map_by_shape(task, drawing)) return *std::move(mapping);
  const PlacedGroups placed = find_groups(task, grouping);
  Mapping mapping;
  for (Rank rank = 0; rank < task.graph.ranks(); ++rank)
    mapping.push_back(placed.node_of[placed.group[rank]]);
  repair_slots(mapping, task.topology, task.allocation);
  return mapping;
}

// Whether nothing that is laid out regularly stays so.
bool is_scattered(const MappingTask& task) {
  const std::optional<HostBox> box = HostBox::of(task);
  return !box || !box->holds_together();
}

// Of the bytes; more than all where there are no tiles.
double share_between_tiles(const MappingTask& task, const Grouping& grouping) {
  if (!all_full(grouping, sizes_of_groups(grouping, task.graph.ranks()))) return HUGE_VAL;
  return task.recognised->share_between_tiles(grouping.size);
}

// Where nodes are scattered a grid of ranks cannot be folded, and where to cut it would take most
// of the time, to draw it does, too. But its tiles are known. In an instant, setting up takes so
// much that even less is left.
bool tiles_are_all(const MappingTask& task, const Grouping& grouping, std::size_t groups) {
  constexpr double instant = 0.06;  // seconds of planned work
  const double most_of_it = task.seconds < instant ? kMostBesideSearch : 0.6;
  if (choose_cut(task, groups).seconds <= most_of_it * task.seconds) return false;
  if (!has_tiles(task, grouping)) return false;
  return is_scattered(task);
}

bool may_be_grouped(const MappingTask& task, const Grouping& grouping) {
  return !needs_groups(task) && grouping.size >= kFewestOnGrids && groups_of(task, grouping) >= 2 &&
         !task.deadline.passed();
}

// Of what is left, too: what comes before may have taken longer than planned.
bool is_time_to_cut(const MappingTask& task, std::size_t groups) {
  const double cutting = choose_cut(task, groups).seconds;
  if (cutting > task.seconds) return false;
  const bool late = cutting > kMostToCut * task.deadline.seconds_left();
  if (late) task.trace.hurry();
  return !late;
}

double seconds_in_all(const MappingTask& task) {
  return group_seconds(task) + group_placing_seconds(task);
}

}  // namespace

double group_seconds(const MappingTask& task) {
  return choose_cut(task, groups_of(task, choose_grouping(task.allocation))).core_seconds;
}

double group_placing_seconds(const MappingTask& task) {
  const Grouping grouping = choose_grouping(task.allocation);
  if (groups_of(task, grouping) <= kFewGroups || task.graph.ranks() > kMany) return 0;
  return has_tiles(task, grouping) ? 0 : std::min(task.seconds, kAllOfIt);
}

bool group_leads_no_further(const MappingTask& task) {
  const Grouping grouping = choose_grouping(task.allocation);
  return !needs_groups(task) && groups_of(task, grouping) <= kFewGroups &&
         !has_tiles(task, grouping) && !is_heavy_tailed(task) && !is_scattered(task);
}

bool group_beats_a_drawing(const MappingTask& task) {
  constexpr double enough = 5e-4;  // seconds for each group
  if (needs_groups(task) || group_placing_seconds(task) == 0) return false;
  const std::size_t groups = groups_of(task, choose_grouping(task.allocation));
  return task.seconds >= enough * static_cast<double>(groups) && is_scattered(task);
}

bool group_is_hurried(const MappingTask& task) {
  const Grouping grouping = choose_grouping(task.allocation);
  return task.graph.ranks() > kMany && choose_cut(task, groups_of(task, grouping)).coarsened;
}

// Where parts are cut level by level, nodes are the last of them, and only tiles are better.
bool group_is_candidate(const MappingTask& task) {
  const unsigned fewest = task.topology.grid() == nullptr ? kFewestOffGrids : kFewestOnGrids;
  const Grouping grouping = choose_grouping(task.allocation);
  if (grouping.size < fewest) return false;
  const std::size_t groups = groups_of(task, grouping);
  if (groups < 2) return false;
  if (group_is_called_for(task)) return true;
  if (choose_cut(task, groups).seconds > most_to_cut(task, groups)) return false;
  return task.graph.ranks() > kMostToMultisect || !multisect_is_candidate(task) ||
         has_tiles(task, grouping);
}

// Where few pairs carry most of the traffic, they are seen by joining and cutting, and not by a
// drawing. A grid may be folded all the same; but nothing else knows what to do with its gaps.
bool group_is_called_for(const MappingTask& task) {
  const Grouping grouping = choose_grouping(task.allocation);
  if (needs_groups(task) || grouping.size < kFewestOnGrids) return false;
  const std::size_t groups = groups_of(task, grouping);
  if (groups < 2) return false;
  const bool is_grid = task.recognised->exact_grid() != nullptr;
  if (!is_grid && has_tiles(task, grouping)) return true;
  if (groups <= kFewNodes) return false;
  if (tiles_are_all(task, grouping, groups)) return true;
  return !is_grid && is_heavy_tailed(task) && choose_cut(task, groups).seconds <= task.seconds;
}

// Clusters that hardly exchange anything are seen by joining ranks. And a grid has tiles, however
// many ranks there are, where nothing else has led anywhere.
bool group_would_help(const MappingTask& task, double hops_per_byte) {
  constexpr double hardly_any = 0.3;  // of the bytes
  // Less than what goes from node to node so far. Over the borders of few nodes, moves of single
  // ranks lead far; and where there is no time to cut, there is little to place groups, either.
  constexpr double by_clusters = 0.8;
  constexpr double by_clusters_on_few = 0.35;
  constexpr double by_tiles = 0.4;
  constexpr double by_tiles_in_a_hurry = 0.2;
  const Grouping grouping = choose_grouping(task.allocation);
  if (hops_per_byte <= 0 || !may_be_grouped(task, grouping)) return false;
  const std::size_t groups = groups_of(task, grouping);
  const double most = (groups <= kFewNodes ? by_clusters_on_few : by_clusters) * hops_per_byte;
  const bool has_time = is_time_to_cut(task, groups);
  if (has_time && joining_is_cheap(task) &&
      task.recognised->share_between_clusters(grouping.size) <= std::min(hardly_any, most)) {
    return true;
  }
  return share_between_tiles(task, grouping) <=
         (has_time ? by_tiles : by_tiles_in_a_hurry) * hops_per_byte;
}

void foresee_groups(const MappingTask& task) {
  const Grouping grouping = choose_grouping(task.allocation);
  if (may_be_grouped(task, grouping) && is_time_to_cut(task, groups_of(task, grouping)) &&
      joining_is_cheap(task)) {
    task.recognised->share_between_clusters(grouping.size);
  }
}

extern constexpr Mapper kGroupMapper{"group",          map_group, group_is_candidate,
                                     Turn::both_lanes, false,     seconds_in_all};

}  // namespace tofa
