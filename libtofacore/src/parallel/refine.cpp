// SPDX-License-Identifier: BSD-3-Clause
// The search of one process, on the ranks of a piece: ranks outside that they talk to are there,
// too, with what they exchange, and stay.
#include <algorithm>
#include <unordered_map>

#include "mapping/mapper.hpp"
#include "mapping/search/annealing.hpp"
#include "tofa/parallel.hpp"

namespace tofa {
namespace {

// The members are the first ranks, in their order, and those around them the others.
struct Surroundings {
  CommGraph graph;
  Mapping nodes;
  Allocation allocation;        // nodes of members first
  std::size_t own_entries = 0;  // so many of them
};

Surroundings surroundings_of(const RankRows& rows, const std::vector<std::uint32_t>& members,
                             const Mapping& nodes) {
  Surroundings around;
  Traffic traffic;
  std::unordered_map<Rank, Rank> known;
  known.reserve(2 * members.size());
  for (Rank i = 0; i < members.size(); ++i) {
    known.emplace(rows.ranks[members[i]], i);
    around.nodes.push_back(nodes[rows.ranks[members[i]]]);
  }
  for (Rank i = 0; i < members.size(); ++i) {
    for (std::uint64_t e = rows.offsets[members[i]]; e < rows.offsets[members[i] + 1]; ++e) {
      const Rank partner = rows.partners[e];
      const auto [found, is_new] = known.emplace(partner, static_cast<Rank>(known.size()));
      if (is_new) around.nodes.push_back(nodes[partner]);
      if (found->second > i) traffic.entries.push_back({i, found->second, rows.bytes[e]});
    }
  }
  traffic.ranks = static_cast<Rank>(known.size());
  known.clear();
  traffic.normalise();
  around.graph = CommGraph(traffic);
  std::unordered_map<Node, std::size_t> entry_of;
  for (Rank rank = 0; rank < around.nodes.size(); ++rank) {
    const Node node = around.nodes[rank];
    const auto [found, is_new] = entry_of.emplace(node, around.allocation.size());
    if (is_new) around.allocation.push_back({node, 0});
    ++around.allocation[found->second].slots;
    if (rank < members.size()) around.own_entries = around.allocation.size();
  }
  return around;
}

}  // namespace

Mapping refine_piece(const RankRows& rows, const std::vector<std::uint32_t>& members,
                     const Mapping& nodes, const Topology& topology, std::uint64_t moves_per_rank,
                     std::uint64_t seed) {
  const Surroundings around = surroundings_of(rows, members, nodes);
  constexpr double no_limit = 1e7;  // the work is what was asked for
  PlaceOptions options;
  options.objective = parse_objective("hop-bytes");
  Trace trace(options);
  const OutageMap outages;
  const MappingTask task{.graph = around.graph,
                         .topology = topology,
                         .outages = outages,
                         .allocation = around.allocation,
                         .objective = options.objective,
                         .seed = seed,
                         .seconds = no_limit,
                         .deadline = Deadline(no_limit),
                         .trace = trace};
  const SearchSpace space(task);
  Seating seating(space.plan(), around.nodes);
  anneal_beside(space, moves_per_rank * members.size(), static_cast<Rank>(members.size()),
                around.own_entries, RandomSource(seed), seating);
  Mapping refined = seating.mapping();
  refined.resize(members.size());
  return refined;
}

}  // namespace tofa
