// SPDX-License-Identifier: BSD-3-Clause
// The order of ranks inside a node. It is settled long after the placement, when the daemons have
// told what their nodes look like and the runtime has chosen the places.
#include "planner_arrange.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <utility>

#include "tofa/machine.hpp"

struct tofa_traffic {
  tofa::CommGraph graph;
};

namespace tofa::planner {
namespace {

Machine machine_of(const tofa_node_inside& inside) {
  Machine machine;
  machine.places = static_cast<unsigned>(inside.count);
  for (std::size_t level = 0; level < inside.levels; ++level) {
    const unsigned* first = inside.groups + level * inside.count;
    machine.levels.push_back({"", {first, first + inside.count}});
  }
  return machine;
}

void arrange(const tofa_plan& plan, const tofa_node_inside& inside, unsigned* place_of) {
  const CommGraph& graph = plan.traffic->graph;
  const std::span<const unsigned> ranks(inside.ranks, inside.count);
  const bool known = std::all_of(ranks.begin(), ranks.end(),
                                 [&graph](unsigned rank) { return rank < graph.ranks(); });
  if (!known || ranks.empty()) return;
  // What all nodes together may take is shared out by rank.
  const std::uint64_t moves = kArrangingMoves / graph.ranks() * ranks.size();
  const auto places = arrange_within_node(graph, ranks, machine_of(inside), moves);
  std::copy(places.begin(), places.end(), place_of);
}

}  // namespace

tofa_traffic* keep_traffic(CommGraph graph) {
  return new tofa_traffic{std::move(graph)};
}

void drop_traffic(tofa_traffic* traffic) {
  delete traffic;
}

}  // namespace tofa::planner

extern "C" void tofa_arrange_node(const tofa_plan* plan, const tofa_node_inside* inside,
                                  unsigned* place_of) {
  std::iota(place_of, place_of + inside->count, 0U);
  if (plan->traffic == nullptr) return;
  try {
    tofa::planner::arrange(*plan, *inside, place_of);
  } catch (const std::exception&) {
    // Only memory can have run out: the ranks stay where they are.
    std::iota(place_of, place_of + inside->count, 0U);
  }
}
