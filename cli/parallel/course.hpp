// SPDX-License-Identifier: BSD-3-Clause
// The course of a placement by several processes, from the parts of the traffic to the mapping.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "processes.hpp"
#include "tofa/topology.hpp"

namespace tofa::cli {

struct ParallelRequest {
  std::string graph;     // a file, a stem, or what has files `graph.part-K.mtx`
  std::string generate;  // instead of it
  std::string topology;
  std::string nodes;
  unsigned slots = 1;
  std::uint64_t seed = 1;
  std::string effort = "normal";
  double time_limit = 600;  // for the groups
  std::string output;
};

struct ParallelPlacement {
  std::unique_ptr<Topology> topology;
  Mapping nodes;  // of all ranks, on every process
  RowCost cost;
  Rank ranks = 0;
  std::uint32_t groups = 0;
  unsigned pieces = 0;
};

// Says on standard error how far it is when asked to.
ParallelPlacement place_together(Processes& processes, const ParallelRequest& request,
                                 const std::function<void(const std::string&)>& tell);

}  // namespace tofa::cli
