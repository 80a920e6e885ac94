// SPDX-License-Identifier: BSD-3-Clause
// Moving few ranks: see remap.hpp.
#include "tofa/remap.hpp"

#include <algorithm>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>

#include "mapping/allocation.hpp"
#include "mapping/search/remap_search.hpp"
#include "tofa/error.hpp"

namespace tofa {
namespace {

// Of the ranks on one node, as many as are too many: each time the one that talks most with those
// that leave, compared with those that stay.
std::vector<Rank> choose_leavers(const CommGraph& graph, const std::vector<Rank>& ranks,
                                 std::size_t stay) {
  struct Waiting {
    double gain;
    Rank rank;
    bool operator<(const Waiting& other) const {
      return gain < other.gain || (gain == other.gain && rank > other.rank);
    }
  };
  std::vector<Rank> leavers;
  std::unordered_map<Rank, double> gain;  // of those that are still there
  for (const Rank rank : ranks) gain.emplace(rank, 0);
  std::priority_queue<Waiting> waiting;
  for (const Rank rank : ranks) {
    double& sum = gain[rank];
    for (const auto& [partner, bytes, sent] : graph.partners(rank)) {
      if (gain.contains(partner)) sum -= static_cast<double>(bytes);
    }
    waiting.push({sum, rank});
  }
  while (gain.size() > stay) {
    const Waiting best = waiting.top();
    waiting.pop();
    const auto leaving = gain.find(best.rank);
    // It left before, with a larger gain.
    if (leaving == gain.end()) continue;
    leavers.push_back(best.rank);
    gain.erase(leaving);
    for (const auto& [partner, bytes, sent] : graph.partners(best.rank)) {
      const auto there = gain.find(partner);
      if (there == gain.end()) continue;
      there->second += 2 * static_cast<double>(bytes);
      waiting.push({there->second, partner});
    }
  }
  return leavers;
}

// Step 1: which ranks must move.
std::vector<Rank> find_movers(const CommGraph& graph, const Topology& topology, const Mapping& old,
                              const Allocation& room) {
  std::vector<unsigned> slots(topology.nodes());
  for (const AllocationEntry& entry : room) slots[entry.node] = entry.slots;
  std::vector<std::vector<Rank>> on_node(topology.nodes());
  for (Rank rank = 0; rank < old.size(); ++rank) on_node[old[rank]].push_back(rank);
  std::vector<Rank> movers;
  for (Node node = 0; node < topology.nodes(); ++node) {
    if (on_node[node].size() <= slots[node]) continue;
    const auto leavers = choose_leavers(graph, on_node[node], slots[node]);
    movers.insert(movers.end(), leavers.begin(), leavers.end());
  }
  return movers;
}

// Step 2: where they go at first.
class FirstSeats {
 public:
  FirstSeats(const MappingTask& task, const Mapping& old, const std::vector<Rank>& movers)
      : task_(task),
        movers_(movers),
        mapping_(old),
        seated_(old.size(), true),
        free_(task.topology.nodes()) {
    for (const Rank rank : movers) seated_[rank] = false;
    for (const AllocationEntry& entry : task.allocation) free_[entry.node] = entry.slots;
    for (Rank rank = 0; rank < old.size(); ++rank) {
      if (seated_[rank]) --free_[old[rank]];
    }
  }

  // Each time the one that talks most with ranks that have their slots goes to the free slot that
  // is nearest to them; once time is up, to any.
  Mapping find() {
    std::vector<double> pull(mapping_.size());
    std::priority_queue<std::pair<double, Rank>> waiting;
    for (const Rank rank : movers_) {
      for (const auto& [partner, bytes, sent] : task_.graph.partners(rank)) {
        if (seated_[partner]) pull[rank] += static_cast<double>(bytes);
      }
      waiting.emplace(pull[rank], rank);
    }
    while (!waiting.empty()) {
      const Rank rank = waiting.top().second;
      waiting.pop();
      if (seated_[rank]) continue;  // it came with more pull before
      mapping_[rank] = task_.deadline.passed() ? any_free() : nearest_free(rank);
      --free_[mapping_[rank]];
      seated_[rank] = true;
      for (const auto& [partner, bytes, sent] : task_.graph.partners(rank)) {
        if (seated_[partner]) continue;
        pull[partner] += static_cast<double>(bytes);
        waiting.emplace(pull[partner], partner);
      }
    }
    return mapping_;
  }

