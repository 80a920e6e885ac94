// SPDX-License-Identifier: BSD-3-Clause
// What a mapper comes to on a torus, in work of 0.3 s that no clock cuts short.
#pragma once

#include <memory>
#include <string>

#include "support/random_cases.hpp"
#include "tofa/place.hpp"

namespace tofa::test {

inline Allocation all_but_every(const Topology& topology, Node step, unsigned slots) {
  Allocation allocation;
  for (Node node = 0; node < topology.nodes(); ++node) {
    if (step == 0 || node % step != 0) allocation.push_back({node, slots});
  }
  return allocation;
}

struct Machine {
  std::string shape;
  Node nodes;
  unsigned slots = 1;
  Node gap_every = 0;
};

inline std::unique_ptr<Topology> torus_of(const Machine& machine) {
  return parse_topology("[topology]\nkind = \"torus\"\nshape = [" + machine.shape +
                            "]\nnodes = \"n[0-" + std::to_string(machine.nodes - 1) + "]\"\n",
                        "torus.toml");
}

inline Placement placed(const CommGraph& graph, const Machine& machine, const std::string& mapper,
                        std::uint64_t seed = 1) {
  const auto torus = torus_of(machine);
  PlaceOptions options = options_with_work(0.3);
  options.objective = parse_objective("hop-bytes");
  options.mapper = mapper;
  options.seed = seed;
  const Allocation allocation = all_but_every(*torus, machine.gap_every, machine.slots);
  return place(graph, *torus, {}, allocation, options);
}

inline double hops(const CommGraph& graph, const Machine& machine, const std::string& mapper) {
  return placed(graph, machine, mapper).chosen.average_hops_per_byte;
}

}  // namespace tofa::test
