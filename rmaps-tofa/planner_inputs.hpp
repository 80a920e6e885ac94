// SPDX-License-Identifier: BSD-3-Clause
// What a placement is based on: the traffic, the network and the suspect nodes, found by the rules
// of tofa/inputs.hpp for the job that the runtime describes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "planner_settings.hpp"
#include "tofa/inputs.hpp"

namespace tofa::planner {

using Notes = InputNotes;

struct Inputs {
  Traffic traffic;  // as many ranks as the job; empty when `neighbours`
  bool neighbours = true;
  CommGraph graph;
  std::string graph_origin;

  std::unique_ptr<Topology> topology;
  std::string topology_origin;
  std::vector<Node> node_of;  // topology's node of each node of the job

  OutageMap outages;
  std::string outages_origin;
};

Inputs read_inputs(const tofa_job& job, const Settings& settings, unsigned ranks, Notes& notes);

}  // namespace tofa::planner
