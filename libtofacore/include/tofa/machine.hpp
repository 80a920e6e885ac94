// SPDX-License-Identifier: BSD-3-Clause
// The inside of a compute node: which of its cores share a package, a NUMA node or a cache, and
// which of them each rank of the node takes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"

namespace tofa {

// Places for ranks in a node, numbered, and the tree above them as one partition per level. A place
// is a core, or several for a rank with several threads.
struct Machine {
  struct Level {
    std::string name;             // package, numa, l3, ...
    std::vector<unsigned> group;  // by place: the part of this level that it belongs to
  };

  unsigned places = 0;
  std::vector<Level> levels;  // the outermost first

  // Levels on which two places are apart: 0 when they share everything.
  unsigned distance(unsigned a, unsigned b) const;
};

// The cores of a machine in logical order. `source` is an hwloc XML file, a synthetic description
// such as "package:2 l3:2 core:4", or "local" for the machine this runs on. Throws Error.
Machine read_machine(const std::string& source);

// The same machine with a place for every `cores` consecutive cores; what is left over at the end
// is no place. A place across a border belongs to neither side. Throws Error when it has no place.
Machine with_cores_per_place(const Machine& machine, unsigned cores);

// How many exchanges of two ranks a search tries at most.
inline constexpr std::uint64_t kArrangingMoves = 20'000'000;

// The place of each of the ranks that share a node, so that ranks that talk a lot sit close:
// minimises bytes times distance, and is never worse than ranks[i] at place i. There are at least
// as many places as ranks.
std::vector<unsigned> arrange_within_node(const CommGraph& graph, std::span<const Rank> ranks,
                                          const Machine& machine,
                                          std::uint64_t moves = kArrangingMoves);

// The place of every rank of a mapping inside its node. No node has more ranks than the machine has
// places.
std::vector<unsigned> arrange_within_nodes(const CommGraph& graph, const Mapping& mapping,
                                           const Machine& machine);

}  // namespace tofa
