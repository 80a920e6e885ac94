// SPDX-License-Identifier: BSD-3-Clause
// What a placement is based on: the traffic, the network and the suspect nodes, each read from what
// was asked for, else from the defaults of the site, else assumed. Every source of it may fail;
// Notes decides what that means.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "planner_settings.hpp"
#include "tofa/comm_graph.hpp"
#include "tofa/outage.hpp"
#include "tofa/topology.hpp"

namespace tofa::planner {

// Problems that the job can start in spite of, and what is done instead. Under `strict` the first
// one is an Error.
class Notes {
 public:
  explicit Notes(bool strict) : strict_(strict) {}
  void degraded(const std::string& problem, const std::string& instead);
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  bool strict_;
  std::vector<std::string> warnings_;
};

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
