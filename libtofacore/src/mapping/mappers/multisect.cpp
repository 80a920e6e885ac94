// SPDX-License-Identifier: BSD-3-Clause
// multisect: where distances are those of a tree, ranks are cut in as many parts as the machine has
// groups, each of these in as many as it has groups again, and so on down to the nodes (global
// multisection: Schulz and Träff, Better process mapping and sparse quadratic assignment, 2017).
// Groups of a level are all equally far from each other, so that only what crosses between them
// counts, at one level after the other; the higher one matters more. Where loads of links count, a
// part that sends more than others sets how busy the busiest link is: of cuts, that is counted once
// more (more of it makes no difference).
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <optional>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/pace.hpp"
#include "mapping/rates.hpp"
#include "mapping/seats/levels.hpp"
#include "mapping/tools/clusters.hpp"
#include "mapping/tools/multisection.hpp"

namespace tofa {
namespace {

bool share_nodes(const Allocation& allocation) {
  return total_slots(allocation) > allocation.size();
}

// Where a machine has no groups worth the name there is nothing to cut.
const MachineLevels* levels_to_cut(const MappingTask& task) {
  const MachineLevels* levels = task.levels->get();
  const bool has_groups =
      levels != nullptr && (levels->count() > 1 || share_nodes(task.allocation));
  return has_groups ? levels : nullptr;
}

struct Subtree {
  std::vector<std::uint32_t> vertices;
  Entries entries;
};

using Subtrees = std::vector<Subtree>;

// Seconds: less is as little as nothing, of which there are no shares.
constexpr double kNoTime = 1e-9;

class Multisection {
 public:
  Multisection(const MappingTask& task, const SeatPlan& plan, const MachineLevels& levels,
               std::uint64_t seed)
      : task_(task), plan_(plan), levels_(levels), seconds_(task.seconds), random_(seed) {
    chosen_ = choose_entries(levels, plan, task.graph.ranks());
    local_.assign(seats_of(plan, chosen_), kNoRank);
  }

  // Seats that stay free get vertices without traffic, so that sizes are exact.
  Subtrees whole() const {
    Subtrees parts(1);
    parts[0].vertices.resize(local_.size());
    std::iota(parts[0].vertices.begin(), parts[0].vertices.end(), 0U);
    parts[0].entries = chosen_;
    return parts;
  }

  // Divides what lies below `levels` levels down to the nodes.
  Subtrees divide_all(Subtrees parts, std::size_t levels) {
    while (levels > 0) parts = divide(parts, --levels, cut_in_parts);
    return parts;
  }

  std::size_t most_children(const Subtrees& parts, std::size_t level) const {
    std::size_t most = 0;
    for (const Subtree& part : parts)
      most = std::max(most, children_of(levels_, part.entries, level).size());
    return most;
  }

  // So many levels are still to be cut, in what is left of the time.
  void expect(std::size_t levels) {
    const double share = static_cast<double>(levels) / static_cast<double>(levels_.count());
    left_ = (share - share_of_seats()) * task_.seconds;
  }

  // From now on it has a share of the vertices, so many levels of them, and all of the time.
  void take_share(double share, std::size_t levels) {
    seconds_ = task_.seconds / share;
    expect(levels);
  }

  // How parts are cut by halves.
  using CutByHalves = decltype(&cut_in_parts);

  Subtrees divide(const Subtrees& parts, std::size_t level, CutByHalves by_halves) {
    Subtrees next;
    for (const Subtree& part : parts) divide(part, level, by_halves, next);
    return next;
  }

 private:
  void divide(const Subtree& part, std::size_t level, CutByHalves by_halves, Subtrees& next) {
    std::vector<Entries> children = children_of(levels_, part.entries, level);
    if (children.size() == 1) {
      next.push_back(part);
      return;
    }
    std::vector<std::uint32_t> sizes;
    sizes.reserve(children.size());
    for (const Entries& child : children) {
      sizes.push_back(static_cast<std::uint32_t>(seats_of(plan_, child)));
    }
    const bool all_alike =
        std::all_of(sizes.begin(), sizes.end(), [](auto size) { return size == 1; });
    std::vector<std::uint32_t> parts(part.vertices.size());
    if (all_alike) {
      std::iota(parts.begin(), parts.end(), 0U);
    } else {
      parts = cut(part, sizes, by_halves);
    }
    const std::size_t first = next.size();
    for (Entries& child : children) next.push_back({{}, std::move(child)});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      next[first + parts[i]].vertices.push_back(part.vertices[i]);
    }
  }

  // Of the levels, the last one, where nodes have one seat and nothing is cut.
  double share_of_seats() const {
    return plan_.seats() == plan_.entries() ? 1 / static_cast<double>(levels_.count()) : 0;
  }

  // When a cut is to be done for which so many seconds are planned, so that those after it get what
  // is theirs, too: on a slow core, levels that come late would get nothing else.
  Deadline due_of(double planned) {
    const double of_the_rest = planned / std::max({left_, planned, kNoTime});
    left_ -= planned;
    return task_.deadline.share(of_the_rest);
  }

