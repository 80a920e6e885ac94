// SPDX-License-Identifier: BSD-3-Clause
// The jobs that rates.cpp measures on: networks, traffic, and a rank on every node.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "mapping/mapper.hpp"
#include "mapping/tools/random_source.hpp"

namespace tofa {

inline std::unique_ptr<Topology> make_torus(const std::vector<unsigned>& shape) {
  const unsigned nodes =
      std::accumulate(shape.begin(), shape.end(), 1U, std::multiplies<unsigned>());
  return parse_topology(
      fmt::format("[topology]\nkind = \"torus\"\nshape = [{}]\nnodes = \"n[0-{}]\"\n",
                  fmt::join(shape, ", "), nodes - 1),
      "torus.toml");
}
inline std::unique_ptr<Topology> make_torus(unsigned side) {
  return make_torus({side, side, side});
}

// A tree has no coordinates: searches look at partners one by one.
inline std::unique_ptr<Topology> make_tree(unsigned nodes) {
  return parse_topology(
      fmt::format("[topology]\nkind = \"fat-tree\"\ndown = [16, {}]\nup = [1, 4]\n"
                  "parallel = [1, 1]\nnodes = \"n[0-{}]\"\n",
                  nodes / 16, nodes - 1),
      "tree.toml");
}

// Switches of 32 nodes each, and one above, as cables.
inline std::unique_ptr<Topology> make_cables(unsigned nodes) {
  constexpr unsigned of_switch = 32;
  std::string text = fmt::format(
      "[topology]\nkind = \"graph\"\nnodes = \"n[0-{}]\"\nswitches = \"top,s[0-{}]\"\n"
      "[[link]]\nends = [\"top\", \"s[0-{}]\"]\n",
      nodes - 1, nodes / of_switch - 1, nodes / of_switch - 1);
  for (unsigned i = 0; i < nodes / of_switch; ++i) {
    text += fmt::format("[[link]]\nends = [\"s{}\", \"n[{}-{}]\"]\n", i, i * of_switch,
                        (i + 1) * of_switch - 1);
  }
  return parse_topology(text, "cables.toml");
}

// Every rank with about so many partners, at random.
inline CommGraph random_graph(Rank ranks, unsigned partners) {
  RandomSource random(1);
  Traffic traffic;
  traffic.ranks = ranks;
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (unsigned i = 0; i < partners / 2; ++i) {
      traffic.entries.push_back({rank, random.below(ranks), 1000 + random.below(1000)});
    }
  }
  traffic.normalise();
  return CommGraph(traffic);
}

// Ranks as the blocks of a grid, in which each talks to its neighbours.
inline CommGraph grid_graph(const std::vector<unsigned>& shape) {
  Traffic traffic;
  traffic.ranks = 1;
  for (const unsigned extent : shape) {
    const Rank stride = traffic.ranks;
    traffic.ranks *= extent;
    // What there is so far, once for every step along this dimension, and these joined.
    const std::vector<TrafficEntry> layer = traffic.entries;
    for (Rank i = 1; i < extent; ++i) {
      const Rank shift = i * stride;
      for (const auto& [from, to, bytes] : layer) {
        traffic.entries.push_back({from + shift, to + shift, bytes});
      }
      for (Rank rank = 0; rank < stride; ++rank) {
        traffic.entries.push_back({rank + shift - stride, rank + shift, 1000});
      }
    }
  }
  traffic.normalise();
  return CommGraph(traffic);
}

// Ranks as the blocks of a cube, in which each talks to the 6 or, over corners, the 26 around it.
inline CommGraph stencil_graph(unsigned side, bool corners) {
  Traffic traffic;
  traffic.ranks = side * side * side;
  for (Rank rank = 0; rank < traffic.ranks; ++rank) {
    const std::array<unsigned, 3> at{rank % side, rank / side % side, rank / side / side};
    for (unsigned i = 0; i < 27; ++i) {
      const std::array<unsigned, 3> step{i % 3, i / 3 % 3, i / 9};  // 1 is to stay
      const auto stays = std::count(step.begin(), step.end(), 1U);
      if (stays == 3 || (!corners && stays != 2)) continue;
      Rank other = 0;
      for (std::size_t d = 3; d-- > 0;) other = other * side + (at[d] + side + step[d] - 1) % side;
      traffic.entries.push_back({rank, other, 1000});
    }
  }
  traffic.normalise();
  return CommGraph(traffic);
}

// A job with a rank on every node of a network.
struct Job {
  std::unique_ptr<Topology> topology;
  CommGraph graph;
  OutageMap outages;
  Allocation allocation;
  PlaceOptions options;
  Trace trace{options};
  Objective objective = parse_objective("hop-bytes");

  Job(std::unique_ptr<Topology> network, unsigned partners)
      : Job(std::move(network), [partners](Rank ranks) { return random_graph(ranks, partners); }) {}
  Job(std::unique_ptr<Topology> network, const std::function<CommGraph(Rank)>& make_graph)
      : topology(std::move(network)), graph(make_graph(topology->nodes())) {
    for (Node node = 0; node < topology->nodes(); ++node) allocation.push_back({node, 1});
  }
  // Every 16th node is suspect, and others have room for its rank.
  void make_risky() {
    give_room();
    OutageList list;
    for (Node node = 0; node < topology->nodes(); node += 16) {
      list.push_back({topology->name(node), 0.02, -1});
    }
    outages = OutageMap(list, *topology);
    objective = parse_objective("completion-time");
  }
  void give_room(unsigned slots = 2) {
    for (AllocationEntry& entry : allocation) entry.slots = slots;
  }
  MappingTask task(double seconds = 1) {
    return {.graph = graph,
            .topology = *topology,
            .outages = outages,
            .allocation = allocation,
            .objective = objective,
            .seed = 1,
            .seconds = seconds,
            .deadline = Deadline(600),
            .trace = trace};
  }
  double ranks() const { return graph.ranks(); }
  double pairs() const { return static_cast<double>(graph.pairs()); }
  double partners() const { return 2 * pairs() / ranks(); }
};

}  // namespace tofa
