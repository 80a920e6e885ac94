// SPDX-License-Identifier: BSD-3-Clause
// multisect: where distances are those of a tree, ranks are cut in as many parts as the machine has
// groups, each of these in as many as it has groups again, and so on down to the nodes (global
// multisection: Schulz and Träff, Better process mapping and sparse quadratic assignment, 2017).
// Groups of a level are all equally far from each other, so that only what crosses between them
// counts, at one level after the other; the higher one matters more.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/lanes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/mappers/clusters.hpp"
#include "mapping/rates.hpp"
#include "mapping/seats/levels.hpp"
#include "mapping/tools/multisection.hpp"

namespace tofa {
namespace {

// Where a machine has no groups worth the name there is nothing to cut.
std::optional<MachineLevels> levels_to_cut(const MappingTask& task, const SeatPlan& plan) {
  auto levels = MachineLevels::of(task.topology, plan);
  if (levels && levels->count() == 1 && plan.seats() == plan.entries()) levels.reset();
  return levels;
}

struct Subtree {
  std::vector<std::uint32_t> vertices;
  Entries entries;
};

class Multisection {
 public:
  Multisection(const MappingTask& task, const SeatPlan& plan, const MachineLevels& levels,
               std::uint64_t seed)
      : task_(task), plan_(plan), levels_(levels), seconds_(task.seconds), random_(seed) {}

  Mapping run() {
    const Rank ranks = task_.graph.ranks();
    Entries chosen = choose_entries(levels_, plan_, ranks);
    // Seats that stay free get vertices without traffic, so that sizes are exact.
    std::vector<Subtree> parts(1);
    parts[0].vertices.resize(seats_of(plan_, chosen));
    std::iota(parts[0].vertices.begin(), parts[0].vertices.end(), 0U);
    parts[0].entries = std::move(chosen);
    local_.assign(parts[0].vertices.size(), kNoRank);
    for (std::size_t level = levels_.count(); level-- > 0;) {
      std::vector<Subtree> next;
      for (const Subtree& part : parts) divide(part, level, next);
      parts = std::move(next);
    }
    Mapping mapping(ranks);
    for (const Subtree& part : parts) {
      for (const std::uint32_t v : part.vertices) {
        if (v < ranks) mapping[v] = plan_.node(part.entries.front());
      }
    }
    return mapping;
  }

 private:
  void divide(const Subtree& part, std::size_t level, std::vector<Subtree>& next) {
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
      parts = cut(part, sizes);
    }
    const std::size_t first = next.size();
    for (Entries& child : children) next.push_back({{}, std::move(child)});
    for (std::size_t i = 0; i < parts.size(); ++i) {
      next[first + parts[i]].vertices.push_back(part.vertices[i]);
    }
  }

  // Cuts that begin differently end differently, by as much as annealing gains: the best of some
  // short ones is annealed on. Levels share the work alike.
  std::vector<std::uint32_t> cut(const Subtree& part, const std::vector<std::uint32_t>& sizes) {
    constexpr double most_starts = 8;
    constexpr double for_starts = 0.6;
    constexpr double start = 0.3;
    constexpr double end = 0.05;
    constexpr double first_start = 0.15;
    const auto vertices = static_cast<double>(part.vertices.size());
    const double share = vertices / static_cast<double>(local_.size()) /
                         static_cast<double>(levels_.count()) * seconds_;
    const double cutting = rates::kBisectPerRank * vertices * std::log2(sizes.size());
    const double starts =
        std::clamp(std::floor(for_starts * share / (2 * cutting)), 1.0, most_starts);
    const auto tries_in = [](double seconds) {
      return static_cast<std::uint64_t>(std::max(0.0, seconds / rates::kPartsTry));
    };
    const auto first_tries = tries_in(for_starts * share / starts - cutting);
    const PartitionGraph graph = partition_graph_of(task_.graph, part.vertices, local_);
    const auto stop = [this] { return task_.deadline.passed(); };
    std::vector<std::uint32_t> best;
    std::int64_t least = 0;
    for (int i = 0; i < static_cast<int>(starts) && (i == 0 || !stop()); ++i) {
      std::vector<std::uint32_t> parts = cut_in_parts(graph, sizes, random_);
      anneal_parts(graph, {first_tries, first_start, end, stop}, random_, parts);
      const std::int64_t cost = cut_of(graph, parts);
      if (best.empty() || cost < least) {
        least = cost;
        best = std::move(parts);
      }
    }
    anneal_parts(graph, {tries_in((1 - for_starts) * share), start, end, stop}, random_, best);
    return best;
  }

  const MappingTask& task_;
  const SeatPlan& plan_;
  const MachineLevels& levels_;
  double seconds_;  // of an ordinary core
  RandomSource random_;
  std::vector<std::uint32_t> local_;  // by vertex: its number in a part
};

// Two lanes with graphs of so many ranks take too much memory.
bool is_too_large(const MappingTask& task) {
  return task.graph.ranks() > 1U << 18U;
}

Mapping map_multisect(const MappingTask& task) {
  if (is_too_large(task)) {
    if (std::optional<Mapping> mapping = map_by_shape(task, task.seconds)) {
      return *std::move(mapping);
    }
  }
  const SeatPlan plan(task.allocation, task.graph.ranks());
  const auto levels = levels_to_cut(task, plan);
  if (!levels) return map_linear(task);
  std::array<Mapping, kLanes> found;
  run_lanes([&](unsigned lane) {
    found[lane] = Multisection(task, plan, *levels, task.seed * kLanes + lane).run();
  });
  const auto cost = [&task](const Mapping& mapping) {
    return hop_bytes_of(task.graph, task.topology, mapping);
  };
  return cost(found[1]) < cost(found[0]) ? found[1] : found[0];
}

}  // namespace

bool multisect_is_candidate(const MappingTask& task) {
  if (is_too_large(task) && group_is_candidate(task)) return false;
  const double ranks = std::max<double>(task.graph.ranks(), 2);
  const double places = std::max<double>(static_cast<double>(task.allocation.size()), 2);
  // Two fifths of the time limit are planned at most; cutting once may take as long as the limit.
  if (rates::kBisectPerRank * ranks * std::log2(places) > 2.5 * task.seconds) return false;
  return levels_to_cut(task, SeatPlan(task.allocation, task.graph.ranks())).has_value();
}

extern constexpr Mapper kMultisectMapper{"multisect", map_multisect, multisect_is_candidate,
                                         Turn::both_lanes, true};

}  // namespace tofa