  void anneal(const PartitionGraph& graph, double seconds, double from, const Deadline& due,
              std::vector<std::uint32_t>& parts) {
    constexpr double end = 0.05;
    const auto tries = static_cast<std::uint64_t>(std::max(0.0, seconds / rates::kPartsTry));
    Pace pace(due, task_.trace);
    const auto progress = [&pace](double done) { return pace.progress(done); };
    anneal_parts(graph, {tries, from, end, progress}, random_, parts);
  }

  struct Cut {
    std::vector<std::uint32_t> parts;
    std::int64_t cost = 0;
  };

  // Cuts that begin differently end differently, by more than annealing gains: of several ones by
  // halves the best is annealed in brief, and of some of these the best is annealed on. Levels
  // share the work alike.
  std::vector<std::uint32_t> cut(const Subtree& part, const std::vector<std::uint32_t>& sizes,
                                 CutByHalves by_halves) {
    constexpr double most_starts = 8;
    constexpr double for_starts = 0.7;
    constexpr double of_a_start = 8;  // the time that so many cuts take
    constexpr double start = 0.3;
    const auto vertices = static_cast<double>(part.vertices.size());
    const double share = vertices / static_cast<double>(local_.size()) /
                         static_cast<double>(levels_.count()) * seconds_;
    const Deadline due = due_of(share);
    const PartitionGraph graph = partition_graph_of(task_.graph, part.vertices, local_);
    const double pairs = static_cast<double>(graph.edges.size()) / 2;
    const double cutting = rates::seconds_to_halve(vertices, pairs) * std::log2(sizes.size());
    const double starts =
        std::clamp(std::floor(for_starts * share / (of_a_start * cutting)), 1.0, most_starts);
    const double for_each = for_starts * share / starts;
    Cut best;
    for (int i = 0; i < static_cast<int>(starts) && (i == 0 || !due.passed()); ++i) {
      const Deadline own_due = due.share(for_each / std::max(share - i * for_each, kNoTime));
      Cut found = start_with(graph, sizes, by_halves, {cutting, for_each, own_due});
      if (best.parts.empty() || found.cost < best.cost) best = std::move(found);
    }
    anneal(graph, (1 - for_starts) * share, start, due, best.parts);
    return std::move(best.parts);
  }

  // Seconds that a cut takes, and that there are for all of a start, until then.
  struct StartTime {
    double cutting;
    double all;
    Deadline due;
  };

  Cut start_with(const PartitionGraph& graph, const std::vector<std::uint32_t>& sizes,
                 CutByHalves by_halves, const StartTime& time) {
    constexpr double to_cut = 0.75;  // of the time
    constexpr double most_cuts = 8;
    constexpr double start = 0.15;
    const auto stop = [this] { return task_.deadline.passed(); };
    const double cuts = std::clamp(std::floor(to_cut * time.all / time.cutting), 1.0, most_cuts);
    const Attempts attempts = cuts > 1 ? Attempts::two : Attempts::one;
    const Deadline last = time.due.share(to_cut);
    Cut best;
    for (int i = 0; i < static_cast<int>(cuts) && (i == 0 || !last.passed()); ++i) {
      Cut found{by_halves(graph, sizes, random_, stop, attempts)};
      found.cost = cost_of(graph, found.parts);
      if (best.parts.empty() || found.cost < best.cost) best = std::move(found);
    }
    anneal(graph, time.all - cuts * time.cutting, start, time.due, best.parts);
    best.cost = cost_of(graph, best.parts);
    return best;
  }

  std::int64_t cost_of(const PartitionGraph& graph, const std::vector<std::uint32_t>& parts) const {
    const std::int64_t cut = cut_of(graph, parts);
    return task_.objective->counts_loads ? cut + longest_border_of(graph, parts) : cut;
  }

  const MappingTask& task_;
  const SeatPlan& plan_;
  const MachineLevels& levels_;
  double seconds_;   // of an ordinary core, for all levels
  double left_ = 0;  // of these, for cuts that are still to be made
  RandomSource random_;
  Entries chosen_;
  std::vector<std::uint32_t> local_;  // by vertex: its number in a part
};

Mapping to_mapping(const MappingTask& task, const SeatPlan& plan, const Subtrees& parts) {
  Mapping mapping(task.graph.ranks());
  for (const Subtree& part : parts) {
    for (const std::uint32_t v : part.vertices) {
      if (v < mapping.size()) mapping[v] = plan.node(part.entries.front());
    }
  }
  return mapping;
}

// Seconds to cut everything once, without annealing.
double seconds_to_cut(const MappingTask& task) {
  const double ranks = std::max<double>(task.graph.ranks(), 2);
  const double places = std::max<double>(static_cast<double>(task.allocation.size()), 2);
  return rates::kMultisectPerRank * ranks * std::log2(places);
}

// What a cut of all ranks costs, in bytes between ranks of different parts.
Bytes cost_of(const MappingTask& task, const Subtrees& parts) {
  const CommGraph& graph = task.graph;
  std::vector<std::uint32_t> part_of(graph.ranks());
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    for (const std::uint32_t v : parts[part].vertices)
      if (v < graph.ranks()) part_of[v] = part;
  }
  Bytes cut = 0;
  std::vector<Bytes> borders(parts.size());
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (edge.partner < rank || part_of[edge.partner] == part_of[rank]) continue;
      cut += edge.bytes;
      borders[part_of[rank]] += edge.bytes;
      borders[part_of[edge.partner]] += edge.bytes;
    }
  }
  if (!task.objective->counts_loads) return cut;
  return cut + *std::max_element(borders.begin(), borders.end());
}

