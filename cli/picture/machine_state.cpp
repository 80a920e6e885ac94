// SPDX-License-Identifier: BSD-3-Clause
// Ranks and loads of a mapping: see machine_state.hpp.
#include "picture/machine_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

namespace tofa::cli {
namespace {

std::vector<double> loads_of(const CommGraph& graph, const Topology& topology,
                             const Mapping& mapping) {
  const std::unique_ptr<LinkLoads> loads = topology.link_loads();
  for (Rank rank = 0; rank < graph.ranks(); ++rank) {
    for (const CommEdge& edge : graph.partners(rank)) {
      if (edge.sent == 0) continue;
      loads->send(mapping[rank], mapping[edge.partner], static_cast<double>(edge.sent));
    }
  }
  return loads->take();
}

}  // namespace

MachineState state_of(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                      const Mapping& mapping) {
  MachineState state;
  state.metrics = evaluate(graph, topology, outages, mapping);
  state.load = loads_of(graph, topology, mapping);
  state.ranks.resize(topology.nodes());
  for (Rank rank = 0; rank < mapping.size(); ++rank) {
    state.ranks[topology.host(mapping[rank])].push_back(rank);
  }
  return state;
}

std::vector<Rank> ranks_in(const Box& box, const MachineState& state) {
  std::vector<Rank> ranks;
  for (const Node node : box.nodes) {
    ranks.insert(ranks.end(), state.ranks[node].begin(), state.ranks[node].end());
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

double busiest_of(const std::vector<Link>& links, const MachineState& state) {
  double most = 0;
  for (const Link link : links) most = std::max(most, state.load[link]);
  return most;
}

double load_of(const Wire& wire, const MachineState& state) {
  return busiest_of(wire.links, state);
}

std::string list_ranks(const std::vector<Rank>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(ranks[i]);
    if (last > i) text += fmt::format("{}{}", last > i + 1 ? '-' : ',', ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string rank_label(const std::vector<Rank>& ranks, std::size_t most) {
  const std::string text = list_ranks(ranks);
  return text.size() <= most ? text : fmt::format("×{}", ranks.size());
}

std::size_t longest_label(const MachineState& state, std::size_t most) {
  std::size_t longest = 0;
  for (const std::vector<Rank>& ranks : state.ranks) {
    longest = std::max(longest, rank_label(ranks, most).size());
  }
  return longest;
}

}  // namespace tofa::cli
