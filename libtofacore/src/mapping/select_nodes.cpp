// SPDX-License-Identifier: BSD-3-Clause
// Choosing nodes: see select_nodes.hpp.
#include "tofa/select_nodes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "mapping/allocation.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

// The nodes that got most ranks, in the order of the candidates.
Allocation busiest(const Allocation& nodes, const Mapping& mapping, std::size_t count) {
  std::map<Node, unsigned> ranks_on;
  for (const Node node : mapping) ++ranks_on[node];
  std::vector<Node> order;
  for (const AllocationEntry& entry : nodes) order.push_back(entry.node);
  std::stable_sort(order.begin(), order.end(),
                   [&ranks_on](Node a, Node b) { return ranks_on[a] > ranks_on[b]; });
  const std::set<Node> best(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  Allocation chosen = nodes;
  std::erase_if(chosen,
                [&best](const AllocationEntry& entry) { return !best.contains(entry.node); });
  return chosen;
}

// The candidates with few slots each, so that a placement on them shows which of them are good: as
// few as a node gets on average, or as the fullest does, or all that there are.
Allocation with_few_slots(const Allocation& nodes, Rank ranks, unsigned count) {
  for (const unsigned slots : {ranks / count, (ranks - 1) / count + 1}) {
    Allocation few = with_at_most(nodes, slots);
    if (total_slots(few) >= ranks) return few;
  }
  return nodes;
}

}  // namespace

Placement select_nodes(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                       const Allocation& candidates, unsigned node_count,
                       const PlaceOptions& options) {
  const Rank ranks = graph.ranks();
  if (node_count == 0 || ranks == 0) return place(graph, topology, outages, candidates, options);
  const unsigned count = std::min(node_count, ranks);
  const unsigned most = (ranks - 1) / count + 1;  // ranks on a node
  PlaceOptions half = options;
  half.time_limit_seconds /= 2;
  bool out_of_time = false;
  Allocation pool = candidates;
  std::erase_if(pool, [most](const AllocationEntry& entry) { return entry.slots < most; });
  if (pool.size() < count) pool = candidates;
  if (pool.size() > count) {
    const Allocation thin = with_few_slots(pool, ranks, count);
    const Placement first = place(graph, topology, outages, thin, half);
    out_of_time = first.out_of_time;
    pool = busiest(pool, first.mapping, count);
  }
  if (pool.size() < count || total_slots(pool) < ranks) {
    throw Error(ErrorKind::unmet,
                fmt::format("{} ranks do not fit on {} nodes of the {} to choose from, which take "
                            "{}; choose more nodes",
                            ranks, count, pool.size(), total_slots(pool)));
  }
  half.started = std::chrono::steady_clock::now();
  Placement placement = place(graph, topology, outages, spread(pool, ranks), half);
  placement.out_of_time = placement.out_of_time || out_of_time;
  return placement;
}

}  // namespace tofa
