// SPDX-License-Identifier: BSD-3-Clause
// Moving few ranks: see remap.hpp.
#include "tofa/remap.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "mapping/link_state.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

std::uint64_t count_slots(const Allocation& allocation) {
  return std::accumulate(
      allocation.begin(), allocation.end(), std::uint64_t{0},
      [](std::uint64_t sum, const NodeSlots& entry) { return sum + entry.slots; });
}

// Each node once and with slots.
Allocation usable(const Allocation& available, const Topology& topology) {
  std::vector<bool> seen(topology.nodes());
  Allocation result;
  for (const NodeSlots& entry : available) {
    if (entry.node >= topology.nodes() || seen[entry.node]) {
      throw Error(ErrorKind::bad_input, "available nodes must be of the topology, each once");
    }
    seen[entry.node] = true;
    if (entry.slots > 0) result.push_back(entry);
  }
  if (result.empty()) {
    throw Error(ErrorKind::unmet, "no node is available; name at least one with a slot");
  }
  return result;
}

// Sharing a node with others is better than one that is certain to fail.
Allocation without_dead(const Allocation& available, const OutageMap& outages) {
  Allocation alive;
  for (const NodeSlots& entry : available) {
    if (outages.probability(entry.node) < 1) alive.push_back(entry);
  }
  return alive.empty() ? available : alive;
}

void check_mapping(const CommGraph& graph, const Topology& topology, const Mapping& mapping) {
  if (mapping.size() != graph.ranks()) {
    throw Error(ErrorKind::bad_input, fmt::format("the mapping places {} ranks, the graph has {}",
                                                  mapping.size(), graph.ranks()));
  }
  for (const Node node : mapping) {
    if (node >= topology.nodes())
      throw Error(ErrorKind::bad_input, "the mapping names nodes outside of the topology");
  }
}

// Of the ranks on one node, as many as are too many: each time the one that talks most with those
// that leave, compared with those that stay.
std::vector<Rank> choose_leavers(const CommGraph& graph, std::vector<Rank> ranks,
                                 std::size_t stay) {
  std::vector<Rank> leavers;
  const auto gain = [&](Rank rank) {
    double sum = 0;
    for (const auto& [partner, bytes] : graph.partners(rank)) {
      if (std::find(leavers.begin(), leavers.end(), partner) != leavers.end()) {
        sum += static_cast<double>(bytes);
      } else if (std::find(ranks.begin(), ranks.end(), partner) != ranks.end()) {
        sum -= static_cast<double>(bytes);
      }
    }
    return sum;
  };
  while (ranks.size() > stay) {
    std::vector<double> gains;
    gains.reserve(ranks.size());
    for (const Rank rank : ranks) gains.push_back(gain(rank));
    const auto best = std::max_element(gains.begin(), gains.end()) - gains.begin();
    leavers.push_back(ranks[static_cast<std::size_t>(best)]);
    ranks.erase(ranks.begin() + best);
  }
  return leavers;
}

// Step 1: which ranks must move.
std::vector<Rank> find_movers(const CommGraph& graph, const Topology& topology, const Mapping& old,
                              const Allocation& room) {
  std::vector<unsigned> slots(topology.nodes());
  for (const NodeSlots& entry : room) slots[entry.node] = entry.slots;
  std::vector<std::vector<Rank>> on_node(topology.nodes());
  for (Rank rank = 0; rank < old.size(); ++rank) on_node[old[rank]].push_back(rank);
  std::vector<Rank> movers;
  for (Node node = 0; node < topology.nodes(); ++node) {
    if (on_node[node].size() <= slots[node]) continue;
    const auto leavers = choose_leavers(graph, std::move(on_node[node]), slots[node]);
    movers.insert(movers.end(), leavers.begin(), leavers.end());
  }
  return movers;
}

// Suspect nodes keep the ranks that they have, but get others only if there is no room elsewhere.
Allocation spare_suspects(const Allocation& room, const OutageMap& outages,
                          const Topology& topology, const Mapping& old,
                          const std::vector<Rank>& movers) {
  std::vector<unsigned> stay(topology.nodes());
  for (const Node node : old) ++stay[node];
  for (const Rank rank : movers) --stay[old[rank]];
  Allocation spared;
  for (const NodeSlots& entry : room) {
    const unsigned slots = outages.probability(entry.node) > 0 ? stay[entry.node] : entry.slots;
    if (slots > 0) spared.push_back({entry.node, slots});
  }
  return count_slots(spared) < old.size() ? room : spared;
}

// Step 2: where they go.
class Movers {
 public:
  Movers(const MappingTask& task, const Mapping& old, std::vector<Rank> movers)
      : task_(task),
        plan_(task.allocation, task.graph.ranks()),
        movers_(std::move(movers)),
        moves_(task.graph.ranks()) {
    for (const Rank rank : movers_) moves_[rank] = true;
    mapping_ = old;
  }

  Mapping run() {
    seat_next_to_partners();
    Seating seating(plan_, mapping_);
    improve(seating);
    return seating.mapping();
  }

