// SPDX-License-Identifier: BSD-3-Clause
// Slabs of a drawing for groups of nodes: see drawn_levels.hpp.
#include "mapping/mappers/drawn_levels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/lanes.hpp"
#include "mapping/rates.hpp"
#include "mapping/tools/clusters.hpp"
#include "mapping/tools/multisection.hpp"
#include "mapping/tools/sibling_swaps.hpp"

namespace tofa {
namespace {

constexpr int kMostMendingPasses = 12;
// Of the time, for cutting graphs. It is planned to be two fifths of the limit at most.
constexpr double kShareForGraphs = 1.1;
constexpr double kMostInGraph = 1U << 18U;  // ranks: more take too much memory
// How graphs are annealed once they are cut.
constexpr std::uint64_t kTriesPerRank = 10;
constexpr std::size_t kFewestAnnealed =
    50;  // ranks: measuring temperatures takes as long as so many
constexpr double kStart = 0.15;
constexpr double kEnd = 0.05;

Entries in_order_of_groups(Entries entries, const MachineLevels& levels) {
  std::sort(entries.begin(), entries.end(), [&levels](std::uint32_t a, std::uint32_t b) {
    for (std::size_t level = levels.count(); level-- > 0;) {
      const auto& group = levels.group[level];
      if (group[a] != group[b]) return group[a] < group[b];
    }
    return a < b;
  });
  return entries;
}

}  // namespace

DrawnLevels::DrawnLevels(const MappingTask& task, const SeatPlan& plan, const MachineLevels& levels)
    : task_(task),
      entries_(in_order_of_groups(choose_entries(levels, plan, task.graph.ranks()), levels)) {
  // Seats that stay free are the last ones.
  ranks_before_.push_back(0);
  for (const std::uint32_t entry : entries_) {
    nodes_.push_back(plan.node(entry));
    const std::uint32_t free = task.graph.ranks() - ranks_before_.back();
    ranks_before_.push_back(ranks_before_.back() + std::min(plan.seats_of(entry), free));
  }
  const auto count = static_cast<std::uint32_t>(entries_.size());
  whole_ = {{0, count, 0, 0, ranks_before_.back()}};
  const std::vector<Part>* groups = &whole_;
  for (std::size_t level = levels.count(); level-- > 0;) {
    // Where all get one rank, it makes no difference which.
    if (level == 0 && entries_.size() >= task.graph.ranks()) break;
    Cut cut = groups_below(*groups, levels, level);
    if (cut.children.size() == groups->size()) continue;
    cuts_.push_back(std::move(cut));
    groups = &cuts_.back().children;
  }
  choose_graphs();
}

DrawnLevels::Cut DrawnLevels::groups_below(const std::vector<Part>& groups,
                                           const MachineLevels& levels, std::size_t level) const {
  const auto same = [&](std::uint32_t place) {
    if (level == 0) return false;
    const std::vector<std::uint32_t>& group = levels.group[level - 1];
    return group[entries_[place]] == group[entries_[place - 1]];
  };
  Cut cut;
  for (std::uint32_t parent = 0; parent < groups.size(); ++parent) {
    cut.first_child.push_back(cut.children.size());
    const Part& group = groups[parent];
    for (std::uint32_t first = group.first, last = first; first < group.last; first = last) {
      do {
        ++last;
      } while (last < group.last && same(last));
      cut.children.push_back({first, last, parent, ranks_before_[first], ranks_before_[last]});
      cut.sizes.push_back(cut.children.back().ranks());
    }
  }
  cut.first_child.push_back(cut.children.size());
  return cut;
}

// From the lowest level up, as far as there is time: groups are small there, so that a drawing
// hardly knows them, and more traffic leaves them than those above.
void DrawnLevels::choose_graphs() {
  double left = kShareForGraphs * task_.seconds;
  for (std::size_t depth = cuts_.size(); depth-- > 0;) {
    const double ranks = task_.graph.ranks();
    const auto groups = static_cast<double>(cuts_[depth].first_child.size() - 1);
    const auto children = static_cast<double>(cuts_[depth].children.size());
    const auto& above = depth == 0 ? whole_ : cuts_[depth - 1].children;
    double largest = 0;
    for (const Part& group : above) largest = std::max<double>(largest, group.ranks());
    // A group is cut by one lane.
    left -=
        rates::kMultisectPerRank * std::max(ranks / kLanes, largest) * std::log2(children / groups);
    if (left < 0 || largest > kMostInGraph) return;
    cuts_[depth].as_graphs = true;
  }
}

Mapping DrawnLevels::cut(const Drawing& drawing) const {
  const Slabs slabs(drawing);
  std::vector<Rank> order(task_.graph.ranks());
  std::iota(order.begin(), order.end(), Rank{0});
  const std::vector<Part>* groups = &whole_;
  for (const Cut& cut : cuts_) {
    if (cut.as_graphs) {
      cut_graphs(slabs, *groups, cut, order);
    } else {
      cut_drawing(slabs, *groups, cut, order);
      mend(cut, order);
    }
    groups = &cut.children;
  }
  Mapping mapping(order.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    for (std::uint32_t at = ranks_before_[i]; at < ranks_before_[i + 1]; ++at) {
      mapping[order[at]] = nodes_[i];
    }
  }
  return mapping;
}

void DrawnLevels::cut_drawing(const Slabs& slabs, const std::vector<Part>& groups, const Cut& cut,
                              std::vector<Rank>& order) const {
  if (groups.size() == 1) {
    slabs.cut_side_by_side(cut.sizes, groups.front().of(order));
    return;
  }
  run_lanes([&](unsigned lane) {
    for (std::size_t group = lane; group < groups.size(); group += kLanes) {
      slabs.cut(cut.sizes_in(group), groups[group].of(order));
    }
  });
}

void DrawnLevels::mend(const Cut& cut, std::vector<Rank>& order) const {
  std::vector<std::uint32_t> parent;
  std::vector<std::uint32_t> next;  // by part: where its next rank goes
  std::vector<std::uint32_t> part_of(order.size());
  for (const Part& part : cut.children) {
    for (const Rank rank : part.of(order)) part_of[rank] = static_cast<std::uint32_t>(next.size());
    parent.push_back(part.parent);
    next.push_back(part.first_rank);
  }
  swap_between_siblings(
      task_.graph, parent, kMostMendingPasses, [this] { return task_.deadline.passed(); }, part_of);
  for (Rank rank = 0; rank < order.size(); ++rank) order[next[part_of[rank]]++] = rank;
}

// What is late is cut in slabs.
void DrawnLevels::cut_graphs(const Slabs& slabs, const std::vector<Part>& groups, const Cut& cut,
                             std::vector<Rank>& order) const {
  const auto late = [this] { return task_.deadline.passed(); };
  const auto unless_late = [&late](double done) { return late() ? 1 : done; };
  run_lanes([&](unsigned lane) {
    std::vector<std::uint32_t> local(order.size(), kNoRank);
    for (std::size_t group = lane; group < groups.size(); group += kLanes) {
      const std::span<Rank> ranks = groups[group].of(order);
      const auto wanted = cut.sizes_in(group);
      if (late()) {
        slabs.cut(wanted, ranks);
        continue;
      }
      const std::vector<Rank> vertices(ranks.begin(), ranks.end());
      const std::vector<std::uint32_t> sizes(wanted.begin(), wanted.end());
      const PartitionGraph graph = partition_graph_of(task_.graph, vertices, local);
      RandomSource random(task_.seed + cut.first_child[group]);
      std::vector<std::uint32_t> parts = cut_in_parts(graph, sizes, random, late);
      if (late()) {
        slabs.cut(wanted, ranks);
        continue;
      }
      if (vertices.size() >= kFewestAnnealed) {
        anneal_parts(graph, {kTriesPerRank * vertices.size(), kStart, kEnd, unless_late}, random,
                     parts);
      }
      std::vector<std::uint32_t> next(sizes.size());
      std::exclusive_scan(sizes.begin(), sizes.end(), next.begin(), 0U);
      for (std::size_t i = 0; i < vertices.size(); ++i) ranks[next[parts[i]]++] = vertices[i];
    }
  });
}

}  // namespace tofa
