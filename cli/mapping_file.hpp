// SPDX-License-Identifier: BSD-3-Clause
// Files that say which rank runs on which node: a hostfile (line i names the node of rank i), an
// Open MPI rankfile, or the JSON report of `tofa map`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tofa/comm_graph.hpp"
#include "tofa/topology.hpp"

namespace tofa::cli {

// The host of a rank, and the line that says so; 0 in JSON.
struct RankPlace {
  std::string host;
  std::size_t line = 0;
};

// Such a file, read once: it may be a pipe, and its hosts are wanted before the topology is known
// that they are nodes of. The constructor and what looks nodes up throw Error (bad_input).
class MappingFile {
 public:
  explicit MappingFile(const std::string& path);

  // The host of every rank.
  std::vector<std::string> rank_hosts() const;
  // Each host once, in order of rank.
  std::vector<std::string> hosts() const;
  // The nodes of as many ranks as the graph has.
  Mapping mapping(const Topology& topology, const CommGraph& graph) const;

 private:
  std::string path_;
  std::vector<RankPlace> places_;  // by rank
};

// The hosts of several lists, each once, in the order in which they are first named.
std::vector<std::string> all_hosts(const std::vector<std::vector<std::string>>& lists);

unsigned most_ranks_on_a_node(const Mapping& mapping, const Topology& topology);

// The names of the ranks' nodes, in order of rank.
std::vector<std::string> hosts_of(const Mapping& mapping, const Topology& topology);

}  // namespace tofa::cli