 private:
  Node any_free() {
    while (free_[task_.allocation[first_free_].node] == 0) ++first_free_;
    return task_.allocation[first_free_].node;
  }

  Node nearest_free(Rank rank) const {
    std::optional<Node> best;
    double best_cost = 0;
    for (const AllocationEntry& entry : task_.allocation) {
      if (free_[entry.node] == 0) continue;
      double cost = 0;
      for (const auto& [partner, bytes, sent] : task_.graph.partners(rank)) {
        if (!seated_[partner]) continue;
        cost += static_cast<double>(bytes) * task_.topology.hops(entry.node, mapping_[partner]);
      }
      if (best && cost >= best_cost) continue;
      best = entry.node;
      best_cost = cost;
    }
    return *best;
  }

  const MappingTask& task_;
  const std::vector<Rank>& movers_;
  Mapping mapping_;
  std::vector<bool> seated_;
  std::vector<unsigned> free_;  // slots by node
  std::size_t first_free_ = 0;  // in the allocation; all before it are full
};

// Steps 2 and 3. When all ranks move, nothing ties them to where they were.
Mapping seat(const MappingTask& task, const Mapping& old, const std::vector<Rank>& movers,
             const PlaceOptions& options) {
  if (movers.size() == old.size()) {
    PlaceOptions anew = options;
    anew.mapper = "auto";
    Placement placement = place(task.graph, task.topology, task.outages, task.allocation, anew);
    if (placement.out_of_time) task.trace.hurry();
    return std::move(placement.mapping);
  }
  return search_moves(task, old, FirstSeats(task, old, movers).find());
}

}  // namespace

std::vector<Rank> moved_ranks(const Mapping& before, const Mapping& after) {
  std::vector<Rank> moved;
  for (Rank rank = 0; rank < std::min(before.size(), after.size()); ++rank) {
    if (before[rank] != after[rank]) moved.push_back(rank);
  }
  return moved;
}

Remapping remap(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                const Mapping& old, const Allocation& available, const PlaceOptions& options) {
  check_mapping(graph, topology, old);
  const Allocation all = usable_nodes(available, topology);
  if (all.empty()) {
    throw Error(ErrorKind::unmet, "no node is available; name at least one with a slot");
  }
  // Sharing a node with others is better than one that is certain to fail.
  Allocation alive = alive_nodes(all, outages);
  if (alive.empty()) alive = all;
  const Rank ranks = graph.ranks();
  Remapping result;
  result.oversubscribed = total_slots(alive) < ranks;
  const Allocation room = with_room_for(alive, ranks);
  const std::vector<Rank> movers = find_movers(graph, topology, old, room);
  Trace trace(options);
  const MappingTask task{.graph = graph,
                         .topology = topology,
                         .outages = outages,
                         .allocation = room,
                         .objective = options.objective,
                         .seed = options.seed,
                         .seconds = options.time_limit_seconds,
                         .deadline = trace.deadline(options.time_limit_seconds),
                         .trace = trace,
                         .abort_cost = options.abort_cost};
  result.mapping = seat(task, old, movers, options);
  result.out_of_time = task.deadline.passed() || trace.hurried();
  result.moved = moved_ranks(old, result.mapping);
  result.metrics = evaluate(graph, topology, outages, result.mapping, options.abort_cost);
  result.cost = objective_value(options.objective, result.metrics, options.abort_cost);
  return result;
}

}  // namespace tofa
