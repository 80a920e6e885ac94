// SPDX-License-Identifier: BSD-3-Clause
// Choosing nodes: see select_nodes.hpp.
#include "tofa/select_nodes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <map>
#include <set>

#include "mapping/allocation.hpp"
#include "mapping/search/work_plan.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

// Whether there are so many nodes, and the roomiest of them take the ranks.
bool can_take(Allocation nodes, Rank ranks, std::size_t count) {
  if (nodes.size() < count) return false;
  std::sort(nodes.begin(), nodes.end(),
            [](const AllocationEntry& a, const AllocationEntry& b) { return a.slots > b.slots; });
  nodes.resize(count);
  return total_slots(nodes) >= ranks;
}

// The candidates that are worth considering: if there are enough, none that is certain to fail, and
// none with less room than an even share of the ranks takes.
Allocation pool_of(const Allocation& candidates, const OutageMap& outages, Rank ranks,
                   std::size_t count) {
  const auto most = static_cast<unsigned>((ranks - 1) / count + 1);
  const Allocation alive = alive_nodes(candidates, outages);
  for (const Allocation* nodes : {&alive, &candidates}) {
    Allocation roomy = *nodes;
    std::erase_if(roomy, [most](const AllocationEntry& entry) { return entry.slots < most; });
    if (roomy.size() >= count) return roomy;
    if (can_take(*nodes, ranks, count)) return *nodes;
  }
  return candidates;
}

// The nodes that got most ranks, of equals those that are less likely to fail, in the order of the
// candidates.
Allocation busiest(const Allocation& nodes, const OutageMap& outages, const Mapping& mapping,
                   std::size_t count) {
  std::map<Node, unsigned> ranks_on;
  for (const Node node : mapping) ++ranks_on[node];
  std::vector<Node> order;
  for (const AllocationEntry& entry : nodes) order.push_back(entry.node);
  std::stable_sort(order.begin(), order.end(), [&](Node a, Node b) {
    if (ranks_on[a] != ranks_on[b]) return ranks_on[a] > ranks_on[b];
    return outages.probability(a) < outages.probability(b);
  });
  const std::set<Node> best(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  Allocation chosen = nodes;
  std::erase_if(chosen,
                [&best](const AllocationEntry& entry) { return !best.contains(entry.node); });
  return chosen;
}

// The candidates with few slots each, so that a placement on them shows which of them are good: as
// few as a node gets on average, or as the fullest does, or all that there are; if that can be, so
// many that nodes which may fail are not needed.
Allocation with_few_slots(const Allocation& nodes, const OutageMap& outages, Rank ranks,
                          unsigned count) {
  Allocation safe = nodes;
  std::erase_if(safe, [&outages](const AllocationEntry& entry) {
    return outages.probability(entry.node) > 0;
  });
  for (const Allocation* needed : std::initializer_list<const Allocation*>{&safe, &nodes}) {
    for (const unsigned slots : {ranks / count, (ranks - 1) / count + 1}) {
      if (total_slots(with_at_most(*needed, slots)) >= ranks) return with_at_most(nodes, slots);
    }
  }
  return nodes;
}

// For one half of the work, until half of what is left of the time is over, or all of it.
PlaceOptions options_for_half(const CommGraph& graph, const PlaceOptions& options,
                              std::chrono::steady_clock::time_point start, bool is_first) {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const double limit = options.time_limit_seconds;
  PlaceOptions half = options;
  half.time_limit_seconds = limit / 2;
  if (!half.work) half.work = planned_work(graph, half);
  half.started = start;
  half.time_limit_seconds = is_first ? (limit + spent.count()) / 2 : limit;
  return half;
}

}  // namespace

Placement select_nodes(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                       const Allocation& candidates, unsigned node_count,
                       const PlaceOptions& options) {
  const Rank ranks = graph.ranks();
  if (node_count == 0 || ranks == 0) return place(graph, topology, outages, candidates, options);
  const unsigned count = std::min(node_count, ranks);
  const auto start = options.started.value_or(std::chrono::steady_clock::now());
  bool out_of_time = false;
  Allocation pool = pool_of(candidates, outages, ranks, count);
  if (pool.size() > count) {
    const Allocation thin = with_few_slots(pool, outages, ranks, count);
    const Placement first =
        place(graph, topology, outages, thin, options_for_half(graph, options, start, true));
    out_of_time = first.out_of_time;
    pool = busiest(pool, outages, first.mapping, count);
  }
  if (pool.size() < count || total_slots(pool) < ranks) {
    throw Error(ErrorKind::unmet,
                fmt::format("{} ranks do not fit on {} nodes of the {} to choose from, which take "
                            "{}; choose more nodes",
                            ranks, count, pool.size(), total_slots(pool)));
  }
  Placement placement = place(graph, topology, outages, spread(pool, ranks),
                              options_for_half(graph, options, start, false));
  placement.out_of_time = placement.out_of_time || out_of_time;
  return placement;
}

}  // namespace tofa
