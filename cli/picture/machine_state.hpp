// SPDX-License-Identifier: BSD-3-Clause
// What a mapping makes of a machine: which ranks are where, and what every link carries.
#pragma once

#include <string>
#include <vector>

#include "picture/layout.hpp"
#include "tofa/metrics.hpp"

namespace tofa::cli {

struct MachineState {
  std::vector<std::vector<Rank>> ranks;  // by node, ascending; those of virtual hosts at their host
  std::vector<double> load;              // by link
  Metrics metrics;
};

MachineState state_of(const CommGraph& graph, const Topology& topology, const OutageMap& outages,
                      const Mapping& mapping);

// The ranks of all nodes that a box stands for, ascending.
std::vector<Rank> ranks_in(const Box& box, const MachineState& state);
// What the busiest of some links carries; of those that a wire stands for.
double busiest_of(const std::vector<Link>& links, const MachineState& state);
double load_of(const Wire& wire, const MachineState& state);

// "3", "0-3,7": ranks as people write them.
std::string list_ranks(const std::vector<Rank>& ranks);
// The same if it has at most `most` characters, else how many there are, "×12".
std::string rank_label(const std::vector<Rank>& ranks, std::size_t most);
// Of the longest label of all nodes.
std::size_t longest_label(const MachineState& state, std::size_t most);

}  // namespace tofa::cli
