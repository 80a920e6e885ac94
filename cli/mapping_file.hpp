// SPDX-License-Identifier: BSD-3-Clause
// Files that say which rank runs on which node: a hostfile (line i names the node of rank i), an
// Open MPI rankfile, or the JSON report of `tofa map`.
#pragma once

#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/topology.hpp"

namespace tofa::cli {

// The host of every rank. This and the others throw Error (bad_input).
std::vector<std::string> read_rank_hosts(const std::string& path);
// The hosts that a mapping file names, each once, in order of rank.
std::vector<std::string> read_mapping_hosts(const std::string& path);
// A mapping as read from any of these files.
Mapping read_mapping(const std::string& path, const Topology& topology);
// The same, and it must place as many ranks as the graph has.
Mapping read_mapping_for(const std::string& path, const Topology& topology, const CommGraph& graph);

unsigned most_ranks_on_a_node(const Mapping& mapping, const Topology& topology);

// The names of the ranks' nodes, in order of rank.
std::vector<std::string> hosts_of(const Mapping& mapping, const Topology& topology);

}  // namespace tofa::cli