// The first cut is what matters most: the better one of two lanes, or one that both make where to
// be in time is worth more than a second attempt. Where lanes end differently there are better ones
// yet, so that they try again as long as there is time to spare: as much as each of the levels
// takes then, which are planned alike.
Subtrees divide_whole(const MappingTask& task, std::array<Multisection, kLanes>& own,
                      const Subtrees& whole, std::size_t level, double tries) {
  constexpr double hurried = 0.5;
  const bool has_halves = own[0].most_children(whole, level) > kLanes;
  if (has_halves && seconds_to_cut(task) > hurried * task.seconds) {
    own[0].expect(level + 1);
    return own[0].divide(whole, level, cut_side_by_side);
  }
  Subtrees best;
  Bytes least = 0;
  bool again = true;
  for (; tries >= 1 && again; --tries) {
    const double before = task.deadline.seconds_left();
    for (Multisection& each : own) each.expect(level + 1);
    std::array<Subtrees, kLanes> found;
    std::array<Bytes, kLanes> cost{};
    run_lanes([&](unsigned lane) {
      found[lane] = own[lane].divide(whole, level, cut_in_parts);
      cost[lane] = cost_of(task, found[lane]);
    });
    const bool second = cost[1] < cost[0];
    const double left = task.deadline.seconds_left();
    const bool is_time = left > (before - left) * static_cast<double>(level + 1);
    again = cost[0] != cost[1] && is_time;
    if (cost[0] != cost[1] && !is_time && tries >= 2) task.trace.hurry();
    if (!best.empty() && cost[second ? 1 : 0] >= least) continue;
    best = std::move(found[second ? 1 : 0]);
    least = cost[second ? 1 : 0];
  }
  return best;
}

// Each lane divides some of the parts down to the nodes.
Subtrees divide_parts(std::array<Multisection, kLanes>& own, Subtrees parts, std::size_t levels) {
  std::array<Subtrees, kLanes> found;
  std::array<std::size_t, kLanes> vertices{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t lane = kLanes * i / parts.size();
    vertices[lane] += parts[i].vertices.size();
    found[lane].push_back(std::move(parts[i]));
  }
  const double all = static_cast<double>(vertices[0] + vertices[1]);
  const double share = static_cast<double>(std::max(vertices[0], vertices[1])) / all;
  run_lanes([&](unsigned lane) {
    own[lane].take_share(share, levels);
    found[lane] = own[lane].divide_all(std::move(found[lane]), levels);
  });
  std::move(found[1].begin(), found[1].end(), std::back_inserter(found[0]));
  return std::move(found[0]);
}

// Two lanes with graphs of so many ranks take too much memory.
bool is_too_large(const MappingTask& task) {
  return task.graph.ranks() > kMostToMultisect;
}

Mapping map_multisect(const MappingTask& task) {
  if (is_too_large(task)) {
    if (std::optional<Mapping> mapping = map_by_shape(task, task.seconds)) {
      return *std::move(mapping);
    }
  }
  const SeatPlan plan(task.allocation, task.graph.ranks());
  const MachineLevels* levels = levels_to_cut(task);
  if (levels == nullptr) return map_linear(task);
  const auto in_lane = [&](std::uint64_t lane) {
    return Multisection(task, plan, *levels, task.seed * kLanes + lane);
  };
  std::array<Multisection, kLanes> own = {in_lane(0), in_lane(1)};
  Subtrees parts = own[0].whole();
  std::size_t left = levels->count();
  const auto levels_spared =
      static_cast<double>(levels->count()) * task.spare_seconds / std::max(task.seconds, 1e-9);
  while (left > 0 && parts.size() == 1)
    parts = divide_whole(task, own, parts, --left, 1 + levels_spared);
  return to_mapping(task, plan, divide_parts(own, std::move(parts), left));
}

}  // namespace

bool multisect_is_candidate(const MappingTask& task) {
  if (is_too_large(task) && group_is_candidate(task)) return false;
  // Two fifths of the time limit are planned at most, and two lanes cut. What is left without are
  // drawings and groups: cuts of which the last ones come late are better than these.
  const double most = is_too_large(task) ? 2.5 : 4.5;
  return seconds_to_cut(task) <= most * task.seconds && levels_to_cut(task) != nullptr;
}

extern constexpr Mapper kMultisectMapper{"multisect", map_multisect, multisect_is_candidate,
                                         Turn::both_lanes, true};

}  // namespace tofa
