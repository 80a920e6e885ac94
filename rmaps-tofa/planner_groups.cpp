// SPDX-License-Identifier: BSD-3-Clause
// Slots, CPUs per rank, oversubscription and applications with nodes of their own; see
// planner_groups.hpp.
#include "planner_groups.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "tofa/error.hpp"

namespace tofa::planner {
namespace {

std::uint64_t sum(const std::vector<unsigned>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

std::string describe(const tofa_job& job, const Group& group, const std::vector<unsigned>& counts) {
  constexpr std::size_t shown = 8;
  std::string text;
  for (std::size_t i = 0; i < group.nodes.size() && i < shown; ++i)
    text += fmt::format("{}{}:{}", i > 0 ? ", " : "", job.nodes[group.nodes[i]].name, counts[i]);
  return group.nodes.size() > shown ? text + ", ..." : text;
}

// Ranks that each node of the job has room for. A slot may stand for a CPU or just for a rank; a
// node with any slot takes one rank in both cases.
std::vector<unsigned> room(const tofa_job& job, bool slots_are_cpus) {
  std::vector<unsigned> result;
  for (std::size_t i = 0; i < job.node_count; ++i) {
    const unsigned slots = job.nodes[i].slots;
    const unsigned by_cpus =
        slots_are_cpus && job.cpus_per_rank > 1 ? slots / job.cpus_per_rank : slots;
    result.push_back(slots > 0 ? std::max(by_cpus, 1u) : 0);
  }
  return result;
}

// Those with the least choice of nodes go first.
std::vector<std::size_t> narrow_first(const std::vector<Group>& groups) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&groups](std::size_t a, std::size_t b) {
    return groups[a].nodes.size() < groups[b].nodes.size();
  });
  return order;
}

// Puts as many ranks of the group as fit on its nodes in list order, taking them off `left`.
// Returns the rest.
Rank fill(Group& group, std::vector<unsigned>& left) {
  Rank missing = group.ranks;
  group.filled.assign(group.nodes.size(), 0);
  for (std::size_t i = 0; i < group.nodes.size(); ++i) {
    unsigned& available = left[group.nodes[i]];
    group.filled[i] = std::min<unsigned>(available, missing);
    available -= group.filled[i];
    missing -= group.filled[i];
  }
  return missing;
}

// Adds one rank per node and round until all have a place, never beyond a node's hard limit.
void oversubscribe(const tofa_job& job, Group& group, Rank missing) {
  while (missing > 0) {
    const Rank before = missing;
    for (std::size_t i = 0; i < group.nodes.size() && missing > 0; ++i) {
      const unsigned limit = job.nodes[group.nodes[i]].slots_max;
      if (limit > 0 && group.filled[i] >= limit) continue;
      ++group.filled[i];
      --missing;
    }
    if (missing == before) {
      throw Error(ErrorKind::unmet, fmt::format("{} ranks do not fit: every node is at its "
                                                "max_slots ({}); raise max_slots or add nodes",
                                                group.ranks, describe(job, group, group.filled)));
    }
  }
}

[[noreturn]] void refuse(const tofa_job& job, const Group& group) {
  std::vector<unsigned> slots;
  for (const unsigned node : group.nodes) slots.push_back(job.nodes[node].slots);
  throw Error(
      ErrorKind::unmet,
      fmt::format(
          "{} ranks need as many slots, but the {} nodes of the allocation have {} ({}); start "
          "fewer "
          "ranks, give nodes more slots (slots=N in the hostfile), or allow more ranks than slots "
          "with --oversubscribe",
          group.ranks, group.nodes.size(), sum(slots), describe(job, group, slots)));
}

}  // namespace

std::vector<Group> group_apps(const tofa_job& job) {
  std::vector<Group> groups;
  Rank first = 0;
  bool same = true;
  for (std::size_t i = 0; i < job.app_count; ++i) {
    const tofa_app& app = job.apps[i];
    groups.push_back({first, app.ranks, {app.nodes, app.nodes + app.node_count}, {}});
    first += app.ranks;
    same = same && groups.back().nodes == groups.front().nodes;
  }
  if (same && !groups.empty()) {
    groups.front().ranks = first;
    groups.resize(1);
  }
  return groups;
}

std::vector<unsigned> fill_groups(const tofa_job& job, std::vector<Group>& groups) {
  const auto order = narrow_first(groups);
  for (const bool slots_are_cpus : {true, false}) {
    std::vector<unsigned> left = room(job, slots_are_cpus);
    Rank missing = 0;
    for (const std::size_t which : order) missing += fill(groups[which], left);
    if (missing == 0) return left;
  }
  std::vector<unsigned> left = room(job, false);
  for (const std::size_t which : order) {
    const Rank missing = fill(groups[which], left);
    if (missing > 0 && !job.oversubscribe) refuse(job, groups[which]);
    oversubscribe(job, groups[which], missing);
  }
  return left;
}

std::vector<unsigned> default_mapping(const Group& group) {
  std::vector<unsigned> nodes;
  for (std::size_t i = 0; i < group.nodes.size(); ++i)
    nodes.insert(nodes.end(), group.filled[i], group.nodes[i]);
  return nodes;
}

}  // namespace tofa::planner