 private:
  // Heaviest first, each to the free place that is nearest to the partners that have theirs.
  void seat_next_to_partners() {
    std::vector<unsigned> free(task_.topology.nodes());
    for (const NodeSlots& entry : task_.allocation) free[entry.node] = entry.slots;
    std::vector<bool> seated(mapping_.size());
    for (Rank rank = 0; rank < mapping_.size(); ++rank) {
      if (moves_[rank]) continue;
      seated[rank] = true;
      --free[mapping_[rank]];
    }
    std::vector<Rank> waiting = movers_;
    const auto pull = [&](Rank rank) {
      double sum = 0;
      for (const auto& [partner, bytes] : task_.graph.partners(rank)) {
        if (seated[partner]) sum += static_cast<double>(bytes);
      }
      return sum;
    };
    while (!waiting.empty()) {
      const auto next = std::max_element(waiting.begin(), waiting.end(),
                                         [&](Rank a, Rank b) { return pull(a) < pull(b); });
      const Rank rank = *next;
      waiting.erase(next);
      mapping_[rank] = nearest_free(rank, seated, free);
      --free[mapping_[rank]];
      seated[rank] = true;
    }
  }

  Node nearest_free(Rank rank, const std::vector<bool>& seated,
                    const std::vector<unsigned>& free) const {
    std::optional<Node> best;
    double best_cost = 0;
    for (const NodeSlots& entry : task_.allocation) {
      if (free[entry.node] == 0) continue;
      double cost = 0;
      for (const auto& [partner, bytes] : task_.graph.partners(rank)) {
        if (!seated[partner]) continue;
        cost += static_cast<double>(bytes) * task_.topology.hops(entry.node, mapping_[partner]);
      }
      if (best && cost >= best_cost) continue;
      best = entry.node;
      best_cost = cost;
    }
    return *best;
  }

  // Moves each of them to any seat that is free or another mover's, as long as the objective falls.
  void improve(Seating& seating) {
    LinkState state(task_, plan_, seating);
    double current = state.cost();
    for (bool better = true; better;) {
      better = false;
      for (const Rank rank : movers_) {
        for (Seat seat = 0; seat < plan_.seats(); ++seat) {
          if (task_.deadline.passed()) return;
          const Rank other = seating.occupant(seat);
          if (plan_.place_of(seat) == seating.place(rank)) continue;
          if (other != kNoRank && !moves_[other]) continue;
          const double cost = state.propose(rank, seat);
          // Rounding must not keep it going.
          if (cost < current * (1 - 1e-12)) {
            state.keep();
            current = cost;
            better = true;
          } else {
            state.undo();
          }
        }
      }
    }
  }

  const MappingTask& task_;
  SeatPlan plan_;
  std::vector<Rank> movers_;
  std::vector<bool> moves_;  // by rank
  Mapping mapping_;
};

}  // namespace

std::vector<Rank> moved_ranks(const Mapping& before, const Mapping& after) {
  std::vector<Rank> moved;
  for (Rank rank = 0; rank < std::min(before.size(), after.size()); ++rank) {
    if (before[rank] != after[rank]) moved.push_back(rank);
  }
  return moved;
}

Allocation with_room_for(const Allocation& allocation, Rank ranks) {
  const std::uint64_t slots = count_slots(allocation);
  if (slots >= ranks || slots == 0) return allocation;
  Allocation result = allocation;
  std::uint64_t missing = ranks - slots;
  for (NodeSlots& entry : result) {
    const std::uint64_t share = entry.slots * std::uint64_t{ranks - slots} / slots;
    entry.slots += static_cast<unsigned>(share);
    missing -= share;
  }
  // What rounding left goes to the nodes that are fullest the last.
  for (std::size_t i = 0; missing > 0; i = (i + 1) % result.size(), --missing) ++result[i].slots;
  return result;
}

Remapping remap(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Mapping& old, const Allocation& available, const PlaceOptions& options) {
  check_mapping(graph, topology, old);
  const Allocation all = usable(available, topology);
  const Rank ranks = graph.ranks();
  Remapping result;
  const Allocation alive = without_dead(all, outages);
  result.oversubscribed = count_slots(alive) < ranks;
  const Allocation usual = with_room_for(alive, ranks);
  const std::vector<Rank> movers = find_movers(graph, topology, old, usual);
  const Allocation room = spare_suspects(usual, outages, topology, old, movers);
  Trace trace(options);
  const MappingTask task{graph,
                         topology,
                         outages,
                         room,
                         options.objective,
                         options.seed,
                         options.time_limit_seconds,
                         Deadline(options.time_limit_seconds, trace.limit_start()),
                         trace};
  result.mapping = Movers(task, old, movers).run();
  result.moved = moved_ranks(old, result.mapping);
  result.metrics = evaluate(graph, topology, outages, result.mapping);
  result.cost = objective_value(options.objective, result.metrics);
  return result;
}

}  // namespace tofa
